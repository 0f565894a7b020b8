// The effect of a mark on a row, and whether a row belongs to a place: the page's prediction of the program's answer.
import type { Mark } from '../../generated/Mark';
import type { Place } from '../../generated/Place';
import type { Subscription } from '../../generated/Subscription';
import type { ThreadRow } from '../../generated/ThreadRow';

/** The row as it will be once the program has set the mark. */
export function marked(row: ThreadRow, mark: Mark): ThreadRow {
  switch (mark.op) {
    case 'read':
      return { ...row, unread: 0 };
    case 'unread':
      return { ...row, unread: Math.max(row.unread, 1) };
    case 'seen':
      return { ...row, unseen: false };
    case 'archive':
      return { ...whole(row), archived: true, snoozed_until: null };
    case 'unarchive':
      return { ...whole(row), archived: false };
    case 'snooze':
      return { ...row, snoozed_until: Date.parse(mark.until) };
    case 'unsnooze':
      return { ...row, snoozed_until: null };
    case 'pin':
      return { ...row, pinned: true };
    case 'unpin':
      return { ...row, pinned: false };
    case 'mute':
      return { ...row, muted: true, muted_until: mark.until ? Date.parse(mark.until) : null, counts: false };
    case 'unmute':
      return { ...row, muted: false, muted_until: null, counts: true };
    case 'subscribe':
      return subscribed(row, 'subscribed');
    case 'unsubscribe':
      return subscribed(row, 'unsubscribed');
    case 'ignore':
      return { ...subscribed(row, 'ignored'), muted: true, muted_until: null, counts: false };
    case 'delete':
      // The program takes it out of every list.
      return row;
  }
}

/** A row of which Done lists all or nothing. */
function whole({ done: _, ...row }: ThreadRow): ThreadRow {
  return row;
}

function subscribed(row: ThreadRow, subscription: Subscription): ThreadRow {
  return row.follow ? { ...row, pending: true, follow: { ...row.follow, subscription } } : row;
}

/** A row as a place lists it: Done shows what is archived of a thread. */
export function asListed(row: ThreadRow, place: Place): ThreadRow {
  return place.place === 'done' && row.done ? row.done : row;
}

/** Whether a row is listed in a place. A row that became read stays listed in Unread until the list is left. */
export function belongs(row: ThreadRow, place: Place, listed: boolean): boolean {
  const here = !row.archived && row.snoozed_until === null;
  switch (place.place) {
    case 'inbox':
      return here;
    case 'unread':
      return here && (listed || row.unread > 0);
    case 'pinned':
      return row.pinned;
    case 'snoozed':
      return !row.archived && row.snoozed_until !== null;
    case 'done':
      return row.archived || row.done !== undefined;
    case 'kind':
      return here && row.kind === place.kind;
    case 'source':
      return here && row.source === place.source;
    case 'saved':
      // The program decides what a search finds.
      return listed;
  }
}

export function samePlace(a: Place, b: Place): boolean {
  return placeName(a) === placeName(b);
}

/** The stable name of a place: `inbox`, `kind-message`, `source-3`. */
export function placeName(place: Place): string {
  if (place.place === 'kind') return `kind-${place.kind}`;
  if (place.place === 'source') return `source-${place.source}`;
  if (place.place === 'saved') return `saved-${place.id}`;
  return place.place;
}
