// The times that snoozing offers, in local time.

const HOUR = 3_600_000;
/** When the day begins, and the hours that "later today" may mean. */
const MORNING = 8;
const LATER = [13, 18, 21];

export interface Choices {
  /** None where the day is too old. */
  readonly later: number | null;
  readonly tomorrow: number;
  /** The next Monday that is not tomorrow's choice already past. */
  readonly nextWeek: number;
}

function at(now: number, days: number, hour: number): number {
  const date = new Date(now);
  date.setDate(date.getDate() + days);
  return date.setHours(hour, 0, 0, 0);
}

/** All in ms since 1970. */
export function choices(now: number): Choices {
  const later = LATER.map((hour) => at(now, 0, hour)).find((time) => time - now >= HOUR) ?? null;
  const toMonday = 7 - ((new Date(now).getDay() + 6) % 7);
  return { later, tomorrow: at(now, 1, MORNING), nextWeek: at(now, toMonday, MORNING) };
}

/** As a field of date and time has it. */
export function localValue(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** ms since 1970; none where the text is no time. */
export function parseLocal(text: string): number | null {
  const ms = new Date(text.trim().replace(' ', 'T')).getTime();
  return Number.isNaN(ms) ? null : ms;
}
