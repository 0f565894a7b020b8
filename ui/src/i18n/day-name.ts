// The name of a day that is not to come: today, yesterday, a weekday or a date.
import { i18n } from './i18n.svelte';
import { dayOf, shortDate, weekday } from './times';

/** `within` names the other days of this week. */
export function dayName(ms: number, today: number, within = weekday): string {
  const day = dayOf(ms, today);
  if (day === 'today' || day === 'yesterday') return i18n.t[day];
  return day === 'week' ? within(ms, i18n.lang) : shortDate(ms, today, i18n.lang);
}
