// Quiet hours as text.
import type { QuietHours } from '../../../generated/QuietHours';
import { i18n } from '../../../i18n/all';
import { longDay, minutesAsTime, weekday } from '../../../i18n/times';

/** Any Monday, for the names of days. */
const MONDAY = [2026, 0, 5] as const;

/** The quiet hours that a new form starts with: every night, and only urgent items pass. */
export function usualNight(): QuietHours {
  return {
    on: true,
    days: [true, true, true, true, true, true, true],
    from: 22 * 60,
    to: 7 * 60,
    passes: 5,
    only: [],
    ended_until: null,
    calendar: null,
  };
}

/** Quiet hours of a calendar whose address is not there yet. */
export const ofCalendar = (): QuietHours => ({ ...usualNight(), calendar: '' });

/** The host of a calendar's address, which may be a secret as a whole; empty for none. */
function hostOf(address: string): string {
  return URL.parse(address.trim().replace(/^webcal:/i, 'https:'))?.host ?? '';
}

function midnight(day: number): number {
  const [year, month, date] = MONDAY;
  return new Date(year, month, date + day).getTime();
}

/** The short name of a day, Monday first. */
export function dayName(day: number): string {
  return weekday(midnight(day), i18n.lang);
}

export function dayFull(day: number): string {
  return longDay(midnight(day), i18n.lang);
}

export function formatDays(days: readonly boolean[]): string {
  const on = days.flatMap((is, day) => (is ? [day] : []));
  const first = on[0];
  const last = on.at(-1);
  if (first === undefined || last === undefined) return i18n.t.noDay;
  if (on.length === 7) return i18n.t.everyDay;
  const joined = last - first + 1 === on.length;
  if (joined && first === 0 && on.length === 5) return i18n.t.weekdays;
  if (joined && first === 5 && on.length === 2) return i18n.t.weekends;
  if (joined && on.length > 2) return i18n.t.dayRange(dayName(first), dayName(last));
  return i18n.t.dayList(on.map(dayName));
}

/** The summary: "Weekdays, 22:00–07:00 the next day". */
export function quietSummary(quiet: QuietHours): string {
  if (quiet.calendar !== null) return i18n.t.quietWhileBusy(hostOf(quiet.calendar));
  const clock = (minutes: number) => minutesAsTime(minutes, i18n.lang);
  const hours = i18n.t.hours(clock(quiet.from), clock(quiet.to), quiet.to <= quiet.from);
  return i18n.t.quietSummary(formatDays(quiet.days), hours);
}
