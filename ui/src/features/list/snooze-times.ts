// The times that snoozing offers, in local time.

const HOUR = 3_600_000;
/** The hour of the morning, and the hours that "later today" may mean. */
const MORNING = 8;
const LATER = [13, 18, 21];

export interface Choices {
  readonly inAnHour: number;
  /** The first of today's hours that is at least an hour away; null if there is none. */
  readonly later: number | null;
  readonly tomorrow: number;
  /** The morning of the next Monday; on a Monday, a week later. */
  readonly nextWeek: number;
}

function at(now: number, days: number, hour: number): number {
  const date = new Date(now);
  date.setDate(date.getDate() + days);
  return date.setHours(hour, 0, 0, 0);
}

/** The offered times, in ms since 1970. */
export function choices(now: number): Choices {
  const later = LATER.map((hour) => at(now, 0, hour)).find((time) => time - now >= HOUR) ?? null;
  const toMonday = 7 - ((new Date(now).getDay() + 6) % 7);
  return { inAnHour: now + HOUR, later, tomorrow: at(now, 1, MORNING), nextWeek: at(now, toMonday, MORNING) };
}
