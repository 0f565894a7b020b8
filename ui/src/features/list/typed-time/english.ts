// A time in English words, as chrono reads it; what is added: an hour alone, and the hours of days without a time.
import { casual, GB } from 'chrono-node/en';
import { monthFirst } from '../../../i18n/times';
import { hours, sinceMonday, timeOn } from './days';

type Result = ReturnType<typeof casual.parse>[number];

const PARTS: readonly [RegExp, number][] = [
  [/\bmorning\b/, hours.morning],
  [/\bafternoon\b/, hours.afternoon],
  [/\b(?:evening|night|tonight)\b/, hours.evening],
];
const FILLER = /\b(?:at|on|until|till|the)\b|[,.\s]/g;

/** The parts of a text that chrono read, if it read all of it. */
function whole(text: string, now: number): Result | null {
  const parser = monthFirst() ? casual : GB;
  const [result, second] = parser.parse(text, { instant: new Date(now) }, { forwardDate: true });
  if (!result || second || result.end) return null;
  const rest = text.slice(0, result.index) + text.slice(result.index + result.text.length);
  return rest.replaceAll(FILLER, '') === '' ? result : null;
}

/** "fri 9" and "9 fri" with their hour as a time. */
function withHour(text: string): string {
  return text.replace(/(^|\s)(\d{1,2})$/, '$1$2:00').replace(/^(\d{1,2})(?=\s+\p{L}{3})/u, '$1:00');
}

function isoDate(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The time in ms since 1970, which may be past; null if the text means none. */
export function readEnglish(typed: string, now: number): number | null {
  const monday = isoDate(timeOn(now, 7 - sinceMonday(now), hours.noon));
  const text = typed.replace(/\bnext week\b/, monday);
  const result = whole(text, now) ?? whole(withHour(text), now);
  if (!result) return null;
  const { start } = result;
  const time = start.date().getTime();
  if (start.isCertain('hour')) return time;
  const part = PARTS.find(([word]) => word.test(text))?.[1];
  // "in 2 days" is this time of the day.
  if (part === undefined && /^in\b|\b(?:from now|later)$/.test(text)) return time;
  const at = timeOn(time, 0, part ?? (/\bmidday\b/.test(text) ? hours.noon : hours.morning));
  const weekdayOnly = start.isCertain('weekday') && !start.isCertain('day');
  return weekdayOnly && at <= now ? timeOn(at, 7, new Date(at).getHours()) : at;
}
