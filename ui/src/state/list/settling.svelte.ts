// The moment in which the rows of a list make room, because one has left or moved up.

/** The length of the animation, ms. */
const ANIMATION = 160;

export class Settling {
  /** Whether rows move to their new places with an animation. */
  on = $state(false);
  /** The threads that have just moved up. */
  arriving: ReadonlySet<number> = $state.raw(new Set());
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(arriving: readonly number[] = []): void {
    this.on = true;
    this.arriving = new Set(arriving);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), ANIMATION);
  }

  /** Ends the animation at once: the rows of another list do not move from where those of the former one were. */
  end(): void {
    this.on = false;
    this.arriving = new Set();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
