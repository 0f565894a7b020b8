// The one short sentence at the bottom, and what can be taken back: the last twenty actions.

/** How long a sentence stays, ms. */
const STAY = 6000;
const UNDOS = 20;

/** What takes an action back: its number with the program, or what is to be done. */
export type Undo = number | (() => Promise<void>);

export interface SnackbarMessage {
  readonly text: string;
  /** Whether Undo stands beside it. */
  readonly undo: boolean;
}

export class Snackbar {
  current: SnackbarMessage | null = $state.raw(null);
  readonly #undos: Undo[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held = false;

  /** Says what was done, with the way back. */
  did(text: string, undo: Undo | null): void {
    this.keep(undo);
    this.#show({ text, undo: undo !== null });
  }

  tell(text: string): void {
    this.#show({ text, undo: false });
  }

  /** Remembers a way back without a word. */
  keep(undo: Undo | null): void {
    if (undo === null) return;
    this.#undos.push(undo);
    if (this.#undos.length > UNDOS) this.#undos.shift();
  }

  /** The newest action that can be taken back. */
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

  #show(snackbar: SnackbarMessage): void {
    clearTimeout(this.#timer);
    this.current = snackbar;
    if (!this.#held) this.#start();
  }

  #start(): void {
    this.#timer = setTimeout(() => this.dismiss(), STAY);
  }
}
