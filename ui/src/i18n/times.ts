// Times as text: the form depends on the distance from today and does not change as seconds pass.
import type { Lang } from '../generated/Lang';
import { i18n } from './i18n.svelte';

export type Day = 'today' | 'yesterday' | 'week' | 'earlier';

/** Locales whose clock is known without `Intl`: its first answer takes longer than the whole first list. */
const CLOCKS: readonly [hour12: boolean, locales: readonly string[]][] = [
  [true, ['en-US', 'en-CA', 'en-AU', 'en-IN', 'ko-KR']],
  [false, ['en-GB', 'zh-CN', 'de-DE', 'es-ES', 'fr-FR', 'it-IT', 'ja-JP', 'nl-NL', 'pl-PL', 'pt-BR', 'ru-RU', 'sv-SE']],
];

const knownClock = (locale: string) => CLOCKS.find(([, locales]) => locales.includes(locale))?.[0];

/** Whether a locale writes times with 12 hours. */
export function hasTwelveHours(locale: string): boolean {
  const asked = () => new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12;
  return knownClock(locale) ?? asked() ?? false;
}

/** The page's own locale; `Intl` makes a tag of what a desktop calls a language. */
function ownLocale(): string {
  const { language } = navigator;
  return knownClock(language) === undefined ? new Intl.DateTimeFormat().resolvedOptions().locale : language;
}

/** How the desktop writes times: with 12 hours or 24, and the locale of its calendar; the scripted page and tests set it. */
export const desktop = { hour12: hasTwelveHours(ownLocale()), locale: ownLocale() };

/** Adopts the clock format of the desktop's locale for times, which may differ from its locale for texts. */
export function writeTimesAs(locale: string): void {
  desktop.hour12 = hasTwelveHours(locale);
  desktop.locale = locale;
}

/** Whether the desktop writes a date in figures with the month first: 12/3 for 3 December. */
export function monthFirst(): boolean {
  const parts = new Intl.DateTimeFormat(desktop.locale, { day: 'numeric', month: 'numeric' }).formatToParts(0);
  return parts.find(({ type }) => type === 'day' || type === 'month')?.type === 'month';
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(lang: Lang, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${lang} ${name} ${desktop.hour12}`;
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat(lang === 'en' ? (desktop.hour12 ? 'en-US' : 'en-GB') : lang, options);
    formats.set(key, made);
  }
  return made;
}

/** Midnight at the beginning of the day of `ms`, local time. */
export function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

function daysBack(today: number, days: number): number {
  const date = new Date(today);
  date.setDate(date.getDate() - days);
  return date.getTime();
}

/** The beginnings of the days under the first three headings, newest first. */
export function dayStarts(today: number): { today: number; yesterday: number; week: number } {
  const sinceMonday = (new Date(today).getDay() + 6) % 7;
  const yesterday = daysBack(today, 1);
  return { today, yesterday, week: Math.min(daysBack(today, sinceMonday), yesterday) };
}

export function dayOf(ms: number, today: number): Day {
  const starts = dayStarts(today);
  if (ms >= starts.today) return 'today';
  if (ms >= starts.yesterday) return 'yesterday';
  return ms >= starts.week ? 'week' : 'earlier';
}

/** The time of day: 09:41, or 9:41 AM if the desktop uses 12 hours. What stands in rows is written without `Intl`. */
export function clockTime(ms: number, lang: Lang): string {
  const date = new Date(ms);
  const [hours, minutes] = [date.getHours(), String(date.getMinutes()).padStart(2, '0')];
  if (!desktop.hour12) return `${String(hours).padStart(2, '0')}:${minutes}`;
  return i18n.in(lang).halfDayTime(hours % 12, minutes, hours < 12);
}

/** A time of the day in minutes after midnight, as `clockTime` writes it: what a field for one shows. */
export function minutesAsTime(minutes: number, lang: Lang): string {
  return clockTime(new Date(2026, 0, 5, 0, minutes).getTime(), lang);
}

/** Minutes after midnight; null if the text is no time. Reads 22:00, 22.00, 22：00, 2200, 22, 10 pm, 10:00 p.m. and
 * 下午10:00, whatever the desktop writes. */
export function readMinutes(text: string): number | null {
  const found = /^(上午|下午|[ap]\.?m\.?)?\s*(\d{1,2})(?:[:.]?(\d{2}))?\s*([ap]\.?m\.?)?$/i.exec(
    text.normalize('NFKC').trim(),
  );
  if (!found) return null;
  const [, before, hourText, minuteText, after] = found;
  const half = (before ?? after)?.toLowerCase();
  let hour = Number(hourText);
  const minute = Number(minuteText ?? 0);
  if (half) {
    if (hour > 12 || (before && after)) return null;
    hour = (hour % 12) + (half.startsWith('p') || half === '下午' ? 12 : 0);
  }
  return minute < 60 && hour < 24 ? hour * 60 + minute : null;
}

/** The short weekday: Wed. */
export function weekday(ms: number, lang: Lang): string {
  return i18n.in(lang).weekdayName(new Date(ms).getDay());
}

/** The weekday: Thursday; 周四. */
export function longDay(ms: number, lang: Lang): string {
  return lang === 'en' ? format(lang, 'day', { weekday: 'long' }).format(ms) : weekday(ms, lang);
}

/** The weekday in a letter or two, over a column: M; 一. */
export function narrowDay(ms: number, lang: Lang): string {
  return format(lang, 'narrow', { weekday: lang === 'en' ? 'short' : 'narrow' })
    .format(ms)
    .slice(0, 2);
}

/** The month: November 2026. */
export function monthName(ms: number, lang: Lang): string {
  return format(lang, 'month', { month: 'long', year: 'numeric' }).format(ms);
}

/** The date in full: Friday, 27 November 2026. */
export function fullDate(ms: number, lang: Lang): string {
  return format(lang, 'date', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(ms);
}

/** The date: 13 Nov, or 13 Nov 2025 in another year. */
export function shortDate(ms: number, today: number, lang: Lang): string {
  const date = new Date(ms);
  const [day, month, year] = [date.getDate(), date.getMonth() + 1, date.getFullYear()];
  const t = i18n.in(lang);
  return year === new Date(today).getFullYear() ? t.dayAndMonth(day, month) : t.dayMonthYear(day, month, String(year));
}

/** The time in a row of the list: the time of day today and yesterday, then the weekday, then the date. */
export function rowTime(ms: number, today: number, lang: Lang): string {
  switch (dayOf(ms, today)) {
    case 'today':
    case 'yesterday':
      return clockTime(ms, lang);
    case 'week':
      return weekday(ms, lang);
    default:
      return shortDate(ms, today, lang);
  }
}

/** Date, time and zone in full, for tooltips. */
export function fullTime(ms: number, lang: Lang): string {
  const text = format(lang, 'full', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: desktop.hour12 ? 'numeric' : '2-digit',
    minute: '2-digit',
    hour12: desktop.hour12,
    timeZoneName: 'short',
  });
  if (lang === 'en') return text.format(ms);
  // The zone stands behind the time, not between it and the date.
  const parts = text.formatToParts(ms);
  const at = parts.findIndex(({ type }) => type === 'timeZoneName');
  const zone = parts[at]?.value ?? '';
  return `${parts
    .toSpliced(at, 2)
    .map(({ value }) => value)
    .join('')
    .trim()}（${zone}）`;
}

/** A time beside which no day stands: the time of day today, else with its day. */
export function moment(ms: number, today: number, lang: Lang): string {
  const tomorrow = new Date(today).setDate(new Date(today).getDate() + 1);
  if (ms >= today && ms < tomorrow) return clockTime(ms, lang);
  // The same weekday of another week would read as today's.
  const days = Math.round(Math.abs(startOfDay(ms) - today) / 86_400_000);
  const day = days < 7 ? weekday(ms, lang) : shortDate(ms, today, lang);
  return `${day} ${clockTime(ms, lang)}`;
}
