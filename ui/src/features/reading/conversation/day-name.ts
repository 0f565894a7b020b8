// The name of the day of a message: today, yesterday, a weekday or a date.
import { i18n } from '../../../i18n/i18n.svelte';
import { dayOf, shortDate, weekday } from '../../../i18n/times';

export function dayName(time: number, today: number): string {
  switch (dayOf(time, today)) {
    case 'today':
      return i18n.t.today;
    case 'yesterday':
      return i18n.t.yesterday;
    case 'week':
      return weekday(time, i18n.lang);
    default:
      return shortDate(time, today, i18n.lang);
  }
}
