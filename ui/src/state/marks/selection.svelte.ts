// Which threads are under check boxes: some, or all that a list holds. Marks nothing.
import type { ThreadList } from '../list/thread-list.svelte';

export class Selection {
  /** Those that are here; empty outside a selection. */
  ids: ReadonlySet<number> = $state.raw(new Set());
  /** Everything that the list holds is selected, also what is not on the page. */
  all = $state(false);
  readonly #list: ThreadList;

  constructor(list: ThreadList) {
    this.#list = list;
  }

  /** Check boxes are shown. */
  get on(): boolean {
    return this.all || this.ids.size > 0;
  }

  /** How many threads are under check boxes. */
  get count(): number {
    return this.all ? this.#list.total : this.ids.size;
  }

  /** Those of them that may be among the rows that are here. */
  get here(): readonly number[] {
    return this.all ? this.#list.ids : [...this.ids];
  }

  has(id: number): boolean {
    return this.all || this.ids.has(id);
  }

  take(ids: Iterable<number>): void {
    this.all = false;
    this.ids = new Set(ids);
  }

  takeAll(): void {
    if (this.#list.ids.length === 0) return;
    this.ids = new Set(this.#list.ids);
    this.all = true;
  }

  leave(): void {
    this.all = false;
    this.ids = new Set();
  }
}
