// Parts of English sentences: numbers, lists and priorities.

export { grouped as n } from '../numbers';
export const s = (count: number, one: string, many: string) => (count === 1 ? one : many);
const PRIORITIES = ['Lowest', 'Low', 'Normal', 'High', 'Urgent'];
export const priority = (value: number) => `${PRIORITIES[value - 1] ?? ''} (${value})`;
export const list = (all: readonly string[], last: string) =>
  all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1)}`;
