// Parts of Simplified Chinese sentences: numbers, lists and priorities.

export { grouped as n } from '../numbers';

const PRIORITIES = ['最低', '较低', '普通', '重要', '紧急'];
export const priority = (value: number) => `${PRIORITIES[value - 1] ?? ''} (${value})`;
export const list = (all: readonly string[], last: string) =>
  all.length < 2 ? all.join('') : `${all.slice(0, -1).join('、')}${last}${all.at(-1)}`;
/** The text, with a space before it if it begins with a Latin letter or digit. */
export const after = (text: string) => (/^[\x20-\x7e]/.test(text) ? ` ${text}` : text);
export const around = (text: string) => `${after(text)}${/[\x20-\x7e]$/.test(text) ? ' ' : ''}`;
