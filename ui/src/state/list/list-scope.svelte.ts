// The requested content of the list: the place with the filters that narrow it, or a search everywhere.
import type { Place } from '../../generated/Place';
import type { Settings } from '../../generated/Settings';
import type { Listing } from './list-query';

export class ListScope {
  /** The place; it is kept during a search. */
  place: Place = $state.raw({ place: 'inbox' });
  /** Tokens of the query language that narrow the place; empty for all of it. */
  filters: readonly string[] = $state.raw([]);
  /** The text of the search field; null outside a search. */
  query: string | null = $state(null);

  constructor(private readonly settings: { readonly current: Settings }) {}

  get listing(): Listing {
    const search = this.query?.trim() ?? '';
    if (search !== '') return { place: { place: 'inbox' }, search, within: false, group: 'day' };
    const { place, filters } = this;
    const { group } = this.settings.current;
    return { place, search: filters.join(' ') || null, within: filters.length > 0, group };
  }
}
