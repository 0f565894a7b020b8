// Until when toasts are paused, as text.
import type { Lang } from '../../generated/Lang';
import type { Strings } from '../../i18n/en';
import { moment } from '../../i18n/times';

/** None where they are not; `until` in ms since 1970, 0 until switched on again. */
export function pauseText(until: number | null, today: number, lang: Lang, t: Strings): string | null {
  if (until === null) return null;
  return until === 0 ? t.quiet : t.quietUntil(moment(until, today, lang));
}
