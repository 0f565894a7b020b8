// The rows that came in above a list that is being read, until they are let in. Refuses to hold very many: of these only
// the ids are here, and the list is asked for again.
import type { ThreadRow } from '../../generated/ThreadRow';

const MOST = 500;

export class PendingRows {
  count = $state(0);

  /** Of very many only their ids. */
  readonly #rows = new Map<number, ThreadRow | null>();

  has(id: number): boolean {
    return this.#rows.has(id);
  }

  add(row: ThreadRow): void {
    this.#rows.set(row.id, this.#rows.size < MOST ? row : null);
    this.count = this.#rows.size;
  }

  drop(id: number): void {
    this.#rows.delete(id);
    this.count = this.#rows.size;
  }

  clear(): void {
    this.#rows.clear();
    this.count = 0;
  }

  /** All that waits, which waits no more; null where it is too much to be held. */
  take(): ThreadRow[] | null {
    const all = [...this.#rows.values()];
    this.clear();
    const rows = all.filter((row) => row !== null);
    return rows.length === all.length ? rows : null;
  }
}
