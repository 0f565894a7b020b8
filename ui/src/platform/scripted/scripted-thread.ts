// A thread as the scripted program stores it, and the time at which its clock stands.
import type { ItemView } from '../../generated/ItemView';
import type { OutgoingView } from '../../generated/OutgoingView';
import type { ReadBy } from '../../generated/ReadBy';
import type { ThreadRow } from '../../generated/ThreadRow';

/** Friday, 20 November 2026, 09:42 local time. */
export const NOW = new Date(2026, 10, 20, 9, 42).getTime();

export function at(day: number, time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return new Date(2026, 10, day, hours, minutes).getTime();
}

export interface ScriptedThread {
  row: ThreadRow;
  title: string;
  facts: string[];
  url: string | null;
  items: ItemView[];
  /** Items at the beginning that stand behind "earlier". */
  earlier: number;
  since: number | null;
  /** Messages that wait to be sent, or were refused. */
  outgoing: OutgoingView[];
  /** Of a group: who has read the newest message of one's own. */
  readers: ReadBy | null;
}

/** What most rows have in common: nothing special. */
export const PLAIN = {
  source: 1,
  kind: 'reminder',
  snippet: '',
  unread: 0,
  total: 1,
  priority: 3,
  unseen: false,
  pending: false,
  muted: false,
  counts: true,
  pinned: false,
  archived: false,
  snoozed_until: null,
  draft: '',
} satisfies Partial<ThreadRow>;

/** What a thread has that has nothing. */
export const EMPTY = {
  facts: [],
  url: null,
  items: [],
  earlier: 0,
  since: null,
  outgoing: [],
  readers: null,
} satisfies Partial<ScriptedThread>;
