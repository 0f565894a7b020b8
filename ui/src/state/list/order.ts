// The order of the rows of a list: newest first, within the order of their sources if the list is grouped by source.
import type { Grouping } from '../../generated/Grouping';
import type { ThreadRow } from '../../generated/ThreadRow';

/** The values by which a row is sorted. They are taken when the row is listed and hold until the list is left. */
export interface SortKey {
  /** The position of the row's source among the sources; 0 if the list is not grouped by source. */
  readonly rank: number;
  /** The row's time, ms since 1970. */
  readonly time: number;
  readonly id: number;
}

/** Negative if `a` is above `b`. */
export function compareSortKeys(a: SortKey, b: SortKey): number {
  return a.rank - b.rank || b.time - a.time || b.id - a.id;
}

export function sortKeyOf(row: ThreadRow, group: Grouping, rank: (source: number) => number): SortKey {
  return { rank: group === 'source' ? rank(row.source) : 0, time: row.time, id: row.id };
}

/** Merges sorted entering rows into the sorted ids of a list. */
export function merged(ids: readonly number[], entering: readonly SortKey[], at: (id: number) => SortKey): number[] {
  const out: number[] = [];
  let next = 0;
  for (const id of ids) {
    const key = at(id);
    for (let one = entering[next]; one && compareSortKeys(one, key) <= 0; one = entering[next]) {
      out.push(one.id);
      next += 1;
    }
    out.push(id);
  }
  for (; next < entering.length; next += 1) out.push(entering[next]?.id ?? -1);
  return out;
}
