// The text of the live region for screen readers: at most one sentence in five seconds; of several, the newest.

const PAUSE = 5000;

export class Announcer {
  text = $state('');
  #next: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  announce(text: string): void {
    if (this.#timer !== undefined) {
      this.#next = text;
      return;
    }
    this.text = text;
    this.#timer = setTimeout(() => this.#pass(), PAUSE);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #pass(): void {
    this.#timer = undefined;
    const next = this.#next;
    this.#next = null;
    if (next !== null && next !== this.text) this.announce(next);
  }
}
