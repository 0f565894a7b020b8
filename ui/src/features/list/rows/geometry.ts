// The positions of rows and headings: their heights are fixed, so that a long list needs no measuring.
import type { Settings } from '../../../generated/Settings';
import type { Strings } from '../../../i18n/en';
import { type Day, dayStarts } from '../../../i18n/times';
import type { SortKey } from '../../../state/list/order';
import type { Stores } from '../../../state/stores';

/** The rows under one heading. */
export interface RowGroup {
  /** The group's name: `today`, `source-2`. */
  readonly key: string;
  /** The index of its first row. */
  readonly first: number;
  readonly count: number;
}

type SortKeyAt = (index: number) => SortKey | undefined;

/** The first index from `low` on at which `is` does not hold; binary search, so `is` must hold for all before. */
function firstNot(low: number, count: number, is: (index: number) => boolean): number {
  let high = count;
  let from = low;
  while (from < high) {
    const middle = (from + high) >>> 1;
    if (is(middle)) from = middle + 1;
    else high = middle;
  }
  return from;
}

function groupsTo(ends: readonly (readonly [string, number])[]): RowGroup[] {
  const groups: RowGroup[] = [];
  let first = 0;
  for (const [key, end] of ends) {
    if (end <= first) continue;
    groups.push({ key, first, count: end - first });
    first = end;
  }
  return groups;
}

/** The groups of the days that have rows, newest first. */
export function byDay(count: number, sortKeyAt: SortKeyAt, today: number): RowGroup[] {
  const starts = dayStarts(today);
  const until = (bound: number) => firstNot(0, count, (index) => (sortKeyAt(index)?.time ?? 0) >= bound);
  const days: [Day, number][] = [
    ['today', until(starts.today)],
    ['yesterday', until(starts.yesterday)],
    ['week', until(starts.week)],
    ['earlier', count],
  ];
  return groupsTo(days);
}

/** The groups of the sources that have rows, in the order of the sources. */
export function bySource(count: number, sortKeyAt: SortKeyAt, sourceAt: (index: number) => number): RowGroup[] {
  const ends: [string, number][] = [];
  for (let at = 0; at < count; ) {
    const rank = sortKeyAt(at)?.rank ?? 0;
    const end = firstNot(at, count, (index) => (sortKeyAt(index)?.rank ?? 0) <= rank);
    ends.push([`source-${sourceAt(at)}`, end]);
    at = end;
  }
  return groupsTo(ends);
}

/** The key of the heading without a name. */
const UNNAMED = '';

/** The groups of the loaded rows, by the list's grouping. The results of a search have none. If
 * such a list has to be `headed`, one without a name is over all rows: the button to new items lies on the first heading. */
export function groupsOf(stores: Stores, headed: boolean): RowGroup[] {
  const groups = namedGroups(stores);
  const all = { key: UNNAMED, first: 0, count: stores.list.ids.length };
  return headed && groups.length === 0 ? [all] : groups;
}

function namedGroups(stores: Stores): RowGroup[] {
  const { list } = stores;
  const count = list.ids.length;
  const sortKeyAt = (index: number) => list.sortKeyAt(index);
  if (list.search !== null && !list.within) return [];
  if (list.group === 'day') return byDay(count, sortKeyAt, stores.clock.today);
  if (list.group === 'thread') return [];
  return bySource(count, sortKeyAt, (index) => list.row(index)?.source ?? 0);
}

/** The heights of a row and a heading, px, as the stylesheet has them. */
export interface Heights {
  readonly row: number;
  readonly heading: number;
}

/** The heights for the density and the size of text that are set; smaller text makes no row lower. */
export function heightsOf(settings: Pick<Settings, 'density' | 'scale'>): Heights {
  const grow = Math.max(1, settings.scale.text / 100);
  return { row: (settings.density === 'compact' ? 36 : 64) * grow, heading: 28 * grow };
}

/** The positions of rows of one height under their headings, px from the top. */
export class Rows {
  readonly groups: readonly RowGroup[];
  readonly height: number;
  readonly heading: number;
  readonly count: number;

  constructor(groups: readonly RowGroup[], { row, heading }: Heights, count: number) {
    this.groups = groups;
    this.height = row;
    this.heading = heading;
    this.count = count;
  }

  /** The height at the upper edge that a heading covers, px. */
  get head(): number {
    return this.groups.length > 0 ? this.heading : 0;
  }

  get whole(): number {
    return this.count * this.height + this.groups.length * this.heading;
  }

  topOf(index: number): number {
    let above = 0;
    for (const group of this.groups) if (group.first <= index) above += this.heading;
    return index * this.height + above;
  }

  /** The index of the first row that begins at or below `px`. */
  from(px: number): number {
    let index = Math.min(Math.ceil(px / this.height), this.count);
    while (index > 0 && this.topOf(index - 1) >= px) index -= 1;
    return index;
  }

  /** The index of the row at `px`, or of the nearest one. */
  at(px: number): number {
    const below = this.from(px);
    const row = below < this.count && this.topOf(below) <= px ? below : below - 1;
    return Math.max(0, Math.min(row, this.count - 1));
  }
}

/** The rendered rows under one heading; the key is null if there are no headings. */
export interface VisibleGroup {
  readonly key: string | null;
  readonly top: number;
  readonly height: number;
  /** The rows, with their tops measured from the top of the group. */
  readonly rows: readonly { readonly id: number; readonly index: number; readonly top: number }[];
}

/** The groups of the rows from index `first` to `last`, with these rows. */
export function visibleGroups(rows: Rows, ids: readonly number[], first: number, last: number): VisibleGroup[] {
  const all = rows.groups.length > 0 ? rows.groups : [{ key: null, first: 0, count: ids.length }];
  return all
    .filter((group) => group.first <= last && group.first + group.count > first)
    .map((group) => {
      const header = group.key === null ? 0 : rows.heading;
      const to = Math.min(group.first + group.count - 1, last);
      const shown: { id: number; index: number; top: number }[] = [];
      for (let index = Math.max(group.first, first); index <= to; index += 1) {
        const id = ids[index];
        if (id !== undefined) shown.push({ id, index, top: header + (index - group.first) * rows.height });
      }
      const top = group.key === null ? 0 : rows.topOf(group.first) - rows.heading;
      return { key: group.key, top, height: group.count * rows.height + header, rows: shown };
    });
}

/** The name in a heading; empty if there is no heading, or none with a name. */
export function groupName(key: string | null, stores: Stores, t: Strings): string {
  if (key === null || key === UNNAMED) return '';
  const days: Record<string, string> = {
    today: t.today,
    yesterday: t.yesterday,
    week: t.thisWeek,
    earlier: t.earlier,
  };
  if (Object.hasOwn(days, key)) return days[key] ?? '';
  const source = stores.places.sources.find((one) => key === `source-${one.id}`);
  return source ? stores.places.sourceName(source) : t.sources;
}
