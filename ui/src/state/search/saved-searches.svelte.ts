// The saved searches: saving, renaming, ordering, and removing with undo.
import type { SavedSearch } from '../../generated/SavedSearch';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ListScope } from '../list/list-scope.svelte';
import type { Router } from '../navigation/router';
import type { Places } from '../sources/places.svelte';

export class SavedSearches {
  /** The id of the search whose name is being edited. */
  renaming: number | null = $state(null);

  constructor(
    private readonly platform: Platform,
    private readonly scope: ListScope,
    private readonly places: Places,
    private readonly router: Router,
    private readonly feedback: Feedback,
  ) {}

  get all(): readonly SavedSearch[] {
    return this.places.saved;
  }

  async add(name: string, query: string): Promise<void> {
    await this.#take(this.platform.saveSearch({ id: 0, name, query, unread: 0, quiet: 0 }));
    this.feedback.show(i18n.t.searchSaved(name));
  }

  rename(search: SavedSearch, name: string): Promise<void> {
    return this.#take(this.platform.saveSearch({ ...search, name }));
  }

  /** Removes a search; undo restores it at its position. */
  async remove(search: SavedSearch): Promise<void> {
    const before = this.all.map((one) => one.id);
    await this.#take(this.platform.removeSearch(search.id));
    this.feedback.done(i18n.t.searchRemoved(search.name), () => this.#restore(search, before));
    const { place } = this.scope;
    if (place.place === 'saved' && place.id === search.id) await this.router.go({ place: 'inbox' });
  }

  /** Moves a search by a number of lines. */
  async move(search: SavedSearch, by: number): Promise<void> {
    const ids = this.all.map((one) => one.id);
    const at = ids.indexOf(search.id);
    const to = at + by;
    if (at < 0 || to < 0 || to >= ids.length) return;
    ids.splice(to, 0, ...ids.splice(at, 1));
    await this.#take(this.platform.orderSearches(ids));
  }

  async #restore(search: SavedSearch, order: readonly number[]): Promise<void> {
    await this.#take(this.platform.saveSearch({ ...search, id: 0 }));
    const restored = this.all.find((one) => one.id === search.id || !order.includes(one.id))?.id;
    if (restored === undefined) return;
    await this.#take(this.platform.orderSearches(order.map((id) => (id === search.id ? restored : id))));
  }

  #take(answer: Promise<SavedSearch[]>): Promise<void> {
    return answer.then((saved) => this.places.set({ saved }), this.feedback.fail);
  }
}
