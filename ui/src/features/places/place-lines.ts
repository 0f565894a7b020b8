// Every place with its icon, name and count, in the order of display.
import type { IconName } from '../../components/icons/icons';
import type { Place } from '../../generated/Place';
import type { SourceRow } from '../../generated/SourceRow';
import type { Strings } from '../../i18n/en';
import type { Stores } from '../../state/stores';
import { sourceIcon } from './source-icon';

export interface PlaceLine {
  readonly place: Place;
  readonly icon: IconName;
  readonly name: string;
  readonly count?: number | undefined;
  /** Whether the count is of unread items. */
  readonly unread?: boolean;
  readonly source?: SourceRow;
}

export interface PlaceLines {
  readonly views: readonly PlaceLine[];
  readonly kinds: readonly PlaceLine[];
  readonly sources: readonly PlaceLine[];
  readonly saved: readonly PlaceLine[];
}

export function placeLines(stores: Stores, t: Strings): PlaceLines {
  const places = stores.places.current;
  return {
    views: [
      { place: { place: 'inbox' }, icon: 'inbox', name: t.inbox, count: places?.unread, unread: true },
      { place: { place: 'unread' }, icon: 'circle-dot', name: t.unread },
      { place: { place: 'pinned' }, icon: 'pin', name: t.pinned, count: places?.pinned },
      { place: { place: 'snoozed' }, icon: 'alarm-clock', name: t.snoozed, count: places?.snoozed },
      { place: { place: 'done' }, icon: 'check-check', name: t.done },
    ],
    kinds: [
      {
        place: { place: 'kind', kind: 'announcement' },
        icon: 'megaphone',
        name: t.announcements,
        count: places?.announcement,
        unread: true,
      },
      {
        place: { place: 'kind', kind: 'message' },
        icon: 'messages-square',
        name: t.conversations,
        count: places?.message,
        unread: true,
      },
    ],
    sources: stores.places.sources.map((source) => ({
      place: { place: 'source', source: source.id },
      icon: sourceIcon(source),
      name: stores.places.sourceName(source),
      count: source.unread,
      unread: true,
      source,
    })),
    saved: (places?.saved ?? []).map((search) => ({
      place: { place: 'saved', id: search.id },
      icon: 'bookmark',
      name: search.name,
      count: search.unread,
      unread: true,
    })),
  };
}
