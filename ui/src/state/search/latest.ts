// Sends requests while the reader types, without waiting for a pause: at most two at once; of those requested meanwhile
// only the newest is sent after them.

/** The bound of requests under way; with two, a slow one does not hold up the next. */
const MOST = 2;

export class Latest {
  #next: (() => Promise<void>) | null = null;
  #awaited = 0;

  /** Sends a request, now or later. `ask` handles its own failures, and outdated answers. */
  want(ask: () => Promise<void>): void {
    this.#next = ask;
    this.#go();
  }

  /** Drops the waiting request. */
  drop(): void {
    this.#next = null;
  }

  #go(): void {
    const ask = this.#next;
    if (ask === null || this.#awaited >= MOST) return;
    this.#next = null;
    this.#awaited += 1;
    void ask().finally(() => {
      this.#awaited -= 1;
      this.#go();
    });
  }
}
