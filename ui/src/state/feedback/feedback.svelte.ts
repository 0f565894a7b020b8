// Messages to the reader: a snackbar, and the same sentence announced to screen readers.
import { i18n } from '../../i18n/i18n.svelte';
import { Announcer } from './announcer.svelte';
import { Snackbar, type Undo } from './snackbar.svelte';

/** The text of an `IpcError`; for any other failure a general sentence. */
export function errorText(error: unknown): string {
  return typeof error === 'object' && error !== null && 'text' in error ? String(error.text) : i18n.t.failed;
}

/** Whether the program could not read what was asked of it, such as a query, and says why. */
export function isInvalid(error: unknown): error is { text: string } {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'invalid' && 'text' in error;
}

export class Feedback {
  readonly snackbar: Snackbar;
  readonly announcer = new Announcer();

  constructor(now: () => number) {
    this.snackbar = new Snackbar(now);
  }

  /** Announces a text to screen readers only. */
  announce(text: string): void {
    this.announcer.announce(text);
  }

  show(text: string): void {
    if (text === '') return;
    this.snackbar.show({ text, undo: false });
    this.announce(text);
  }

  /** Shows the result of an action; `undo` takes the action back, and `undone` is the sentence about that. */
  done(text: string, undo: Undo | null, undone = i18n.t.undone(text)): void {
    if (undo === null) this.show(text);
    else {
      this.snackbar.remember({ undo, text, undone });
      this.offerUndo(text);
    }
  }

  /** Shows a text with the button that undoes the newest action. */
  offerUndo(text: string): void {
    this.snackbar.show({ text, undo: true });
    this.announce(text);
  }

  /** Shows what nobody waits for, such as a failure. */
  showUnasked(text: string): void {
    if (text === '') return;
    this.snackbar.show({ text, undo: false, unasked: true });
    this.announce(text);
  }

  readonly fail = (error: unknown): void => {
    this.showUnasked(errorText(error));
  };

  /** Does something, and shows why it failed if it does. */
  async attempt(what: () => Promise<void>): Promise<void> {
    try {
      await what();
    } catch (error) {
      this.fail(error);
    }
  }

  stop(): void {
    this.snackbar.dismiss();
    this.announcer.stop();
  }
}
