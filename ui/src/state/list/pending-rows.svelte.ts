// Rows that would come in or move up at the top of a list that is being read: they wait until the reader goes there. Beyond 500 rows only ids are
// kept, and the list is requested again.
import type { ThreadRow } from '../../generated/ThreadRow';

const MOST = 500;

export class PendingRows {
  count = $state(0);
  /** The waiting rows by id; null where only the id is kept. */
  readonly #rows = new Map<number, ThreadRow | null>();

  has(id: number): boolean {
    return this.#rows.has(id);
  }

  add(row: ThreadRow): void {
    this.#rows.set(row.id, this.#rows.size < MOST ? row : null);
    this.count = this.#rows.size;
  }

  remove(id: number): void {
    this.#rows.delete(id);
    this.count = this.#rows.size;
  }

  clear(): void {
    this.#rows.clear();
    this.count = 0;
  }

  /** Removes and returns all rows; null where some are kept as ids only. */
  take(): ThreadRow[] | null {
    const all = [...this.#rows.values()];
    this.clear();
    const rows = all.filter((row) => row !== null);
    return rows.length === all.length ? rows : null;
  }
}
