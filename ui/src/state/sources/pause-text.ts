// The text that says until when toasts are paused.
import type { Lang } from '../../generated/Lang';
import type { Strings } from '../../i18n/en';
import { moment } from '../../i18n/times';

/** The text for `until` in ms since 1970, 0 until switched on again; null if toasts are not paused. */
export function pauseText(until: number | null, today: number, lang: Lang, t: Strings): string | null {
  if (until === null) return null;
  return until === 0 ? t.quiet : t.quietUntil(moment(until, today, lang));
}
