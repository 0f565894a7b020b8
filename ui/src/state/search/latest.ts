// Sends requests while one types, without waiting for a pause: at most two at once; of those that come meanwhile only
// the newest is sent after them.

/** A slow request does not hold up the next one. */
const MOST = 2;

export class Latest {
  #next: (() => Promise<void>) | null = null;
  #awaited = 0;

  /** `ask` handles its own failures, and answers that are outdated. */
  want(ask: () => Promise<void>): void {
    this.#next = ask;
    this.#go();
  }

  /** Drops the request that waits. */
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
