// The short sentence at the bottom of the window, and the last twenty actions that can be undone.

/** How long a sentence stays, ms. */
const STAY = 6000;
const UNDOS = 20;

/** What takes an action back: its number in the program's undo log, or a function. */
export type Undo = number | (() => Promise<void>);

export interface SnackbarMessage {
  readonly text: string;
  /** Whether an Undo button stands beside it. */
  readonly undo: boolean;
}

export class Snackbar {
  current: SnackbarMessage | null = $state.raw(null);
  readonly #undos: Undo[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held = false;

  show(message: SnackbarMessage): void {
    clearTimeout(this.#timer);
    this.current = message;
    if (!this.#held) this.#start();
  }

  /** Keeps a way back without showing anything. */
  remember(undo: Undo | null): void {
    if (undo === null) return;
    this.#undos.push(undo);
    if (this.#undos.length > UNDOS) this.#undos.shift();
  }

  /** Removes and returns the newest action that can be undone. */
  takeUndo(): Undo | null {
    return this.#undos.pop() ?? null;
  }

  /** It stays while it is hovered or focused. */
  hold(on: boolean): void {
    this.#held = on;
    clearTimeout(this.#timer);
    if (!on && this.current) this.#start();
  }

  dismiss(): void {
    clearTimeout(this.#timer);
    this.#held = false;
    this.current = null;
  }

  #start(): void {
    this.#timer = setTimeout(() => this.dismiss(), STAY);
  }
}
