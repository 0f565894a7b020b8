// The askings for a list, spelled out once.
import type { Place } from '../generated/Place';
import type { ThreadQuery } from '../generated/ThreadQuery';

/** The first rows of a place, or of what is found in it. */
export function top(place: Place, limit: number, search: string | null = null): ThreadQuery {
  return { place, search, within: false, group: 'day', after: null, before: null, bottom: false, limit };
}
