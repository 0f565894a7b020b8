// Days and hours that words of either language stand for, in local time.

/** The hours of the day's parts; the morning is also the hour of a day without a time. */
export const hours = { dawn: 6, morning: 8, noon: 12, afternoon: 15, evening: 20 } as const;

/** A time of the day that is `days` after that of `now`. A time that a clock leaves out is an hour later. */
export function timeOn(now: number, days: number, hour: number, minute = 0): number {
  const date = new Date(now);
  date.setDate(date.getDate() + days);
  return date.setHours(hour, minute, 0, 0);
}

/** The number of days from Monday to the day of `now`. */
export function sinceMonday(now: number): number {
  return (new Date(now).getDay() + 6) % 7;
}
