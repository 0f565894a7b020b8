// The Simplified Chinese texts of the settings of topics.
import type { SigningSender } from '../../generated/SigningSender';
import type { TriedBy } from '../../generated/TriedBy';
import type { enTopics } from '../en/topics';
import { after, around, before } from './phrases';

const senders: Record<SigningSender, string> = {
  forgejo: 'Forgejo 或 Gitea',
  github: 'GitHub',
  gitlab: 'GitLab',
  grafana: 'Grafana',
  sentry: 'Sentry',
};
const triedBy: Record<TriedBy, string> = {
  sender: '已知的发送者，不使用模板',
  template: '由模板生成',
  json: '按原样显示，没有合适的模板',
};

export const zhTopics: typeof enTopics = {
  topics: '主题',
  topicsLead: '为每个主题设置名称、图标和优先级',
  topicAdvanced: '谁可以发布和阅读、模板、密钥',
  addTopic: '添加主题…',
  noTopics: '尚未设置任何主题',
  noTopicsHint: '可以发布到任何主题。设置后，主题可以有名称、图标或模板，也可以限制谁能发布和阅读',
  topicMenu: (name) => `${before(name)}的更多操作`,
  topicParts: (parts) => parts.join(' · '),
  topicFloor: (priority) => `至少为${priority}`,
  topicHasTemplate: '模板',
  topicLimited: (users) => (users.length === 0 ? '任何人都不能发布' : `只限 ${users.join('、')} 发布`),
  topicReaders: (users) => (users.length === 0 ? '任何人都不能阅读' : `只限 ${users.join('、')} 阅读`),
  topicSigned: (names) => `需要 ${names.join('、')} 的签名`,
  newTopic: '新主题',
  editTopic: (name) => `编辑“${name}”`,
  topicInvalid: '主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _',
  topicNameHint: '留空则使用主题名称',
  topicIcon: '图标的地址',
  topicIconHint: '用于没有图标的通知',
  priorityFloor: '最低优先级',
  noFloor: '不改变',
  topicExpect: '至少多久应收到一条通知',
  topicExpectHint: '如果在此时间内没有通知，会发送一条通知提醒。留空则不提醒',
  topicExpects: (time) => `每 ${time}应有通知`,
  shortTime: (n, unit) => `${n} ${{ 86400: '天', 3600: '小时', 60: '分钟', 1: '秒' }[unit]}`,
  whoPublishes: '谁可以发布',
  anybodyPublishes: '所有可以发布的用户',
  namedPublish: '只限这些用户',
  publishers: '发布者的用户名',
  publishersHint: (owner) =>
    owner === null
      ? '用空格分隔用户名。没有令牌的程序会被拒绝'
      : `用空格分隔用户名。在设置中新建的令牌属于“${owner}”；没有令牌的程序会被拒绝`,
  whoReads: '谁可以阅读',
  allRead: '服务器的所有用户',
  readers: '阅读者的用户名',
  readersHint: (owner) =>
    owner === null
      ? '用空格分隔用户名。新通知只发送给这些用户，已有的通知不变'
      : `用空格分隔用户名。新通知只发送给这些用户；你在这里的收件箱属于“${owner}”`,
  publishersMissing: '至少输入一个用户名',
  topicSaved: (name) => `已保存${after(name)}`,
  topicRemoveTitle: (name) => `移除${around(name)}的设置？`,
  topicRemoveText: '其名称、模板、密钥和保留的请求内容会被删除。已发布的通知会保留，仍可发布到此主题。',
  topicRemoved: (name) => `已移除${around(name)}的设置`,

  // the template
  template: '模板',
  templateHint:
    '用 Jinja 编写，用于未知发送者的 webhook。请求内容的字段即为变量。模板可设置通知的 title、url、priority、tags、thread 和 resolved',
  templateTrial: '用最近的请求内容试用',
  tryAgain: '检查新的请求内容',
  triedCount: (count) => `已试用 ${count} 个请求内容`,
  noPayloads: '还没有收到请求内容。用这行命令发送一个：',
  payloadsOf: '在上面输入主题后，会用它收到的请求内容试用模板',
  staleTrial: '这是出错之前的结果',
  unknownSender: '未知的发送者',
  triedBy: (by) => triedBy[by],
  triedError: (why) => `模板出错：${why}`,
  triedResolves: '会标为已读',
  triedMore: (count) => `另有 ${count} 条`,
  triedPayloads: '最近的请求内容的显示效果',

  // secrets
  secrets: 'Webhook 的密钥',
  secretsHint: '设置后，主题只接受用它签名的 webhook。密钥设置后不再显示',
  signingSender: (sender) => senders[sender],
  secretOf: (sender) => `${senders[sender]} 的密钥`,
  secretSet: '已设置',
  secretGoes: '保存时移除',
  secretReplaced: '替换已设置的密钥',
  addSecret: '添加密钥',
  addSecretNone: '选择发送者',
  replaceSecret: '更换',
  replaceSecretOf: (sender) => `更换 ${senders[sender]} 的密钥`,
  removeSecretOf: (sender) => `移除 ${senders[sender]} 的密钥`,
  keepSecret: '保留',
  keepSecretOf: (sender) => `保留 ${senders[sender]} 的密钥`,
  secretMissing: '输入密钥，或保留现有密钥',
};
