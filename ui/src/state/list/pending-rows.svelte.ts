// Rows that would come in or move up at the top of a list that is being read: they wait until the reader goes there.
// Beyond 500 rows only ids are kept, and the list is requested again.
import { SvelteMap } from 'svelte/reactivity';
import type { ThreadRow } from '../../generated/ThreadRow';

const MOST = 500;

export class PendingRows {
  /** The waiting rows by id; null if only the id is kept. */
  readonly #rows = new SvelteMap<number, ThreadRow | null>();

  get count(): number {
    return this.#rows.size;
  }

  has(id: number): boolean {
    return this.#rows.has(id);
  }

  /** The number of those that are not among some rows. */
  countBeside(ids: readonly number[]): number {
    return this.count - ids.filter((id) => this.#rows.has(id)).length;
  }

  add(row: ThreadRow): void {
    this.#rows.set(row.id, this.#rows.size < MOST ? row : null);
  }

  remove(id: number): void {
    this.#rows.delete(id);
  }

  clear(): void {
    this.#rows.clear();
  }

  /** Removes and returns all rows; null if some are kept as ids only. */
  take(): ThreadRow[] | null {
    const all = [...this.#rows.values()];
    this.clear();
    const rows = all.filter((row) => row !== null);
    return rows.length === all.length ? rows : null;
  }
}
