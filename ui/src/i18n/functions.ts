// What the texts in `i18n/` call: numbers, plurals, lists, and the space between Chinese and Latin letters.
import { grouped } from './numbers';

export { grouped as number };

/** The form of a word beside a count. */
export const plural = (lang: string, count: number) => new Intl.PluralRules(lang).select(count);

/** Whether there is something to name. */
export const given = (value: string | number | readonly string[] | null) =>
  typeof value === 'number' || (value !== null && value.length > 0);

/** Names in a row; what stands before the last one can differ. */
export const list = (all: readonly string[], between: string, last = between) =>
  all.length < 2 ? all.join('') : `${all.slice(0, -1).join(between)}${last}${all.at(-1)}`;

/** Behind a count of which only the least is known. */
export const plus = (more: boolean | undefined) => (more ? '+' : '');

/** A sentence begins with a capital letter; within one, a name of a time has none. */
export const upper = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
export const lower = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** What begins or ends in Chinese, or in full-width punctuation, has no space there. */
const BEGINS = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uff60“]/u;
const ENDS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uff60”]$/u;
/** The text after Chinese words, with a space before it if it begins with a Latin letter or digit. */
export const after = (text: string) => (text === '' || BEGINS.test(text) ? text : ` ${text}`);
/** The text before Chinese words, with a space after it if it ends with a Latin letter or digit. */
export const before = (text: string) => (text === '' || ENDS.test(text) ? text : `${text} `);
export const around = (text: string) => after(before(text));
