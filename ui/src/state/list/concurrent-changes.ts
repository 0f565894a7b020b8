// What changed while answers were under way that may not know of it. Applies nothing by itself.
import type { ThreadRow } from '../../generated/ThreadRow';

export class ConcurrentChanges {
  /** Rows as they became; null where one is gone. */
  readonly #heard = new Map<number, ThreadRow | null>();
  #asks = 0;

  /** While an answer is awaited, what changes is remembered, to be applied after it. */
  async during<T>(answer: Promise<T>): Promise<T> {
    if (this.#asks === 0) this.#heard.clear();
    this.#asks += 1;
    try {
      return await answer;
    } finally {
      this.#asks -= 1;
    }
  }

  /** An answer is under way. */
  get asking(): boolean {
    return this.#asks > 0;
  }

  hear(rows: readonly ThreadRow[], gone: readonly number[]): void {
    if (!this.asking) return;
    for (const row of rows) this.#heard.set(row.id, row);
    for (const id of gone) this.#heard.set(id, null);
  }

  get heard(): { rows: ThreadRow[]; gone: number[] } {
    const rows: ThreadRow[] = [];
    const gone: number[] = [];
    for (const [id, row] of this.#heard) {
      if (row) rows.push(row);
      else gone.push(id);
    }
    return { rows, gone };
  }
}
