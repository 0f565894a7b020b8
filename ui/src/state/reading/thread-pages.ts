// The pages of a thread's items as one view, and where in it the reader begins.

import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { ThreadView } from '../../generated/ThreadView';
import { matches } from '../../text/highlight';

/** Whether an item is unread and of somebody else. */
export const isUnread = (item: ItemView) => item.unread && !item.own;

/** The number of unread items of others. */
export const unreadIn = (items: readonly ItemView[]) => items.filter(isUnread).length;

/** The number of faces shown for earlier items. */
const FACES = 3;

/** The faces of the newest actors of items, the newest first. */
export function facesOf(items: readonly ItemView[]): Face[] {
  const faces: Face[] = [];
  for (const { avatar } of items.toReversed()) {
    if (avatar.shape !== 'person') continue;
    const { face } = avatar;
    if (!faces.some((one) => one.initials === face.initials && one.tint === face.tint)) faces.push(face);
  }
  return faces.slice(0, FACES);
}

/** The items of an earlier page that are not among the loaded ones. */
export function notYet(loaded: readonly ItemView[], earlier: readonly ItemView[]): ItemView[] {
  const known = new Set(loaded.map((item) => item.msgid));
  return earlier.filter((item) => !known.has(item.msgid));
}

/** Whether a view goes back to its first unread item, with the read one before it if there is one. */
export const reachesUnread = ({ row, new_since, earlier }: ThreadView) =>
  row.unread === 0 || new_since !== null || earlier === 0;

/** The number of unread items before those of a page. In a conversation all is read before what is read. */
export function unreadBefore({ row, items, earlier, later }: ThreadView): number {
  const first = items.find((item) => !item.own);
  const begins = earlier === 0 || (row.kind === 'message' && first !== undefined && !first.unread);
  return begins && (earlier === 0 || later > 0) ? 0 : Math.max(0, row.unread - unreadIn(items));
}

/** The number of items before the first new one or the first match of the terms; 0 if there is neither. */
export function foldedCount(view: ThreadView, terms: readonly string[]): number {
  const since = view.new_since;
  const found = terms.length > 0 ? view.items.findIndex((item) => matches(item, terms)) : -1;
  const fresh = since === null ? -1 : view.items.findIndex((item) => item.time > since && !item.own);
  const starts = [found, fresh].filter((at) => at >= 0);
  return starts.length > 0 ? Math.min(...starts) : 0;
}
