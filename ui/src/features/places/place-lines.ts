// Every place with its icon, name and count, in the order of display.

import type { Place } from '../../generated/Place';
import type { SourceRow } from '../../generated/SourceRow';
import type { UnreadCount } from '../../generated/UnreadCount';
import type { Strings } from '../../i18n/en';
import type { IconName } from '../../icons';
import { samePlace } from '../../state/marks/marks';
import type { Stores } from '../../state/stores';
import { sourceIcon } from './source-icon';

export interface PlaceLine {
  readonly place: Place;
  readonly icon: IconName;
  readonly name: string;
  readonly count?: number | undefined;
  /** What the count is of, in words; empty if there is nothing to count. */
  readonly said?: string;
  /** Whether the count is of unread items or threads. */
  readonly unread?: boolean;
  readonly source?: SourceRow;
}

export interface PlaceLines {
  readonly views: readonly PlaceLine[];
  readonly sources: readonly PlaceLine[];
  readonly saved: readonly PlaceLine[];
}

/** A place's number on the badge. The words have what is unread and quiet, too. */
function unreadIn(count: UnreadCount | undefined, t: Strings): Pick<PlaceLine, 'count' | 'said' | 'unread'> {
  return {
    count: count?.counted,
    said: count && count.unread > 0 ? t.unreadCount(count.counted, count.unread - count.counted) : '',
    unread: true,
  };
}

function threadsIn(count: number | undefined, t: Strings): Pick<PlaceLine, 'count' | 'said'> {
  return { count, said: count ? t.threads(count) : '' };
}

/** The places of the kinds of which a source has something, and the one that is open. */
function kindLines({ places, scope }: Stores, t: Strings): PlaceLine[] {
  const all = [
    { kind: 'announcement', icon: 'megaphone', name: t.announcements },
    { kind: 'message', icon: 'messages-square', name: t.conversations },
  ] as const;
  return all.flatMap(({ kind, icon, name }) => {
    const place: Place = { place: 'kind', kind };
    const shown = places.has(kind) || samePlace(place, scope.place);
    return shown ? [{ place, icon, name, ...unreadIn(places.current?.[kind], t) }] : [];
  });
}

export function placeLines(stores: Stores, t: Strings): PlaceLines {
  const places = stores.places.current;
  return {
    views: [
      { place: { place: 'inbox' }, icon: 'inbox', name: t.inbox, ...unreadIn(places?.inbox, t) },
      { place: { place: 'unread' }, icon: 'circle-dot', name: t.unread },
      { place: { place: 'pinned' }, icon: 'pin', name: t.pinned, ...threadsIn(places?.pinned, t) },
      { place: { place: 'snoozed' }, icon: 'alarm-clock', name: t.snoozed, ...threadsIn(places?.snoozed, t) },
      { place: { place: 'done' }, icon: 'check-check', name: t.done },
      ...kindLines(stores, t),
    ],
    sources: stores.places.sources.map((source) => ({
      place: { place: 'source', source: source.id },
      icon: sourceIcon(source),
      name: stores.places.sourceName(source),
      ...unreadIn(source.count, t),
      source,
    })),
    saved: (places?.saved ?? []).map((search) => ({
      place: { place: 'saved', id: search.id },
      icon: 'bookmark',
      name: search.name,
      count: search.unread,
      said: t.unreadThreads(search.unread, search.quiet),
      unread: true,
    })),
  };
}
