// Changes that arrive during a request, whose answer may lack them; the list applies them after the answer.
import type { ThreadRow } from '../../generated/ThreadRow';

export class ConcurrentChanges {
  /** The changed rows by id; null if a thread is gone. */
  readonly #changes = new Map<number, ThreadRow | null>();
  #requests = 0;

  /** Records changes until `answer` settles. */
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
