/** The number of threads that a search found. */
import { i18n } from '../../i18n/i18n.svelte';

export function resultCount({ total, atLeast }: { total: number; atLeast: boolean }): string {
  return atLeast ? i18n.t.resultCountMany(total) : i18n.t.resultCount(total);
}
