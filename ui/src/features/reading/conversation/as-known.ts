// The age of an answer from the replica, for when the server cannot be asked.
import { i18n } from '../../../i18n/all';
import { moment } from '../../../i18n/times';
import type { Stores } from '../../../state/stores';

/** The note that the answer is that of the last pull; null while the server can be asked. */
export function asKnown(stores: Stores): string | null {
  if (!stores.reading.view?.composer?.waiting) return null;
  const at = stores.status.sync?.last_pull ?? null;
  return i18n.t.asKnown(at === null ? null : moment(at, stores.clock.today, i18n.lang));
}
