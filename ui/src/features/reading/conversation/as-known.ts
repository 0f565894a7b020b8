// What stands under an answer that a server was to be asked for: how old it is.
import { i18n } from '../../../i18n/i18n.svelte';
import { moment } from '../../../i18n/times';
import type { Page } from '../../../state/page.svelte';

/** Where nobody can be asked, the answer is that of the last pull. */
export function asKnown(page: Page): string | null {
  if (!page.reading.view?.composer?.waiting) return null;
  const at = page.sync?.last_pull ?? null;
  return i18n.t.asKnown(at === null ? null : moment(at, page.clock.today, i18n.lang));
}
