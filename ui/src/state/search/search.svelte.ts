// The search while it is typed: the list follows the query, with suggestions and errors beside it.
import type { Correction } from '../../generated/Correction';
import type { Suggestion } from '../../generated/Suggestion';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import { isTyping, termsOf } from '../../text/query-text';
import { type Feedback, isInvalid } from '../feedback/feedback.svelte';
import type { Listing } from '../list/list-query';
import type { ListScope } from '../list/list-scope.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import { samePlace } from '../marks/marks';
import type { Selection } from '../marks/selection.svelte';
import type { Places } from '../sources/places.svelte';
import { Latest } from './latest';

/** The longest time for which suggestions wait for their list, ms. */
const TOGETHER = 100;

export class Search {
  /** Counts the requests for the search field, so that it takes the focus again. */
  focusRequests = $state(0);
  /** The reason why the query or a filter cannot be read. */
  error: string | null = $state(null);
  suggestions: readonly Suggestion[] = $state.raw([]);
  /** The queries that the listed search may have meant, if it finds nothing; each of them finds something. */
  corrections: readonly Correction[] = $state.raw([]);
  /** Whether the reader is asked for a name, to save the search. */
  naming = $state(false);
  /** The terms of the listed search, to be highlighted. */
  readonly terms: readonly string[] = $derived.by(() => {
    const { place, search } = this.list;
    const saved = place.place === 'saved' ? this.places.saved.find((one) => one.id === place.id) : undefined;
    return termsOf([saved?.query, search].filter(Boolean).join(' '));
  });
  /** Takes the first thread that a search found, or null; with `opens` its reader asked for it. Set by the composition. */
  found: (first: number | null, opens: boolean) => void = () => {};
  /** Is called once a list without a search is shown in its place. Set by the composition. */
  ended: () => void = () => {};
  /** Gets whether the first thread was opened, if that was asked for before the search was answered. */
  #opensFirst: ((opened: boolean) => void) | null = null;
  /** Whether a condition of the query is still being typed, which is not wrong yet. */
  #typing = false;
  readonly #requests = new Latest();

  constructor(
    private readonly platform: Platform,
    private readonly scope: ListScope,
    private readonly list: ThreadList,
    private readonly places: Places,
    private readonly selection: Selection,
    private readonly feedback: Feedback,
  ) {}

  follow(query: string, typing = isTyping(query)): void {
    const { scope } = this;
    this.#typing = typing;
    if (scope.query === null || query === scope.query) this.focusRequests += 1;
    if (query.trim() !== scope.query?.trim()) this.corrections = [];
    scope.query = query;
    this.#opensFirst = null;
    let listed = () => {};
    const together = new Promise<void>((done) => (listed = done));
    setTimeout(listed, TOGETHER);
    this.#requests.want(() => this.#show().finally(listed));
    void this.#suggest(query, together);
  }

  /** Hides a suggestion that is part of the query now, and the completions beside it. */
  used({ token }: Suggestion): void {
    this.suggestions = this.suggestions.filter((one) => !one.completes && one.token !== token);
  }

  /** Opens the first thread that is found for what was typed, once that is there; false if nothing was found. */
  openFirst(): Promise<boolean> {
    return new Promise((opened) => {
      this.#opensFirst = opened;
      if (this.list.listing.search === this.scope.listing.search) this.#tellFound();
    });
  }

  #tellFound(): void {
    const first = this.list.ids[0] ?? null;
    const opened = this.#opensFirst;
    this.#opensFirst = null;
    this.found(first, opened !== null);
    opened?.(first !== null);
  }

  /** Leaves the search and shows the place again. */
  async end(): Promise<void> {
    this.leave();
    await this.#list(this.scope.listing).catch(this.feedback.fail);
  }

  /** Clears the query and its suggestions. */
  leave(): void {
    this.stop();
    this.scope.query = null;
    this.suggestions = [];
    this.corrections = [];
    this.error = null;
    this.naming = false;
  }

  stop(): void {
    this.#requests.drop();
  }

  /** Adds a filter to the place, or removes it. */
  async filter(token: string, on = !this.scope.filters.includes(token)): Promise<void> {
    const others = this.scope.filters.filter((one) => one !== token);
    await this.#setFilters(on ? [...others, token] : others);
  }

  async clearFilters(): Promise<void> {
    if (this.scope.filters.length > 0) await this.#setFilters([]);
  }

  async #setFilters(filters: readonly string[]): Promise<void> {
    this.scope.filters = filters;
    this.selection.clear();
    await this.list.show(this.scope.listing).catch((error: unknown) => this.#refuse(error));
  }

  async #list(listing: Listing): Promise<void> {
    await this.list.show(listing);
    if (this.list.search === null) this.ended();
  }

  async #show(): Promise<void> {
    const { list, scope } = this;
    const { listing } = scope;
    const now = list.listing;
    const same = listing.search === now.search && listing.within === now.within && samePlace(now.place, listing.place);
    try {
      if (!same) {
        this.corrections = [];
        await this.#list(listing);
        void this.#correct(listing);
      }
      this.error = null;
      // Another list may be shown by now.
      if (!same && !listing.within && listing.search !== null && listing.search === list.search) {
        this.feedback.announce(list.total > 0 ? i18n.t.resultCount(list.total, list.atLeast) : i18n.t.nothingFound);
        this.#tellFound();
      }
    } catch (error) {
      // What was typed since is requested anyway.
      if (scope.listing.search !== listing.search) return;
      if (isInvalid(error) && this.#typing) this.error = null;
      else this.#refuse(error);
    }
  }

  /**
   * Asks what a search that found nothing may have meant; without an answer the list only says that nothing was found.
   */
  async #correct({ place, search, within }: Listing): Promise<void> {
    const { list, scope } = this;
    const shown = () =>
      scope.listing.search === search &&
      list.search === search &&
      list.within === within &&
      samePlace(list.place, place);
    if (search === null || !shown() || list.total > 0) return;
    const found = await this.platform.corrections({ place, search, within }).catch(() => []);
    if (!shown() || list.total > 0 || found.length === 0) return;
    this.corrections = found;
    this.feedback.announce(
      i18n.t.nothingButMaybe(
        search.trim(),
        found.map((one) => one.query),
      ),
    );
  }

  /** Shows what may complete a query, with the list: a change on its own would take a frame before it. */
  async #suggest(query: string, listed: Promise<void>): Promise<void> {
    // A failure leaves the reader without suggestions only.
    const [suggestions] = await Promise.all([this.platform.suggest(query).catch(() => []), listed]);
    if (this.scope.query === query) this.suggestions = suggestions;
  }

  /** Shows the error of an unreadable query beside the field; other errors are failures of the program. */
  #refuse(error: unknown): void {
    if (isInvalid(error)) {
      this.error = error.text;
      this.feedback.announce(error.text);
    } else this.feedback.fail(error);
  }
}
