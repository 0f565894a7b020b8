// Actions that use the desktop's file dialogs, and their results.
import type { FileResult } from '../../../generated/FileResult';
import { i18n } from '../../../i18n/i18n.svelte';
import type { Stores } from '../../../state/stores';

/** Shows the result of such an action; nothing if the dialog was cancelled. */
export function withFile({ feedback }: Stores, ask: () => Promise<FileResult | null>): Promise<void> {
  return feedback.attempt(async () => {
    const done = await ask();
    if (done) feedback.show(i18n.t.fileAt(done.text, done.path));
  });
}
