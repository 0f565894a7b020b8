// The queries by which lists are requested.
import type { Grouping } from '../../generated/Grouping';
import type { Place } from '../../generated/Place';
import type { ThreadQuery } from '../../generated/ThreadQuery';

/** The content of a list and its order. */
export interface Listing {
  readonly place: Place;
  /** The query; null lists the place. */
  readonly search: string | null;
  /** Whether the query filters the place instead of searching everywhere. */
  readonly within: boolean;
  readonly group: Grouping;
}

/** The query for the first rows of a list. */
export function listQuery(listing: Listing, limit: number): ThreadQuery {
  return { ...listing, after: null, before: null, bottom: false, limit };
}

/** The query for the first rows of a place by day, or of a search everywhere. */
export function firstPage(place: Place, limit: number, search: string | null = null): ThreadQuery {
  return listQuery({ place, search, within: false, group: 'day' }, limit);
}
