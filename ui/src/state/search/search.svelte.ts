// What is searched for: the query as it is typed, and the list that follows it. Helps with no query: that is Finding.
import { i18n } from '../../i18n/i18n.svelte';
import { samePlace } from '../marks/marks';
import type { Page } from '../page.svelte';
import { Latest } from './latest';
import { termsOf } from './query-text';

export class Search {
  /** What is typed into the search field; null while one does not search. */
  query: string | null = $state(null);
  /** Counts how often the search field was asked for, so that it takes the focus again. */
  asked = $state(0);
  readonly #page: Page;
  /** The words that were searched for, to be marked where they stand. */
  readonly terms: readonly string[] = $derived.by(() => {
    const { place, search } = this.#page.list;
    const saved = place.place === 'saved' ? this.#page.finding.saved.find((one) => one.id === place.id) : undefined;
    return termsOf([saved?.query, search].filter(Boolean).join(' '));
  });
  readonly #asking = new Latest();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Opens the search field, or follows what is typed into it. */
  follow(terms: string): void {
    const page = this.#page;
    page.view = 'threads';
    page.drawer = false;
    page.inside = false;
    const started = this.query === null;
    if (started) page.leaveList();
    if (started || terms === this.query) this.asked += 1;
    this.query = terms;
    this.#asking.want(() => this.#ask());
    page.finding.suggest(terms);
  }

  /** Leaves the search, back to the place. */
  async end(): Promise<void> {
    const page = this.#page;
    this.leave();
    await page.list.show(page.listing).catch(page.fail);
  }

  /** Forgets what was typed. */
  leave(): void {
    this.stop();
    this.query = null;
    this.#page.finding.forget();
  }

  stop(): void {
    this.#asking.drop();
  }

  async #ask(): Promise<void> {
    const { list, listing, finding, announcer } = this.#page;
    const now = list.listing;
    const same = listing.search === now.search && listing.within === now.within && samePlace(now.place, listing.place);
    try {
      if (!same) await list.show(listing);
      finding.error = null;
      // Another list may be shown by now.
      if (!same && !listing.within && listing.search !== null && listing.search === list.search)
        announcer.announce(list.total > 0 ? i18n.t.resultCount(list.total) : i18n.t.nothingFound);
    } catch (error) {
      // What was typed since is asked for anyway.
      if (this.#page.listing.search === listing.search) finding.refuse(error);
    }
  }
}
