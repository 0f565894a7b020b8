// The loaded part of a list of any length: its rows in order, and the pages in which they were loaded. Which rows
// belong to the list is decided in ThreadList.
import { SvelteMap } from 'svelte/reactivity';
import type { Grouping } from '../../generated/Grouping';
import type { ThreadPage } from '../../generated/ThreadPage';
import type { ThreadRow } from '../../generated/ThreadRow';
import { compareSortKeys, merged, type SortKey, sortKeyOf } from './order';
import { Pages } from './pages';

/** Beyond this number of rows the page at the end further from the visible rows is unloaded. */
const MOST = 1600;

/** The position of a row relative to the loaded rows. */
export type Side = 'above' | 'within' | 'below';

export class ThreadWindow {
  group: Grouping = $state('day');
  ids: readonly number[] = $state.raw([]);
  /** The number of rows of the list above the loaded ones. */
  offset = $state(0);
  total = $state(0);
  /** Whether there may be more than `total`, because a search ended at its limit. */
  atLeast = $state(false);
  readonly rows = new SvelteMap<number, ThreadRow>();
  /** The position of a source among the sources; set by the composition. */
  rank: (source: number) => number = () => 0;
  /** Whether a row is kept although it is unloaded; set by the composition. */
  keeps: (id: number) => boolean = () => false;

  readonly #pages = new Pages();
  readonly #sortKeys = new Map<number, SortKey>();

  /** The sort key of the row at an index. */
  sortKeyAt(index: number): SortKey | undefined {
    return this.#sortKeys.get(this.ids[index] ?? -1);
  }

  row(index: number): ThreadRow | undefined {
    const id = this.ids[index];
    return id === undefined ? undefined : this.rows.get(id);
  }

  indexOf(id: number | null): number {
    return id === null ? -1 : this.ids.indexOf(id);
  }

  has(id: number): boolean {
    return this.#sortKeys.has(id);
  }

  /** Whether the list continues above the loaded rows; `below` is the same for the other end. */
  get above(): boolean {
    return this.#pages.prev !== null;
  }

  get below(): boolean {
    return this.#pages.next !== null;
  }

  /** Whether too many rows are loaded. */
  protected get overfull(): boolean {
    return this.ids.length > MOST;
  }

  /** The cursor for the rows after the last one, or before the first; null at an end of the list. */
  protected cursor(where: 'above' | 'below'): { after: string } | { before: string } | null {
    const { next, prev } = this.#pages;
    if (where === 'below') return next === null ? null : { after: next };
    return prev === null ? null : { before: prev };
  }

  /** The cursor for the rows around an index. */
  protected around(index: number): { after: string } | { before: string } | null {
    return this.#pages.around(this.ids[index]);
  }

  /** The side of the loaded rows on which a row belongs. */
  protected sideOf(row: ThreadRow): Side {
    const key = this.#sortKey(row);
    const last = this.sortKeyAt(this.ids.length - 1);
    if (this.below && last && compareSortKeys(last, key) < 0) return 'below';
    const first = this.sortKeyAt(0);
    return this.above && first && compareSortKeys(key, first) < 0 ? 'above' : 'within';
  }

  /** A test whether a row is at least as new as the newest one under its heading. */
  protected newness(): (row: ThreadRow) => boolean {
    const newest = this.#newest();
    return (row) => row.time >= (newest.get(this.#sortKey(row).rank) ?? -Infinity);
  }

  protected fill(page: ThreadPage): void {
    for (const id of [...this.rows.keys()]) if (!this.keeps(id)) this.rows.delete(id);
    this.#sortKeys.clear();
    for (const row of page.rows) this.#store(row);
    this.ids = [...new Set(page.rows.map((row) => row.id))];
    this.#pages.reset(page, this.ids);
    this.counted(page.total, page.at_least);
    this.offset = page.prev === null ? 0 : this.total - this.ids.length;
  }

  /** Adds a page at one end, and unloads pages at the other if there are too many rows. */
  protected add(where: 'above' | 'below', rows: readonly ThreadRow[], page: ThreadPage): void {
    for (const row of rows) this.#store(row);
    const ids = rows.map((row) => row.id);
    this.#pages.add(where, page, ids);
    this.ids = where === 'below' ? [...this.ids, ...ids] : [...ids, ...this.ids];
    if (where === 'above') this.offset = this.above ? Math.max(0, this.offset - ids.length) : 0;
    this.#limit(where === 'below' ? 'above' : 'below');
    this.counted(page.total, page.at_least);
  }

  /** Inserts rows in order. Pages at the end further from `visible`, an index, may be unloaded. */
  protected insert(rows: readonly ThreadRow[], visible: () => number): void {
    for (const row of rows) this.#store(row);
    const entering = rows.map((row) => this.#sortKey(row)).sort(compareSortKeys);
    this.ids = merged(this.ids, entering, (id) => this.#sortKeys.get(id) ?? { rank: 0, time: 0, id });
    const came = new Set(entering.map((key) => key.id));
    let beside: number | undefined;
    for (let at = this.ids.length - 1; at >= 0; at -= 1) {
      const id = this.ids[at] as number;
      if (came.has(id)) this.#pages.join(id, beside);
      else beside = id;
    }
    this.counted(this.total + rows.length);
    this.#limit(visible() > this.ids.length / 2 ? 'above' : 'below');
  }

  /** Whether a listed row belongs further up since it was listed. */
  protected rose(row: ThreadRow): boolean {
    return row.time > (this.#sortKeys.get(row.id)?.time ?? Number.POSITIVE_INFINITY);
  }

  /** Moves listed rows to where they belong now. */
  protected resort(rows: readonly ThreadRow[], visible: () => number): void {
    const moving = new Set(rows.map((row) => row.id));
    this.ids = this.ids.filter((id) => !moving.has(id));
    for (const id of moving) this.#pages.forget(id);
    this.total -= moving.size;
    this.insert(rows, visible);
  }

  protected remove(leaving: ReadonlySet<number>): void {
    this.ids = this.ids.filter((id) => !leaving.has(id));
    for (const id of leaving) this.#forget(id);
    this.counted(this.total - leaving.size);
  }

  /** Unloads the rows beyond the ends of a refetched page, and takes over its cursors. The rows of the page before the first
   * loaded one and after the last are loaded: the pages beside it begin beyond them. */
  protected cutTo(page: ThreadPage): void {
    const first = page.rows[0] && this.#sortKey(page.rows[0]);
    const last = page.rows.at(-1) && this.#sortKey(page.rows.at(-1) as ThreadRow);
    const beyond = (key: SortKey) =>
      (page.next !== null && last !== undefined && compareSortKeys(last, key) < 0) ||
      (page.prev !== null && first !== undefined && compareSortKeys(key, first) < 0);
    const kept: number[] = [];
    let cut = 0;
    for (const id of this.ids) {
      const key = this.#sortKeys.get(id);
      if (key && beyond(key)) {
        if (kept.length === 0) cut += 1;
        this.#forget(id);
      } else kept.push(id);
    }
    const isKnown = (row: ThreadRow) => this.has(row.id);
    const known = { first: page.rows.findIndex(isKnown), last: page.rows.findLastIndex(isKnown) };
    const above = page.prev === null ? [] : page.rows.slice(0, Math.max(0, known.first));
    const below = page.next === null || known.last < 0 ? [] : page.rows.slice(known.last + 1);
    for (const row of [...above, ...below]) this.#store(row);
    this.offset = page.prev === null ? 0 : Math.max(0, this.offset + cut - above.length);
    kept.unshift(...above.map((row) => row.id));
    kept.push(...below.map((row) => row.id));
    this.ids = kept;
    this.#pages.reset(page, kept);
  }

  /** Sets the length of the list: the program's count, or an estimate until the next one. */
  protected counted(total: number, atLeast = this.atLeast): void {
    this.atLeast = atLeast;
    this.total = Math.max(total, this.offset + this.ids.length);
  }

  #sortKey(row: ThreadRow): SortKey {
    return sortKeyOf(row, this.group, this.rank);
  }

  #store(row: ThreadRow): void {
    this.rows.set(row.id, row);
    this.#sortKeys.set(row.id, this.#sortKey(row));
  }

  #forget(id: number): void {
    if (!this.keeps(id)) this.rows.delete(id);
    this.#sortKeys.delete(id);
    this.#pages.forget(id);
  }

  /** The time of the newest row under each heading, by the rank of its source. */
  #newest(): Map<number, number> {
    const newest = new Map<number, number>();
    for (const id of this.ids) {
      const key = this.#sortKeys.get(id);
      if (key && !newest.has(key.rank)) newest.set(key.rank, key.time);
      if (this.group !== 'source') break;
    }
    return newest;
  }

  /** Unloads pages at one end while there are too many rows and several pages. */
  #limit(end: 'above' | 'below'): void {
    while (this.overfull && this.#pages.several) {
      const count = this.#pages.unload(end, this.ids);
      const unloaded = end === 'above' ? this.ids.slice(0, count) : this.ids.slice(this.ids.length - count);
      this.ids = end === 'above' ? this.ids.slice(count) : this.ids.slice(0, this.ids.length - count);
      for (const id of unloaded) this.#forget(id);
      if (end === 'above') this.offset += count;
    }
  }
}
