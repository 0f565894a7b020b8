// What a screen reader is told without asking: at most one sentence in five seconds, the newest wins.

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
