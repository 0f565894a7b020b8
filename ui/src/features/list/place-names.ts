// The names of places, and their numbers of unread items.
import type { Place } from '../../generated/Place';
import type { Places } from '../../generated/Places';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
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
      return { announcement: t.announcements, reminder: t.reminders, message: t.conversations }[place.kind];
    case 'source': {
      const source = sources.find((one) => one.id === place.source);
      return source ? nameOf(source, t) : t.sources;
    }
    case 'saved':
      return saved.find((one) => one.id === place.id)?.name ?? t.search;
  }
}

/** The number of unread items in a place; 0 where the place has no such number. */
export function placeUnread(place: Place, places: Places | null): number {
  if (!places) return 0;
  switch (place.place) {
    case 'inbox':
    case 'unread':
      return places.unread;
    case 'kind':
      return places[place.kind];
    case 'source':
      return places.sources.find((one) => one.id === place.source)?.unread ?? 0;
    case 'saved':
      return places.saved.find((one) => one.id === place.id)?.unread ?? 0;
    default:
      return 0;
  }
}
