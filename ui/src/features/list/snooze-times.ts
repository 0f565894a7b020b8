// The times that snoozing offers, in local time.

const HOUR = 3_600_000;
/** The hour of the morning, and the hours that "later today" may mean. */
const MORNING = 8;
const LATER = [13, 18, 21];

export interface Choices {
  /** The first of today's hours that is at least an hour away; null where there is none. */
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
  return { later, tomorrow: at(now, 1, MORNING), nextWeek: at(now, toMonday, MORNING) };
}

/** The value for a `datetime-local` field. */
export function localValue(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The time in ms since 1970; null where the text is no time. */
export function parseLocal(text: string): number | null {
  const ms = new Date(text.trim().replace(' ', 'T')).getTime();
  return Number.isNaN(ms) ? null : ms;
}
