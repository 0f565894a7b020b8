// The type of a stored thread of the scripted program, and the time of its clock.
import type { Closed } from '../../generated/Closed';
import type { GroupLine } from '../../generated/GroupLine';
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
  /** Whether its items are comments, whose number is a fact too. */
  comments: boolean;
  items: ItemView[];
  /** The number of items at the beginning that are behind "earlier". */
  earlier: number;
  /** The time of the line "New since" when it opens; undefined if its unread items say it. */
  since?: number | null;
  /** Messages that wait to be sent, or were refused. */
  outgoing: OutgoingView[];
  /** The draft as it was written, of which the row has one line. */
  written?: string;
  /** In a group, the readers of the reader's own newest message. */
  readers: ReadBy | null;
  /** Why nothing can be written any more; null if it can. */
  closed: Closed | null;
  /** How far the other person has read. */
  peerRead: PeerReadView | null;
  /** The changes of its group, oldest first. */
  groupLines: readonly GroupLine[];
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
  muted_until: null,
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
  comments: false,
  items: [],
  earlier: 0,
  outgoing: [],
  readers: null,
  closed: null,
  peerRead: null,
  groupLines: [],
} satisfies Partial<ScriptedThread>;

/** A row as it is answered: what is archived or snoozed is not unread until it is back, and what is read is not unseen. */
export function answered({ done: _, ...row }: ThreadRow): ThreadRow {
  const unread = row.archived || row.snoozed_until !== null ? 0 : row.unread;
  return { ...row, unread, unseen: row.unseen && unread > 0 };
}

/** An item that is archived, or is no longer. */
export function archivedItem({ archived: _, ...item }: ItemView, archived: boolean): ItemView {
  return archived ? { ...item, archived } : item;
}

/** The items that put a thread where it is listed: what is archived counts only if all is. */
function listed(items: readonly ItemView[]): readonly ItemView[] {
  const here = items.filter((item) => !item.archived);
  return here.length > 0 ? here : items;
}

/** A row as Done lists it, with its newest archived item. */
function asDone(row: ThreadRow, { actor, avatar, body, time, msgid }: ItemView, total: number): ThreadRow {
  const text = { who: actor, who_short: actor, avatar, snippet: body.replaceAll(/<[^>]*>/g, ''), time, hit: msgid };
  return { ...row, ...text, unread: 0, unseen: false, archived: true, total };
}

/** A thread with other items, of which its row shows the newest that put it in its place. */
export function withItems(stored: ScriptedThread, items: ItemView[]): ScriptedThread {
  const [before, now] = [listed(stored.items), listed(items)];
  const newest = now.at(-1);
  const shown =
    newest === undefined || newest.msgid === before.at(-1)?.msgid
      ? {}
      : { who: newest.actor, snippet: newest.body.replaceAll(/<[^>]*>/g, ''), time: newest.time };
  const archived = items.length > 0 && items.every((item) => item.archived);
  const { done: _, ...bare } = stored.row;
  const row = {
    ...bare,
    ...shown,
    unread: items.filter((item) => item.unread && (archived || !item.archived)).length,
    archived,
    total: stored.row.total - before.length + now.length,
  };
  const away = archived ? [] : items.filter((item) => item.archived);
  const last = away.at(-1);
  return { ...stored, items, row: last ? { ...row, done: asDone(row, last, away.length) } : row };
}
