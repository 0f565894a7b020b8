// The English texts of the digest.
import type { Digest } from '../../generated/Digest';
import { grouped as n } from '../numbers';

const s = (count: number, one: string, many: string) => (count === 1 ? one : many);
const notifications = (count: number) => `${n(count)} ${s(count, 'notification', 'notifications')}`;

export const enDigest = {
  digest: 'Digest',
  openDigest: 'Open digest',
  keyDigest: 'Open the digest',
  digestOf: (span: string) => `Digest since: ${span}`,
  awayBanner: (items: number, when: string) =>
    `While you were away: ${items >= 10_000 ? `${n(10_000)}+` : n(items)} new since ${when}`,
  yesterdayAt: (time: string) => `yesterday ${time}`,
  since: 'Since',
  sinceAway: 'my last visit',
  sinceEvening: 'yesterday evening',
  sinceDay: '24 hours ago',
  sinceDays: '3 days ago',
  sinceWeek: 'a week ago',
  sinceTime: 'another time…',
  show: 'Show',
  notificationCount: notifications,
  digestTotals: (items: number, threads: number, sources: number, when: string) =>
    `${notifications(items)} in ${n(threads)} ${s(threads, 'thread', 'threads')} from ${n(sources)} ${s(
      sources,
      'source',
      'sources',
    )} since ${when}`,
  digestStates: (unread: string, high: number) =>
    [unread || 'All read', high > 0 ? `${n(high)} with high priority` : ''].filter(Boolean).join(', '),
  digestShortened: (when: string) => `Not everything fits here. Notifications older than ${when} are in the inbox`,
  digestEmpty: 'Nothing new',
  digestDone: 'All archived',
  digestEmptyHint: (when: string) => `Nothing new in the inbox since ${when}`,
  newByHour: 'By hour',
  newByDay: 'By day',
  digestMost: (items: number, by: Digest['by']) => `Most in ${by === 'hour' ? 'an hour' : 'a day'}: ${n(items)}`,
  people: 'People',
  andMorePeople: (count: number) => `and ${n(count)} more`,
  andMoreThreads: (count: number) => `and ${n(count)} more ${s(count, 'thread', 'threads')}`,
  archiveAll: 'Archive all',
  archiveAllOf: (name: string) => `Archive all from ${name}`,
  didArchiveItems: (count: number) => `${notifications(count)} archived`,
  itemsAreBack: (count: number) => `${notifications(count)} ${s(count, 'is', 'are')} back`,
};
