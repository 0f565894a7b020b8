// The names of places, and their numbers of unread items.
import type { Place } from '../../generated/Place';
import type { Places } from '../../generated/Places';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import type { UnreadCount } from '../../generated/UnreadCount';
import type { Strings } from '../../i18n/en';
import { nameOf } from '../../state/sources/sync-text';

export function placeTitle(
  place: Place,
  sources: readonly SourceRow[],
  t: Strings,
  saved: readonly SavedSearch[] = [],
): string {
  switch (place.place) {
    case 'inbox':
      return t.inbox;
    case 'unread':
      return t.unread;
    case 'pinned':
      return t.pinned;
    case 'snoozed':
      return t.snoozed;
    case 'done':
      return t.done;
    case 'kind':
      return { announcement: t.announcements, reminder: t.activity, message: t.conversations }[place.kind];
    case 'source': {
      const source = sources.find((one) => one.id === place.source);
      return source ? nameOf(source, t) : t.sources;
    }
    case 'saved':
      return saved.find((one) => one.id === place.id)?.name ?? t.search;
  }
}

/**
 * The unread items of a place, in words: those that the badge counts, and those that are quiet. Each is empty if there
 * is nothing.
 */
export function placeUnread(place: Place, places: Places | null, t: Strings): { counted: string; quiet: string } {
  if (place.place === 'saved') {
    const { unread, quiet } = places?.saved.find((one) => one.id === place.id) ?? { unread: 0, quiet: 0 };
    return { counted: t.unreadThreads(unread, 0), quiet: quiet > 0 ? t.manyQuiet(quiet) : '' };
  }
  const { unread, counted } = (places && unreadCount(place, places)) ?? { unread: 0, counted: 0 };
  return {
    counted: counted > 0 ? t.manyUnread(counted) : '',
    quiet: unread > counted ? t.manyQuiet(unread - counted) : '',
  };
}

function unreadCount(place: Place, places: Places): UnreadCount | undefined {
  switch (place.place) {
    case 'inbox':
    case 'unread':
      return places.inbox;
    case 'kind':
      return places[place.kind];
    case 'source':
      return places.sources.find((one) => one.id === place.source)?.count;
    default:
      return undefined;
  }
}
