// The type of a stored thread of the scripted program, and the time of its clock.
import type { Closed } from '../../generated/Closed';
import type { ItemView } from '../../generated/ItemView';
import type { OutgoingView } from '../../generated/OutgoingView';
import type { PeerReadView } from '../../generated/PeerReadView';
import type { ReadBy } from '../../generated/ReadBy';
import type { ThreadRow } from '../../generated/ThreadRow';

/** The fixed time: Friday, 20 November 2026, 09:42 local time. */
export const NOW = new Date(2026, 10, 20, 9, 42).getTime();

export function at(day: number, time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return new Date(2026, 10, day, hours, minutes).getTime();
}

export interface ScriptedThread {
  row: ThreadRow;
  title: string;
  facts: string[];
  items: ItemView[];
  /** The number of items at the beginning that are behind "earlier". */
  earlier: number;
  since: number | null;
  /** Messages that wait to be sent, or were refused. */
  outgoing: OutgoingView[];
  /** In a group, the readers of the reader's own newest message. */
  readers: ReadBy | null;
  /** Why nothing can be written any more; null where it can. */
  closed: Closed | null;
  /** How far the other person has read. */
  peerRead: PeerReadView | null;
}

/** The default fields of a row. */
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
  icon: null,
  draft: '',
} satisfies Partial<ThreadRow>;

/** The default fields of a thread without items. */
export const EMPTY = {
  facts: [],
  items: [],
  earlier: 0,
  since: null,
  outgoing: [],
  readers: null,
  closed: null,
  peerRead: null,
} satisfies Partial<ScriptedThread>;
