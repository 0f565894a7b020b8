// What helps to find: suggestions for a query, why one cannot be read, filters over a list, and the searches that are
// kept. Refuses to list anything.
import type { SavedSearch } from '../../generated/SavedSearch';
import type { Suggestion } from '../../generated/Suggestion';
import { i18n } from '../../i18n/i18n.svelte';
import type { Page } from '../page.svelte';

export class Finding {
  /** Why the query cannot be read, in words. */
  error: string | null = $state(null);
  suggestions: readonly Suggestion[] = $state.raw([]);
  /** Tokens of the query language that narrow the place; none shows all of it. */
  filters: readonly string[] = $state.raw([]);
  /** A name is asked for, to keep the search under. */
  naming = $state(false);
  /** The kept search that is being renamed. */
  renaming: number | null = $state(null);
  readonly #page: Page;
  #round = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Asks what could stand next in a query. */
  suggest(query: string): void {
    this.#round += 1;
    const round = this.#round;
    const { platform } = this.#page;
    platform.suggest(query).then(
      (found) => {
        if (round === this.#round) this.suggestions = found;
      },
      () => {
        // Without suggestions one types on.
        if (round === this.#round) this.suggestions = [];
      },
    );
  }

  /** The search is left. */
  forget(): void {
    this.#round += 1;
    this.suggestions = [];
    this.error = null;
    this.naming = false;
  }

  /** A query that cannot be read is no failure of the program: it is said where one types. */
  refuse(error: unknown): void {
    if (isInvalid(error)) {
      this.error = error.text;
      this.#page.announcer.announce(error.text);
    } else this.#page.fail(error);
  }

  /** Puts a filter on, or takes it off. */
  async filter(token: string, on = !this.filters.includes(token)): Promise<void> {
    const others = this.filters.filter((one) => one !== token);
    this.filters = on ? [...others, token] : others;
    await this.#relist();
  }

  async clearFilters(): Promise<void> {
    if (this.filters.length === 0) return;
    this.filters = [];
    await this.#relist();
  }

  /** Keeps what is searched for under a name. */
  async save(name: string, query: string): Promise<void> {
    await this.#keep(this.#page.platform.saveSearch({ id: 0, name, query, unread: 0 }));
    this.#page.tell(i18n.t.searchSaved(name));
  }

  /** Asks for another name where the search stands. */
  rename(id: number): void {
    this.renaming = id;
  }

  call(search: SavedSearch, name: string): Promise<void> {
    return this.#keep(this.#page.platform.saveSearch({ ...search, name }));
  }

  /** With a way back: kept again, it stands where it stood. */
  async remove(search: SavedSearch): Promise<void> {
    const page = this.#page;
    const before = this.saved.map((one) => one.id);
    await this.#keep(page.platform.removeSearch(search.id));
    const text = i18n.t.searchRemoved(search.name);
    page.snackbar.did(text, async () => {
      await this.#keep(page.platform.saveSearch({ ...search, id: 0 }));
      const again = this.saved.find((one) => one.id === search.id || !before.includes(one.id))?.id;
      if (again === undefined) return;
      await this.#keep(page.platform.orderSearches(before.map((id) => (id === search.id ? again : id))));
    });
    page.announcer.announce(text);
    if (page.place.place === 'saved' && page.place.id === search.id) await page.go({ place: 'inbox' });
  }

  /** Moves a search by so many lines. */
  async move(search: SavedSearch, by: number): Promise<void> {
    const ids = this.saved.map((one) => one.id);
    const at = ids.indexOf(search.id);
    const to = at + by;
    if (at < 0 || to < 0 || to >= ids.length) return;
    ids.splice(to, 0, ...ids.splice(at, 1));
    await this.#keep(this.#page.platform.orderSearches(ids));
  }

  get saved(): readonly SavedSearch[] {
    return this.#page.places?.saved ?? [];
  }

  async #keep(answer: Promise<SavedSearch[]>): Promise<void> {
    const page = this.#page;
    try {
      const saved = await answer;
      if (page.places) page.places = { ...page.places, saved };
    } catch (error) {
      page.fail(error);
    }
  }

  async #relist(): Promise<void> {
    const page = this.#page;
    page.selection.leave();
    await page.list.show(page.listing).catch((error: unknown) => this.refuse(error));
  }
}

function isInvalid(error: unknown): error is { text: string } {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'invalid' && 'text' in error;
}
