// The beginning of a digest in words: 09:41 today, "yesterday 18:20", else its day and time.
import { i18n } from '../../i18n/i18n.svelte';
import { clockTime, dayOf, moment } from '../../i18n/times';

export function sinceText(ms: number, today: number): string {
  if (dayOf(ms, today) !== 'yesterday') return moment(ms, today, i18n.lang);
  return i18n.t.yesterdayAt(clockTime(ms, i18n.lang));
}
