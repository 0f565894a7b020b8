// Changes that arrived while a request was under way, whose answer may not know of them; the list applies them after it.
import type { ThreadRow } from '../../generated/ThreadRow';

export class ConcurrentChanges {
  /** Rows as they became; null where one is gone. */
  readonly #changes = new Map<number, ThreadRow | null>();
  #requests = 0;

  /** Records changes until `answer` is there. */
  async during<T>(answer: Promise<T>): Promise<T> {
    if (this.#requests === 0) this.#changes.clear();
    this.#requests += 1;
    try {
      return await answer;
    } finally {
      this.#requests -= 1;
    }
  }

  get recording(): boolean {
    return this.#requests > 0;
  }

  record(rows: readonly ThreadRow[], gone: readonly number[]): void {
    if (!this.recording) return;
    for (const row of rows) this.#changes.set(row.id, row);
    for (const id of gone) this.#changes.set(id, null);
  }

  get recorded(): { rows: ThreadRow[]; gone: number[] } {
    const all = [...this.#changes];
    return { rows: all.flatMap(([, row]) => row ?? []), gone: all.flatMap(([id, row]) => (row ? [] : id)) };
  }
}
