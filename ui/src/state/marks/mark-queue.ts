// Sends marks one after the other: the program handles requests concurrently, and the last mark has to win. Settings
// are sent the same way.

export class MarkQueue {
  #last: Promise<unknown> | null = null;

  /** Sends a mark once every earlier one is answered; at once if none is under way. */
  send<T>(ask: () => Promise<T>): Promise<T> {
    const sent = this.#last === null ? ask() : this.#last.then(ask, ask);
    this.#last = sent;
    const settled = () => {
      if (this.#last === sent) this.#last = null;
    };
    sent.then(settled, settled);
    return sent;
  }

  /** Resolves once all sent marks are answered, after the callers that waited for those answers. */
  async idle(): Promise<void> {
    while (this.#last !== null) await this.#last.catch(() => {});
  }
}
