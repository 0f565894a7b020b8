// What is typed from the moment in which a conversation is opened for writing until its composer is on screen.

export class TypeAhead {
  /** The conversation whose composer is awaited; null while none is. */
  thread: number | null = $state(null);
  #text = '';

  await(thread: number): void {
    this.thread = thread;
    this.#text = '';
  }

  type(character: string): void {
    this.#text += character;
  }

  /** Ends the wait for a conversation, and returns what was typed; null if it was not awaited. */
  take(thread: number): string | null {
    if (this.thread !== thread) return null;
    this.thread = null;
    return this.#text;
  }

  cancel(): void {
    this.thread = null;
  }
}
