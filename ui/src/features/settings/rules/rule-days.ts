// How many notifications a rule acted on, for each of the last days.
import type { RuleDay } from '../../../generated/RuleDay';
import { i18n } from '../../../i18n/i18n.svelte';
import { dayOf, longDay, shortDate } from '../../../i18n/times';

/** In one line: today and in all; null if there was nothing. */
export function didText(rule: number, days: readonly RuleDay[], today: number): string | null {
  const own = days.filter((day) => day.rule === rule);
  const sum = (some: readonly RuleDay[]) => some.reduce((all, day) => all + day.items, 0);
  const all = sum(own);
  return all === 0 ? null : i18n.t.ruleDid(sum(own.filter((day) => day.at >= today)), all);
}

/** A day by its name: Today, Yesterday, Wednesday, 13 Nov. */
export function dayName(at: number, today: number): string {
  const day = dayOf(at, today);
  if (day === 'today' || day === 'yesterday') return i18n.t[day];
  return day === 'week' ? longDay(at, i18n.lang) : shortDate(at, today, i18n.lang);
}
