// A time in words, of either language whatever language the page has: "fri 9:00", "in 20 min", "明天下午".
// Loaded when the snooze menu opens, as what reads English is large.
import { readChinese } from './chinese';
import { readEnglish } from './english';

/** The greatest length of a text that is read, in characters. */
const MOST = 80;

/** The time that a text means, in ms since 1970, which may be past; null if it means none. */
export function readTypedTime(typed: string, now: number): number | null {
  const text = typed.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  if (text === '' || text.length > MOST) return null;
  return /\p{Script=Han}/u.test(text) ? readChinese(text, now) : readEnglish(text, now);
}
