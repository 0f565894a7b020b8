// The threads of one place, or those found. Keeps their order until the list is left: what arrives compareSortKeys up waits, what
// changes changes where it stands. Refuses to hold the whole list: a window of it is here.
import type { Place } from '../../generated/Place';
import type { ThreadPage } from '../../generated/ThreadPage';
import type { ThreadQuery } from '../../generated/ThreadQuery';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { Platform } from '../../platform/platform';
import { belongs } from '../marks/marks';
import { OptimisticUpdates } from '../marks/optimistic-updates';
import { ConcurrentChanges } from './concurrent-changes';
import { type Listing, listQuery } from './list-query';
import { PendingRows } from './pending-rows.svelte';
import { ThreadWindow } from './thread-window.svelte';

const PAGE = 200;
/** Rows that are asked for again at once. */
const AGAIN = 400;
/** Between two askings for the same list while much arrives, ms. */
const BREATH = 250;
/** Between two askings for how long the list is, ms. */
const COUNT = 1000;
/** The longest animation of a leaving row, ms. */
const SETTLE = 160;

export class ThreadList extends ThreadWindow {
  place: Place = $state.raw({ place: 'inbox' });
  /** The query that was searched for, or filters within the place; none lists the place. */
  search: string | null = $state(null);
  /** The query filters the place, also the inbox; else it looks everywhere. */
  within = $state(false);
  /** A row has just left: the ones below may glide up. */
  settling = $state(false);
  /** Counts the lists that were shown, so that a new one starts at its top. */
  shown = $state(0);
  /** Whether the first row that is here is on screen; the pane sets it. */
  atTop = true;
  /** The uppermost thread that is wholly on screen; the pane sets it. */
  inSight: number | null = null;

  /** Marks that rows from the program may not know of yet. */
  readonly optimistic = new OptimisticUpdates();
  readonly #platform: Platform;
  readonly #pending = new PendingRows();
  readonly #seen = new Set<number>();
  /** Threads that left this list and may come back to their place. */
  readonly #left = new Set<number>();
  #round = 0;
  #asking = false;
  readonly #concurrent = new ConcurrentChanges();
  #settle: ReturnType<typeof setTimeout> | undefined;
  #breath: ReturnType<typeof setTimeout> | undefined;
  #count: ReturnType<typeof setTimeout> | undefined;
  #again = false;
  /** Lists that are on their way, and whether to ask again once they are here. */
  #leaving = 0;
  #missed = false;

  constructor(platform: Platform) {
    super();
    this.#platform = platform;
  }

  stop(): void {
    this.#round += 1;
    for (const timer of [this.#settle, this.#breath, this.#count]) clearTimeout(timer);
    this.#count = undefined;
  }

  /** How many new threads wait above. */
  get waiting(): number {
    return this.#pending.count;
  }

  get listing(): Listing {
    return { place: this.place, search: this.search, within: this.within, group: this.group };
  }

  /** While an answer is awaited, what changes is remembered and applied after it. */
  during<T>(answer: Promise<T>): Promise<T> {
    return this.#concurrent.during(answer);
  }

  /** Shows a page that is already here. */
  take(listing: Listing, page: ThreadPage): void {
    this.#round += 1;
    this.#asking = false;
    this.#again = false;
    this.place = listing.place;
    this.search = listing.search;
    this.within = listing.within;
    this.group = listing.group;
    this.#begin(page);
    this.atTop = true;
    this.inSight = null;
    this.shown += 1;
    this.#catchUp();
  }

  /** Leaves the list and shows another one, from its first row or from its last. */
  async show(listing: Listing, bottom = false): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.#leaving += 1;
    try {
      const page = await this.#ask({ ...listQuery(listing, PAGE), bottom });
      if (round === this.#round) this.take(listing, page);
    } finally {
      this.#leaving -= 1;
      if (this.#missed && this.#leaving === 0) {
        this.#missed = false;
        void this.refetch().catch(() => {});
      }
    }
  }

  /** The very first rows, or the very last ones, of this list. */
  async jump(to: 'top' | 'bottom'): Promise<void> {
    if (to === 'top' ? this.above : this.below) await this.show(this.listing, to === 'bottom');
  }

  /** Fetches the rows after the last one, or before the first. */
  async more(where: 'above' | 'below' = 'below'): Promise<void> {
    const cursor = this.cursor(where);
    if (this.#asking || cursor === null) return;
    this.#asking = true;
    const round = this.#round;
    try {
      const page = await this.#ask({ ...listQuery(this.listing, PAGE), ...cursor });
      if (round !== this.#round) return;
      const added = page.rows.filter((row) => !this.has(row.id) && !this.#pending.has(row.id));
      this.add(where, added, page);
      this.#relieve();
      this.#catchUp();
    } finally {
      if (round === this.#round) this.#asking = false;
    }
  }

  /** Asks again for what is shown, without moving it. Calls that come meanwhile become one more. */
  async refetch(): Promise<void> {
    // Another list is on its way: its answer may be older than what this is about.
    if (this.#leaving > 0) {
      this.#missed = true;
      return;
    }
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    const round = this.#round;
    try {
      const query = this.#around();
      const page = query && (await this.#ask(query));
      if (round !== this.#round) return;
      if (page) this.#reconcile(page);
      else this.#recount();
      this.#catchUp();
    } finally {
      if (round === this.#round) {
        this.#asking = false;
        if (this.#again) {
          this.#again = false;
          this.#breath = setTimeout(() => void this.refetch().catch(() => {}), BREATH);
        }
      }
    }
  }

  /** Takes in what changed. */
  change(rows: readonly ThreadRow[], gone: readonly number[]): void {
    this.#concurrent.hear(rows, gone);
    const leaving = new Set(gone.filter((id) => this.has(id)));
    const entering: ThreadRow[] = [];
    for (const id of gone) this.#pending.drop(id);
    for (const row of rows) {
      const old = this.rows.get(row.id);
      if (old && !this.has(row.id)) this.rows.set(row.id, row);
      else if (old) {
        if (this.#stays(row)) this.rows.set(row.id, this.#kept(old, row));
        else leaving.add(row.id);
      }
      if (old && this.has(row.id)) continue;
      if (!this.#asked && belongs(row, this.place, false)) entering.push(row);
      else this.#pending.drop(row.id);
    }
    if (leaving.size > 0) this.#drop(leaving);
    if (entering.length > 0) this.#enter(entering);
    // Only the program can tell what a query finds.
    if (this.#asked && rows.some((row) => !this.has(row.id))) this.#lookAgain();
  }

  /** Sets rows as they are about to be; they leave when they no longer belong here. */
  applyOptimistic(...rows: readonly ThreadRow[]): void {
    const leaving = new Set<number>();
    for (const row of rows) {
      if (!this.rows.has(row.id)) continue;
      if (this.#stays(row)) this.rows.set(row.id, row);
      else if (this.has(row.id)) leaving.add(row.id);
    }
    if (leaving.size > 0) this.#drop(leaving);
  }

  /** Lets in what waits above. */
  async admit(): Promise<void> {
    const rows = this.#pending.take();
    if (rows && !this.above) this.#insert(rows);
    else await this.show(this.listing);
  }

  /** The rows among these that are seen for the first time. Their halo stays until the list is left. */
  see(ids: readonly number[]): number[] {
    const seen = ids.filter((id) => !this.#seen.has(id) && this.rows.get(id)?.unseen);
    for (const id of seen) this.#seen.add(id);
    return seen;
  }

  /** A query decides what is listed, not the marks of a row. */
  get #asked(): boolean {
    return this.search !== null || this.place.place === 'saved';
  }

  async #ask(query: ThreadQuery): Promise<ThreadPage> {
    const page = await this.during(this.#platform.threads(query));
    return { ...page, rows: this.optimistic.lay(page.rows, page.as_of) };
  }

  /** Asks for the rows around what is in sight; null where they cannot be asked for. */
  #around(): ThreadQuery | null {
    const query = listQuery(this.listing, AGAIN);
    const at = Math.max(0, this.indexOf(this.inSight));
    if (!this.above && at < AGAIN - PAGE / 2) return query;
    const cursor = this.around(at);
    if (cursor) return { ...query, ...cursor };
    return this.below ? null : { ...query, bottom: true };
  }

  #catchUp(): void {
    const { rows, gone } = this.#concurrent.heard;
    if (rows.length + gone.length > 0) this.change(rows, gone);
  }

  /** A row as it is now, with what only the list knows: found words, and the halo of what was just seen. */
  #kept(old: ThreadRow, row: ThreadRow): ThreadRow {
    const kept = { ...row, unseen: row.unseen || (old.unseen && this.#seen.has(row.id)) };
    return this.#asked ? { ...kept, what: old.what } : kept;
  }

  /** Found rows stay whatever becomes of them. */
  #stays(row: ThreadRow): boolean {
    return this.#asked ? !this.within || belongs(row, this.place, true) : belongs(row, this.place, true);
  }

  /** Nothing is left of the list before. */
  #begin(page: ThreadPage): void {
    this.#pending.clear();
    this.#seen.clear();
    this.#left.clear();
    this.fill(page);
  }

  /** What was asked for again: rows change where they stand, new ones come in, and what is beyond the page is given up. */
  #reconcile(page: ThreadPage): void {
    if (this.atTop && !page.rows.some((row) => this.has(row.id))) {
      this.#begin(page);
      return;
    }
    const whole = page.prev === null && !this.#asked && this.place.place !== 'unread';
    const now = new Set(page.rows.map((row) => row.id));
    this.cutTo(page);
    const gone = whole ? this.ids.filter((id) => !now.has(id)) : [];
    this.#refresh(page.rows, gone);
    this.counted(page.total);
  }

  /** Rows as the program lists them now. */
  #refresh(rows: readonly ThreadRow[], gone: readonly number[]): void {
    if (!this.#asked) {
      this.change(rows, gone);
      return;
    }
    const entering: ThreadRow[] = [];
    for (const row of rows) {
      if (this.has(row.id)) this.rows.set(row.id, row);
      else entering.push(row);
    }
    this.#enter(entering);
  }

  #drop(leaving: ReadonlySet<number>): void {
    this.remove(leaving);
    for (const id of leaving) this.#left.add(id);
    this.settling = true;
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => {
      this.settling = false;
    }, SETTLE);
  }

  /** At the very top they come in at once, compareSortKeys down the newer ones wait; older ones return to their place. */
  #enter(rows: readonly ThreadRow[]): void {
    const isNewest = this.newness();
    const at: ThreadRow[] = [];
    for (const row of rows) {
      const back = this.#left.delete(row.id);
      const fresh = !back && isNewest(row);
      const side = this.sideOf(row);
      if (side === 'below' || (side === 'above' && !fresh)) this.#recount();
      else if (side === 'above' || (fresh && !(this.atTop && !this.above))) this.#pending.add(row);
      else at.push(row);
    }
    for (const row of at) this.#pending.drop(row.id);
    this.#insert(at);
  }

  #insert(rows: readonly ThreadRow[]): void {
    if (rows.length === 0) return;
    this.insert(rows, () => (this.atTop ? 0 : Math.max(0, this.indexOf(this.inSight))));
    this.#relieve();
  }

  /** A single page that grew too long is asked for anew. */
  #relieve(): void {
    if (this.overfull) this.refetch().catch(() => {});
  }

  #recount(): void {
    this.#count ??= setTimeout(async () => {
      this.#count = undefined;
      const round = this.#round;
      const page = await this.#platform.threads(listQuery(this.listing, 1)).catch(() => null);
      if (page && round === this.#round) this.counted(page.total);
    }, COUNT);
  }

  #lookAgain(): void {
    if (this.#concurrent.asking) return;
    this.#count ??= setTimeout(() => {
      this.#count = undefined;
      void this.refetch().catch(() => {});
    }, COUNT);
  }
}
