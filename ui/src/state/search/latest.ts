// Asks at once for what is wanted now, without waiting for a pause in the typing: while two answers are awaited only the
// last of several wishes is remembered, and asked for after them.

/** One that takes long does not hold up the next one. */
const MOST = 2;

export class Latest {
  #next: (() => Promise<void>) | null = null;
  #awaited = 0;

  /** `ask` deals with its own failures, and with an answer to what is not wanted any more. */
  want(ask: () => Promise<void>): void {
    this.#next = ask;
    this.#go();
  }

  /** Nothing is wanted any more. */
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
