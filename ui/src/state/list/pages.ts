// Which pages of a list are here, and the cursors before, between and after them. Knows no rows, only their ids.
import type { ThreadPage } from '../../generated/ThreadPage';

interface Sheet {
  /** Asks for what stands above; null at the top. */
  prev: string | null;
  /** Asks for what stands below; null at the end. */
  next: string | null;
}

type Ends = Pick<ThreadPage, 'prev' | 'next'>;

export class Pages {
  #sheets: Sheet[] = [];
  readonly #of = new Map<number, Sheet>();

  get prev(): string | null {
    return this.#sheets[0]?.prev ?? null;
  }

  get next(): string | null {
    return this.#sheets.at(-1)?.next ?? null;
  }

  /** Whether a page can be given up and asked for again. */
  get several(): boolean {
    return this.#sheets.length > 1;
  }

  /** Begins anew with one page. */
  reset(ends: Ends, ids: readonly number[]): void {
    this.#sheets = [];
    this.#of.clear();
    this.add('below', ends, ids);
  }

  add(where: 'above' | 'below', { prev, next }: Ends, ids: readonly number[]): void {
    const sheet = { prev, next };
    if (where === 'above') this.#sheets.unshift(sheet);
    else this.#sheets.push(sheet);
    for (const id of ids) this.#of.set(id, sheet);
  }

  /** A row came in beside another one. */
  join(id: number, beside: number | undefined): void {
    const sheet = (beside === undefined ? undefined : this.#of.get(beside)) ?? this.#sheets[0];
    if (sheet) this.#of.set(id, sheet);
  }

  forget(id: number): void {
    this.#of.delete(id);
  }

  /** Gives up the page at one end; answers how many of the ids, counted from that end, it held. */
  giveUp(end: 'above' | 'below', ids: readonly number[]): number {
    const sheet = end === 'above' ? this.#sheets.shift() : this.#sheets.pop();
    let count = 0;
    for (; count < ids.length; count += 1) {
      const id = ids[end === 'above' ? count : ids.length - 1 - count];
      if (id === undefined || this.#of.get(id) !== sheet) break;
      this.#of.delete(id);
    }
    return count;
  }

  /** The cursor with which the rows around an id can be asked for again; null where only the list's end can. */
  around(id: number | undefined): { after: string } | { before: string } | null {
    const sheet = id === undefined ? undefined : this.#of.get(id);
    const at = sheet ? this.#sheets.indexOf(sheet) : 0;
    const above = this.#sheets[at - 1]?.next;
    if (above) return { after: above };
    const below = this.#sheets[at + 1]?.prev;
    return below ? { before: below } : null;
  }
}
