// The short sentence at the bottom of the window, and the last twenty actions that can be undone.

/** How long a sentence is shown, ms. */
const STAY = 6_000;
/** How long one is shown that nobody waits for: a failure, or another unasked sentence of the program. */
const UNASKED_STAY = 20_000;
const UNDOS = 20;
/** The age from which an action is forgotten, ms. Then a sentence first names the action that would be undone. */
const FORGOTTEN = 60_000;

/** Takes an action back: its id in the program's undo log, or a function. */
export type Undo = number | (() => Promise<void>);

/** An action that can be undone: the sentence about it, and the one that is shown once it is undone. */
export interface Undoable {
  readonly undo: Undo;
  readonly text: string;
  readonly undone: string;
}

export interface SnackbarMessage {
  readonly text: string;
  /** Whether an Undo button is beside it. */
  readonly undo: boolean;
  /** Whether it came unasked, and is shown for longer. */
  readonly unasked?: boolean;
}

export class Snackbar {
  current: SnackbarMessage | null = $state.raw(null);
  /** The actions that can be undone, and when a sentence about each was last shown. */
  readonly #undos: { readonly action: Undoable; at: number }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held = false;

  /** `now` also goes on while the computer sleeps. */
  constructor(private readonly now: () => number) {}

  show(message: SnackbarMessage): void {
    clearTimeout(this.#timer);
    this.current = message;
    if (!this.#held) this.#start();
  }

  /** Records an undo without showing anything. */
  remember(action: Undoable): void {
    this.#undos.push({ action, at: this.now() });
    if (this.#undos.length > UNDOS) this.#undos.shift();
  }

  /** The newest action that can be undone. */
  get newest(): Undoable | null {
    return this.#undos.at(-1)?.action ?? null;
  }

  /** Removes and returns the newest action that can be undone. */
  takeUndo(): Undoable | null {
    return this.#undos.pop()?.action ?? null;
  }

  /** Whether the reader may have forgotten the newest action; false once its sentence was shown again. */
  recall(): boolean {
    const newest = this.#undos.at(-1);
    if (!newest || this.now() - newest.at < FORGOTTEN) return false;
    newest.at = this.now();
    return true;
  }

  /** Keeps the sentence while it is hovered or focused. */
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
    this.#timer = setTimeout(() => this.dismiss(), this.current?.unasked ? UNASKED_STAY : STAY);
  }
}
