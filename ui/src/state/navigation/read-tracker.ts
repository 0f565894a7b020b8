// What the reader has looked at for a moment: rows that are on screen are seen, a thread that stays is read.

/** The moment, ms. */
const MOMENT = 600;

export class ReadTracker {
  readonly #rows = new Set<number>();
  readonly #seen: (rows: readonly number[]) => void;
  #seeing: ReturnType<typeof setTimeout> | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;

  /** `seen` is told of rows that were on screen while someone looked. */
  constructor(seen: (rows: readonly number[]) => void) {
    this.#seen = seen;
  }

  /** These rows are on screen. */
  show(rows: readonly number[]): void {
    for (const id of rows) this.#rows.add(id);
    if (this.#seeing !== undefined) return;
    this.#seeing = setTimeout(() => {
      this.#seeing = undefined;
      if (!document.hasFocus()) return;
      const seen = [...this.#rows];
      this.#rows.clear();
      this.#seen(seen);
    }, MOMENT);
  }

  /** Does something if the reader stays where it is. */
  rest(stayed: () => void): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(stayed, MOMENT);
  }

  move(): void {
    clearTimeout(this.#resting);
  }

  stop(): void {
    this.leave();
    clearTimeout(this.#seeing);
  }

  /** Another list is shown: what was on screen there is forgotten. */
  leave(): void {
    this.move();
    this.#rows.clear();
  }
}
