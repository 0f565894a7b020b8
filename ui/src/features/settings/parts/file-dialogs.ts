// What goes through the desktop's file dialogs, and what is said of it afterwards.
import type { FileResult } from '../../../generated/FileResult';
import { i18n } from '../../../i18n/i18n.svelte';
import type { Page } from '../../../state/page.svelte';

/** Says what came of it; nothing where the dialog was cancelled. */
export async function withFile(page: Page, ask: () => Promise<FileResult | null>): Promise<void> {
  try {
    const done = await ask();
    if (done) page.tell(i18n.t.fileAt(done.text, done.path));
  } catch (error) {
    page.fail(error);
  }
}
