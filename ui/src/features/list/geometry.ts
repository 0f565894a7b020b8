// Where rows and day headers stand: fixed heights, so that a million rows need no measuring.
import { type Day, dayStarts } from '../../i18n/times';

export interface Group {
  readonly day: Day;
  /** Index of its first row. */
  readonly first: number;
  readonly count: number;
  /** Index of its header among rows and headers together. */
  readonly at: number;
}

/** First index at which `time` is older than `bound`; the times fall. */
function firstOlder(count: number, timeAt: (index: number) => number, bound: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeAt(middle) >= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The days that have rows, newest first. `timeAt` gives the time a row is placed by. */
export function groupsOf(count: number, timeAt: (index: number) => number, today: number): Group[] {
  const starts = dayStarts(today);
  const ends: [Day, number][] = [
    ['today', firstOlder(count, timeAt, starts.today)],
    ['yesterday', firstOlder(count, timeAt, starts.yesterday)],
    ['week', firstOlder(count, timeAt, starts.week)],
    ['earlier', count],
  ];
  const groups: Group[] = [];
  let first = 0;
  for (const [day, end] of ends) {
    if (end > first) {
      groups.push({ day, first, count: end - first, at: first + groups.length });
      first = end;
    }
  }
  return groups;
}
