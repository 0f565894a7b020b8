// The queries for a list.
import type { Grouping } from '../../generated/Grouping';
import type { Place } from '../../generated/Place';
import type { ThreadQuery } from '../../generated/ThreadQuery';

/** What a list shows and how it is sorted. */
export interface Listing {
  readonly place: Place;
  /** A query; null lists the place. */
  readonly search: string | null;
  /** The query filters the place; else it searches everywhere. */
  readonly within: boolean;
  readonly group: Grouping;
}

/** The first rows of a list. */
export function listQuery(listing: Listing, limit: number): ThreadQuery {
  return { ...listing, after: null, before: null, bottom: false, limit };
}

/** The first rows of a place by day, or of a search. */
export function firstPage(place: Place, limit: number, search: string | null = null): ThreadQuery {
  return listQuery({ place, search, within: false, group: 'day' }, limit);
}
