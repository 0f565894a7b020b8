// A time in Chinese words: "明天下午", "周五 9点", "下周一上午", "12月3日", "半小时后". The Chinese of chrono reads "周五下午" as today and
// "下周三" from Sunday as a week too late. So a small grammar of our own reads a day, then a time of the day.
import { hours, sinceMonday, timeOn } from './days';

const DIGITS = '零一二三四五六七八九';
const MINUTE = 60_000;

/** The value of a Chinese number below 100. */
function numeral(text: string): number {
  const digit = (one: string | undefined, none: number) => (one ? DIGITS.indexOf(one.replace('两', '二')) : none);
  const [tens, ones] = text.split('十');
  if (ones === undefined) return [...text].reduce((sum, one) => sum * 10 + digit(one, 0), 0);
  return digit(tens, 1) * 10 + digit(ones, 0);
}

/** The text without spaces, its weekdays as digits after 周 and its numbers as digits. */
function plain(typed: string): string {
  return typed
    .replaceAll(/[\s,，。的]/g, '')
    .replaceAll(
      /(?:星期|礼拜|周)([一二三四五六日天])(?!后|之后|以后)/g,
      (_, day: string) => `周<${'一二三四五六日天'.indexOf(day)}>`,
    )
    .replaceAll(/星期|礼拜/g, '周')
    .replaceAll(/[零一二两三四五六七八九十]+/g, (number) => String(numeral(number)));
}

/** The part of a text that was read, and the rest. */
interface Read<T> {
  readonly value: T;
  readonly rest: string;
}

function take<T>(text: string, pattern: RegExp, value: (found: RegExpExecArray) => T | null): Read<T> | null {
  const found = pattern.exec(text);
  const got = found && value(found);
  return found && got !== null ? { value: got as T, rest: text.slice(found[0].length) } : null;
}

const UNITS: Record<string, number> = { 小时: 60, 钟头: 60, 分钟: 1, 分: 1, 刻钟: 15 };

/** A length of time: "半小时后", "1个半小时", "3小时20分钟后", in minutes. */
function minutes(text: string): number | null {
  const found = /^(?:再?过)?((?:(?:\d+(?:\.\d+)?|半)个?半?(?:小时|钟头|分钟|刻钟|分)半?)+)(?:之后|以后|后)?$/.exec(
    text,
  );
  if (!found?.[1]) return null;
  let sum = 0;
  for (const [, count, half, unit = '', halfAfter] of found[1].matchAll(
    /(\d+(?:\.\d+)?|半)个?(半?)(小时|钟头|分钟|刻钟|分)(半?)/g,
  )) {
    const number = (count === '半' ? 0.5 : Number(count)) + (half || halfAfter ? 0.5 : 0);
    sum += number * (UNITS[unit] ?? 1);
  }
  return sum;
}

/** The days from that of `now` to a date; null if there is no such date. */
function daysTo(now: number, year: number, month: number, day: number): number | null {
  const date = new Date(year, month, day, 12);
  if (date.getDate() !== day) return null;
  return Math.round((date.getTime() - timeOn(now, 0, 12)) / 86_400_000);
}

/** A day and a month, of this year or the next; or a day of this month or the next. */
function coming(now: number, month: number | null, day: number): number | null {
  const today = new Date(now);
  const here = daysTo(now, today.getFullYear(), month ?? today.getMonth(), day);
  if (here !== null && here >= 0) return here;
  return month === null
    ? daysTo(now, today.getFullYear(), today.getMonth() + 1, day)
    : daysTo(now, today.getFullYear() + 1, month, day);
}

function weekday(now: number, which: string, day: number): number {
  const monday = -sinceMonday(now);
  if (which === '') return (day + monday + 7) % 7;
  return monday + day + 7 * (which.startsWith('下') ? which.replace('个', '').length : 0);
}

/** What begins a text as a day, in days from today. `bare` is a weekday that may be a week later. */
interface Day {
  readonly days: number | null;
  readonly bare?: boolean;
  /** Whether the day has this time of the day without another. */
  readonly sameTime?: boolean;
}

function inMonths(now: number, months: number): number | null {
  const today = new Date(now);
  const last = new Date(today.getFullYear(), today.getMonth() + months + 1, 0).getDate();
  return daysTo(now, today.getFullYear(), today.getMonth() + months, Math.min(today.getDate(), last));
}

/** The days to the last day of a month. */
function monthEnd(now: number, months: number): number {
  const today = new Date(now);
  const end = new Date(today.getFullYear(), today.getMonth() + months + 1, 0, 12);
  return Math.round((end.getTime() - timeOn(now, 0, 12)) / 86_400_000);
}

const NAMED: Record<string, number> = { 今: 0, 明: 1, 后: 2, 大后: 3 };

function dayOf(text: string, now: number): Read<Day> | null {
  const today = new Date(now);
  return (
    take<Day>(text, /^(大后|今|明|后)(?:天|日|(?=早|晚))/, ([, name = '']) => ({ days: NAMED[name] ?? null })) ??
    take<Day>(text, /^(\d+)(?:个?)(天|日|周|月)(?:之后|以后|后)/, ([, count = '', unit]) => ({
      days: unit === '月' ? inMonths(now, Number(count)) : Number(count) * (unit === '周' ? 7 : 1),
      sameTime: true,
    })) ??
    take<Day>(text, /^(下+个?|这个?|本|)周(?:<(\d)>|(末))/, ([, which = '', day, weekend]) => ({
      days: weekday(now, which, weekend ? 5 : Math.min(Number(day), 6)),
      bare: which === '',
    })) ??
    take<Day>(text, /^下个?周/, () => ({ days: weekday(now, '下', 0) })) ??
    take<Day>(text, /^(下个?|本|这个?|)月(?:底|末)/, ([, which = '']) => ({
      days: monthEnd(now, which.startsWith('下') ? 1 : 0),
    })) ??
    take<Day>(text, /^下个?月(?:(\d+)[日号]?)?/, ([, day]) => ({
      days: day ? daysTo(now, today.getFullYear(), today.getMonth() + 1, Number(day)) : inMonths(now, 1),
    })) ??
    take<Day>(text, /^(\d{4})[年/-](\d+)[月/-](\d+)[日号]?/, ([, year, month, day]) => ({
      days: daysTo(now, Number(year), Number(month) - 1, Number(day)),
    })) ??
    take<Day>(text, /^(\d+)月(\d+)[日号]?/, ([, month, day]) => ({
      days: coming(now, Number(month) - 1, Number(day)),
    })) ??
    take<Day>(text, /^(\d+)[日号]/, ([, day]) => ({ days: coming(now, null, Number(day)) }))
  );
}

const PARTS: Record<string, number> = {
  凌晨: hours.dawn,
  清晨: hours.dawn,
  早上: hours.morning,
  早晨: hours.morning,
  早: hours.morning,
  上午: hours.morning,
  中午: hours.noon,
  下午: hours.afternoon,
  傍晚: 18,
  晚上: hours.evening,
  晚: hours.evening,
  夜里: hours.evening,
};
const CLOCK = new RegExp(
  `^(${Object.keys(PARTS).join('|')})?(?:(\\d{1,2})(?::(\\d{2})|[点时](?:(半)|(\\d)刻|(\\d{1,2})分?|整|钟)?))?$`,
);

/** A time of the day in minutes; null if the text is none. 24 is the next midnight. */
function clock(text: string): number | null {
  const [all, part = '', hour, colon, half, quarters, spoken] = CLOCK.exec(text) ?? [];
  if (!all) return null;
  const base = PARTS[part];
  if (hour === undefined) return base === undefined ? null : base * 60;
  const afterNoon = base !== undefined && base >= hours.noon;
  let at = Number(hour);
  if (afterNoon && at < 12 && !(part === '中午' && at > 9)) at += 12;
  else if (base === hours.evening && at === 12) at = 24;
  else if (base === hours.dawn && at === 12) at = 0;
  const minute = half ? 30 : Number(quarters ?? 0) * 15 + Number(colon ?? spoken ?? 0);
  return at > 24 || minute > 59 ? null : at * 60 + minute;
}

/** The time in ms since 1970, which may be past; null if the text means none. */
export function readChinese(typed: string, now: number): number | null {
  const text = plain(typed);
  const length = minutes(text);
  if (length !== null) return now + length * MINUTE;
  const day = dayOf(text, now);
  const rest = day ? day.rest : text;
  if (day && day.value.days === null) return null;
  const days = day?.value.days ?? 0;
  if (rest === '' && day?.value.sameTime) {
    const then = new Date(now);
    return timeOn(now, days, then.getHours(), then.getMinutes());
  }
  const minute = rest === '' && day ? hours.morning * 60 : clock(rest);
  if (minute === null) return null;
  const at = timeOn(now, days, 0, minute);
  if (at > now) return at;
  if (day?.value.bare) return timeOn(now, days + 7, 0, minute);
  return day ? at : timeOn(now, 1, 0, minute);
}
