// How many notifications a rule acted on, for each of the last days.
import type { RuleDay } from '../../../generated/RuleDay';
import { i18n } from '../../../i18n/all';

/** In one line: today and in all; null if there was nothing. */
export function didText(rule: number, days: readonly RuleDay[], today: number): string | null {
  const own = days.filter((day) => day.rule === rule);
  const sum = (some: readonly RuleDay[]) => some.reduce((all, day) => all + day.items, 0);
  const all = sum(own);
  return all === 0 ? null : i18n.t.ruleDid(sum(own.filter((day) => day.at >= today)), all);
}
