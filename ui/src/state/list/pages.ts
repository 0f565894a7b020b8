// The loaded pages of a list, with the cursors before, between and after them.
import type { ThreadPage } from '../../generated/ThreadPage';

interface LoadedPage {
  /** The cursor for the rows above; null at the top. */
  prev: string | null;
  /** The cursor for the rows below; null at the end. */
  next: string | null;
}

type Ends = Pick<ThreadPage, 'prev' | 'next'>;

export class Pages {
  #pages: LoadedPage[] = [];
  readonly #pageOf = new Map<number, LoadedPage>();

  get prev(): string | null {
    return this.#pages[0]?.prev ?? null;
  }

  get next(): string | null {
    return this.#pages.at(-1)?.next ?? null;
  }

  /** Whether a page can be unloaded and requested again. */
  get several(): boolean {
    return this.#pages.length > 1;
  }

  /** Replaces all pages by one. */
  reset(ends: Ends, ids: readonly number[]): void {
    this.#pages = [];
    this.#pageOf.clear();
    this.add('below', ends, ids);
  }

  add(where: 'above' | 'below', { prev, next }: Ends, ids: readonly number[]): void {
    const page = { prev, next };
    if (where === 'above') this.#pages.unshift(page);
    else this.#pages.push(page);
    for (const id of ids) this.#pageOf.set(id, page);
  }

  /** Adds an inserted row to the page of the row beside it. */
  join(id: number, beside: number | undefined): void {
    const page = (beside === undefined ? undefined : this.#pageOf.get(beside)) ?? this.#pages[0];
    if (page) this.#pageOf.set(id, page);
  }

  forget(id: number): void {
    this.#pageOf.delete(id);
  }

  /** Unloads the page at one end; returns how many of the ids, counted from that end, belonged to it. */
  unload(end: 'above' | 'below', ids: readonly number[]): number {
    const page = end === 'above' ? this.#pages.shift() : this.#pages.pop();
    let count = 0;
    for (; count < ids.length; count += 1) {
      const id = ids[end === 'above' ? count : ids.length - 1 - count];
      if (id === undefined || this.#pageOf.get(id) !== page) break;
      this.#pageOf.delete(id);
    }
    return count;
  }

  /** The cursor for the rows around an id; null if they can only be reached from an end of the list. */
  around(id: number | undefined): { after: string } | { before: string } | null {
    const page = id === undefined ? undefined : this.#pageOf.get(id);
    const at = page ? this.#pages.indexOf(page) : 0;
    const above = this.#pages[at - 1]?.next;
    if (above) return { after: above };
    const below = this.#pages[at + 1]?.prev;
    return below ? { before: below } : null;
  }
}
