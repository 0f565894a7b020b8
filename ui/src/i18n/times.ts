// Times as text: the form depends on the distance from today and does not change as seconds pass.
import type { Lang } from '../generated/Lang';

export type Day = 'today' | 'yesterday' | 'week' | 'earlier';

/** Whether a locale writes times with 12 hours; without one, the page's own locale. */
function hasTwelveHours(locale?: string): boolean {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 ?? false;
}

/** Whether the desktop writes times with 12 hours; the scripted page and tests set it. */
export const desktop = { hour12: hasTwelveHours() };

/** Adopts the clock format of the desktop's locale for times, which may differ from its locale for texts. */
export function writeTimesAs(locale: string): void {
  desktop.hour12 = hasTwelveHours(locale);
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

/** The time of day: 09:41, or 9:41 AM where the desktop uses 12 hours. */
export function clockTime(ms: number, lang: Lang): string {
  const { hour12 } = desktop;
  return format(lang, 'clock', { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit', hour12 }).format(ms);
}

/** The short weekday: Wed. */
export function weekday(ms: number, lang: Lang): string {
  return format(lang, 'weekday', { weekday: 'short' }).format(ms);
}

/** The weekday: Thursday; 周四. */
export function longDay(ms: number, lang: Lang): string {
  return lang === 'en' ? format(lang, 'day', { weekday: 'long' }).format(ms) : weekday(ms, lang);
}

/** The date: 13 Nov, or 13 Nov 2025 in another year. */
export function shortDate(ms: number, today: number, lang: Lang): string {
  const sameYear = new Date(ms).getFullYear() === new Date(today).getFullYear();
  const form = lang === 'en' ? 'en-GB' : lang;
  const key = `${form} date ${sameYear}`;
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat(form, { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) });
    formats.set(key, made);
  }
  return made.format(ms);
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
  return format(lang, 'full', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: desktop.hour12 ? 'numeric' : '2-digit',
    minute: '2-digit',
    hour12: desktop.hour12,
    timeZoneName: 'short',
  }).format(ms);
}

/** A future time, or that of "New since": the time of day today, else with its day. */
export function moment(ms: number, today: number, lang: Lang): string {
  const tomorrow = new Date(today).setDate(new Date(today).getDate() + 1);
  if (ms >= today && ms < tomorrow) return clockTime(ms, lang);
  const days = Math.abs(ms - today) / 86_400_000;
  const day = days < 7 ? weekday(ms, lang) : shortDate(ms, today, lang);
  return `${day} ${clockTime(ms, lang)}`;
}
