// Takes what a search that finds nothing may have meant, the likeliest by default.
import type { Correction } from '../../generated/Correction';
import type { Stores } from '../../state/stores';

/** Searches for the correction; the field has the focus then. */
export function correct({ router, search }: Stores, taken: Correction | undefined = search.corrections[0]): void {
  if (taken === undefined) return;
  router.searchFor(taken.query);
  search.focusRequests += 1;
}
