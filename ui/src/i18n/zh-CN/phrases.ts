// Parts of Simplified Chinese sentences: numbers, lists and priorities.

export { grouped as n } from '../numbers';

const PRIORITIES = ['最低', '较低', '普通', '重要', '紧急'];
export const priority = (value: number) => `${PRIORITIES[value - 1] ?? ''} (${value})`;
export const list = (all: readonly string[], last: string) =>
  all.length < 2 ? all.join('') : `${all.slice(0, -1).join('、')}${last}${all.at(-1)}`;
/** What begins or ends in Chinese, or in full-width punctuation, has no space there. */
const BEGINS = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uff60“]/u;
const ENDS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uff60”]$/u;
/** The text after Chinese words, with a space before it if it begins with a Latin letter or digit. */
export const after = (text: string) => (text === '' || BEGINS.test(text) ? text : ` ${text}`);
/** The text before Chinese words, with a space after it if it ends with a Latin letter or digit. */
export const before = (text: string) => (text === '' || ENDS.test(text) ? text : `${text} `);
export const around = (text: string) => after(before(text));
