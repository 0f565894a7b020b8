// What the reader is told: a snackbar for the eye and the same sentence for screen readers.
import { i18n } from '../../i18n/i18n.svelte';
import { Announcer } from './announcer.svelte';
import { Snackbar, type Undo } from './snackbar.svelte';

/** The text of an `IpcError`; for any other failure a general sentence. */
export function errorText(error: unknown): string {
  return typeof error === 'object' && error !== null && 'text' in error ? String(error.text) : i18n.t.failed;
}

export class Feedback {
  readonly snackbar = new Snackbar();
  readonly announcer = new Announcer();

  /** Only for screen readers. */
  announce(text: string): void {
    this.announcer.announce(text);
  }

  show(text: string): void {
    if (text === '') return;
    this.snackbar.show({ text, undo: false });
    this.announce(text);
  }

  /** Says what was done; `undo` takes it back. */
  done(text: string, undo: Undo | null): void {
    this.snackbar.remember(undo);
    this.snackbar.show({ text, undo: undo !== null });
    this.announce(text);
  }

  readonly fail = (error: unknown): void => {
    this.show(errorText(error));
  };

  stop(): void {
    this.snackbar.dismiss();
    this.announcer.stop();
  }
}
