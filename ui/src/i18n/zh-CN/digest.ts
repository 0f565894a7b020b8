// The Simplified Chinese texts of the digest.
import type { enDigest } from '../en/digest';
import { around, before, n } from './phrases';

export const zhDigest: typeof enDigest = {
  digest: '摘要',
  openDigest: '打开摘要',
  keyDigest: '打开摘要',
  digestOf: (span) => `摘要，始于：${span}`,
  awayBanner: (items, when) =>
    `离开期间：${before(when)}以来有 ${items >= 10_000 ? `${n(10_000)}+` : n(items)} 条新通知`,
  yesterdayAt: (time) => `昨天 ${time}`,
  since: '始于',
  sinceAway: '上次查看时',
  sinceEvening: '昨晚',
  sinceDay: '24 小时前',
  sinceDays: '3 天前',
  sinceWeek: '一周前',
  sinceTime: '其他时间…',
  show: '显示',
  notificationCount: (count) => `${n(count)} 条通知`,
  digestTotals: (items, threads, sources, when) =>
    `${before(when)}以来，${n(sources)} 个来源的 ${n(threads)} 个会话中有 ${n(items)} 条通知`,
  digestStates: (unread, high) =>
    [unread || '全部已读', high > 0 ? `${n(high)} 条高优先级` : ''].filter(Boolean).join('，'),
  digestShortened: (when) => `无法在这里显示全部内容。${before(when)}之前的通知在收件箱中`,
  digestEmpty: '没有新内容',
  digestDone: '已全部归档',
  digestEmptyHint: (when) => `${before(when)}以来收件箱中没有待处理的通知`,
  newByHour: '按小时',
  newByDay: '按天',
  digestMost: (items, by) => `${by === 'hour' ? '单小时' : '单日'}最多 ${n(items)} 条`,
  people: '人员',
  andMorePeople: (count) => `还有 ${n(count)} 人`,
  andMoreThreads: (count) => `还有 ${n(count)} 个会话`,
  archiveAll: '全部归档',
  archiveAllOf: (name) => `归档来自${around(name)}的全部内容`,
  didArchiveItems: (count) => `已归档 ${n(count)} 条通知`,
  itemsAreBack: (count) => `已恢复 ${n(count)} 条通知`,
};
