// The list of threads of a place or a search. At its top new threads come in, and those with something new move up. Where
// that would move rows under the reader's eye or hand, they wait above, and rows keep their order.
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
import { Settling } from './settling.svelte';
import { ThreadWindow } from './thread-window.svelte';

const PAGE = 200;
/** More rows are loaded when the current one is this close to an end of the loaded rows. */
const NEAR_END = 50;
/** The number of rows in a refetch. */
const REFETCH = 400;
/** The pause between two refetches while changes arrive, ms. */
const REFETCH_PAUSE = 250;
/** The pause between two requests for the length of the list, ms. */
const COUNT_PAUSE = 1000;

export class ThreadList extends ThreadWindow {
  place: Place = $state.raw({ place: 'inbox' });
  /** The query of the list, of a search or of filters within the place; null lists the place. */
  search: string | null = $state(null);
  /** Whether the query filters the place, which may be the inbox, instead of searching everywhere. */
  within = $state(false);
  readonly settling = new Settling();
  /** Counts the lists that were shown, so that a new one starts at its top. */
  shown = $state(0);
  /** Whether the list is scrolled to its top; set by the pane. */
  atTop = true;
  /** The uppermost thread that is wholly on screen; set by the pane. */
  topVisible: number | null = null;
  /** Whether the pointer is over a row; set by the pane. */
  pointed = false;
  /** Whether a row is selected, so that rows have to stay where they are; set by the composition. */
  isHeld: () => boolean = () => false;
  /** Whether a thread is open on screen, where what arrives in it is seen; set by the composition. */
  isOpen: (id: number) => boolean = () => false;

  /** Marks that the program may not have set yet. */
  readonly optimistic = new OptimisticUpdates();
  readonly #platform: Platform;
  readonly #pending = new PendingRows();
  readonly #seen = new Set<number>();
  /** Threads that have left this list, and return to their position in it. */
  readonly #removed = new Set<number>();
  #round = 0;
  #loading = false;
  readonly #concurrent = new ConcurrentChanges();
  #refetchTimer: ReturnType<typeof setTimeout> | undefined;
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  #refetchAgain = false;
  /** The number of calls of `show` under way, and whether to refetch after them. */
  #showing = 0;
  #refetchMissed = false;

  constructor(platform: Platform) {
    super();
    this.#platform = platform;
  }

  stop(): void {
    this.#round += 1;
    this.settling.stop();
    for (const timer of [this.#refetchTimer, this.#countTimer]) clearTimeout(timer);
    this.#countTimer = undefined;
  }

  /** The number of threads that wait to come in or move up at the top. */
  get pendingCount(): number {
    return this.#pending.count;
  }

  get listing(): Listing {
    return { place: this.place, search: this.search, within: this.within, group: this.group };
  }

  /** Awaits an answer; changes that arrive before it are applied after it. */
  during<T>(answer: Promise<T>): Promise<T> {
    return this.#concurrent.during(answer);
  }

  /** Shows a list whose first page is loaded already. */
  take(listing: Listing, page: ThreadPage): void {
    this.#round += 1;
    this.#loading = false;
    this.#refetchAgain = false;
    this.place = listing.place;
    this.search = listing.search;
    this.within = listing.within;
    this.group = listing.group;
    this.#start(page);
    this.atTop = true;
    this.topVisible = null;
    this.shown += 1;
    this.#applyRecorded();
  }

  /** Loads and shows another list, from its first row or from its last. */
  async show(listing: Listing, bottom = false): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.#showing += 1;
    try {
      const page = await this.#fetch({ ...listQuery(listing, PAGE), bottom });
      if (round === this.#round) this.take(listing, page);
    } finally {
      this.#showing -= 1;
      if (this.#refetchMissed && this.#showing === 0) {
        this.#refetchMissed = false;
        void this.refetch().catch(() => {});
      }
    }
  }

  /** Loads the first or the last rows of this list, unless they are loaded. */
  async jump(to: 'top' | 'bottom'): Promise<void> {
    if (to === 'top' ? this.above : this.below) await this.show(this.listing, to === 'bottom');
  }

  /** Loads the rows after the last loaded one, or before the first. */
  async more(where: 'above' | 'below' = 'below'): Promise<void> {
    const cursor = this.cursor(where);
    if (this.#loading || cursor === null) return;
    this.#loading = true;
    const round = this.#round;
    try {
      const page = await this.#fetch({ ...listQuery(this.listing, PAGE), ...cursor });
      if (round !== this.#round) return;
      const added = page.rows.filter((row) => !this.has(row.id) && !this.#pending.has(row.id));
      this.add(where, added, page);
      this.#reloadIfOverfull();
      this.#applyRecorded();
    } finally {
      if (round === this.#round) this.#loading = false;
    }
  }

  /** Loads more rows where the one at an index is close to an end of the loaded ones. */
  async loadNear(at: number): Promise<void> {
    if (at > this.ids.length - NEAR_END) await this.more('below');
    else if (at < NEAR_END) await this.more('above');
  }

  /** Requests the shown rows again, without moving them. Calls during a request cause one more afterwards. */
  async refetch(): Promise<void> {
    // Another list is being loaded, and its answer may be older than the change that caused this call.
    if (this.#showing > 0) {
      this.#refetchMissed = true;
      return;
    }
    if (this.#loading) {
      this.#refetchAgain = true;
      return;
    }
    this.#loading = true;
    const round = this.#round;
    try {
      const query = this.#queryAround();
      const page = query && (await this.#fetch(query));
      if (round !== this.#round) return;
      if (page) this.#reconcile(page);
      else this.#recountSoon();
      this.#applyRecorded();
    } finally {
      if (round === this.#round) {
        this.#loading = false;
        if (this.#refetchAgain) {
          this.#refetchAgain = false;
          this.#refetchTimer = setTimeout(() => void this.refetch().catch(() => {}), REFETCH_PAUSE);
        }
      }
    }
  }

  /** Applies changed rows and removes gone threads. */
  change(rows: readonly ThreadRow[], gone: readonly number[]): void {
    this.#concurrent.record(rows, gone);
    const leaving = new Set(gone.filter((id) => this.has(id)));
    const entering: ThreadRow[] = [];
    const rising: ThreadRow[] = [];
    for (const id of gone) this.#pending.remove(id);
    for (const row of rows) {
      const old = this.rows.get(row.id);
      if (old && !this.has(row.id)) this.rows.set(row.id, row);
      else if (old) {
        if (this.#stays(row)) this.rows.set(row.id, this.#merge(old, row));
        else leaving.add(row.id);
        if (row.unread === 0) this.#pending.remove(row.id);
        if (!this.#isSearch && !leaving.has(row.id) && this.rose(row)) rising.push(row);
      }
      if (old && this.has(row.id)) continue;
      if (!this.#isSearch && belongs(row, this.place, false)) entering.push(row);
      else this.#pending.remove(row.id);
    }
    if (leaving.size > 0) this.#removeRows(leaving);
    if (entering.length > 0) this.#addNew(entering);
    if (rising.length > 0) this.#raise(rising);
    // Only the program can decide what a query finds.
    if (this.#isSearch && rows.some((row) => !this.has(row.id))) this.#refetchSoon();
  }

  /** Shows rows as they will be once a mark is set; rows that no longer belong to the list leave it. */
  applyOptimistic(...rows: readonly ThreadRow[]): void {
    const leaving = new Set<number>();
    for (const row of rows) {
      if (!this.rows.has(row.id)) continue;
      if (this.#stays(row)) this.rows.set(row.id, row);
      else if (this.has(row.id)) leaving.add(row.id);
    }
    if (leaving.size > 0) this.#removeRows(leaving);
  }

  /** Brings in the threads that wait above. */
  async admitPending(): Promise<void> {
    const rows = this.#pending.take();
    if (!rows || this.above) return this.show(this.listing);
    this.#insert(rows.filter((row) => !this.has(row.id)));
    this.#resort(rows.flatMap((row) => (this.has(row.id) ? (this.rows.get(row.id) ?? []) : [])));
  }

  /** Of these threads, those seen for the first time. They stay highlighted as new until the list is left. */
  see(ids: readonly number[]): number[] {
    const seen = ids.filter((id) => !this.#seen.has(id) && this.rows.get(id)?.unseen);
    for (const id of seen) this.#seen.add(id);
    return seen;
  }

  /** Whether a query decides what is listed, instead of the state of rows. */
  get #isSearch(): boolean {
    return this.search !== null || this.place.place === 'saved';
  }

  async #fetch(query: ThreadQuery): Promise<ThreadPage> {
    const page = await this.during(this.#platform.threads(query));
    const rows = this.optimistic.apply(page.rows, page.as_of);
    // What a mark has just taken out of the list does not come back with an answer from before it.
    const listed = query.search === null && query.place.place !== 'saved';
    return { ...page, rows: listed ? rows.filter((row) => belongs(row, query.place, true)) : rows };
  }

  /** The query for the rows around those on screen; null where no cursor leads there. */
  #queryAround(): ThreadQuery | null {
    const query = listQuery(this.listing, REFETCH);
    const at = Math.max(0, this.indexOf(this.topVisible));
    if (!this.above && at < REFETCH - PAGE / 2) return query;
    const cursor = this.around(at);
    if (cursor) return { ...query, ...cursor };
    return this.below ? null : { ...query, bottom: true };
  }

  #applyRecorded(): void {
    const { rows, gone } = this.#concurrent.recorded;
    if (rows.length + gone.length > 0) this.change(rows, gone);
  }

  /** A changed row with the properties that only the list has: what was found, highlighted, and whether it was new. */
  #merge(old: ThreadRow, row: ThreadRow): ThreadRow {
    const kept = { ...row, unseen: row.unseen || (old.unseen && this.#seen.has(row.id)) };
    if (!this.#isSearch) return kept;
    if (old.hit === undefined) return { ...kept, what: old.what };
    const { who, who_short, what, snippet, sentence, avatar, time } = old;
    return { ...kept, who, who_short, what, snippet, sentence, avatar, time, hit: old.hit };
  }

  /** Whether a changed row stays listed. Results of a search everywhere always stay. */
  #stays(row: ThreadRow): boolean {
    return this.#isSearch ? !this.within || belongs(row, this.place, true) : belongs(row, this.place, true);
  }

  /** Starts a new list with its first page. */
  #start(page: ThreadPage): void {
    this.#pending.clear();
    this.#seen.clear();
    this.#removed.clear();
    this.fill(page);
  }

  /** Applies a refetched page: rows change in place, new ones are inserted, and rows beyond the page are unloaded. */
  #reconcile(page: ThreadPage): void {
    if (this.atTop && !page.rows.some((row) => this.has(row.id))) {
      this.#start(page);
      return;
    }
    const whole = page.prev === null && !this.#isSearch && this.place.place !== 'unread';
    const now = new Set(page.rows.map((row) => row.id));
    this.cutTo(page);
    const gone = whole ? this.ids.filter((id) => !now.has(id)) : [];
    this.#update(page.rows, gone);
    this.counted(page.total);
  }

  /** Applies rows as the program lists them now. */
  #update(rows: readonly ThreadRow[], gone: readonly number[]): void {
    if (!this.#isSearch) {
      this.change(rows, gone);
      return;
    }
    const entering: ThreadRow[] = [];
    for (const row of rows) {
      if (this.has(row.id)) this.rows.set(row.id, row);
      else entering.push(row);
    }
    this.#addNew(entering);
  }

  #removeRows(leaving: ReadonlySet<number>): void {
    this.remove(leaving);
    for (const id of leaving) {
      this.#removed.add(id);
      this.#pending.remove(id);
    }
    this.settling.start();
  }

  /** Moves rows up to where they belong, or lets them wait where rows have to stay in their place. */
  #raise(rows: readonly ThreadRow[]): void {
    for (const row of rows) if (row.unread > 0 && !this.isOpen(row.id)) this.#pending.add(row);
    if (!this.atTop || this.above || this.pointed || this.isHeld()) return;
    this.#resort(rows);
    void this.admitPending().catch(() => {});
    this.settling.start(rows.map((row) => row.id));
  }

  #resort(rows: readonly ThreadRow[]): void {
    if (rows.length > 0) this.resort(rows, () => 0);
  }

  /** Inserts new rows at the very top of the list and lets them wait elsewhere. Returning rows go to their position. */
  #addNew(rows: readonly ThreadRow[]): void {
    const isNewest = this.newness();
    const at: ThreadRow[] = [];
    for (const row of rows) {
      const back = this.#removed.delete(row.id);
      const fresh = !back && isNewest(row);
      const side = this.sideOf(row);
      if (side === 'below' || (side === 'above' && !fresh)) this.#recountSoon();
      else if (side === 'above' || (fresh && !(this.atTop && !this.above))) this.#pending.add(row);
      else at.push(row);
    }
    for (const row of at) this.#pending.remove(row.id);
    this.#insert(at);
  }

  #insert(rows: readonly ThreadRow[]): void {
    if (rows.length === 0) return;
    this.insert(rows, () => (this.atTop ? 0 : Math.max(0, this.indexOf(this.topVisible))));
    this.#reloadIfOverfull();
  }

  /** Refetches a list that has grown too long within a single page. */
  #reloadIfOverfull(): void {
    if (this.overfull) this.refetch().catch(() => {});
  }

  #recountSoon(): void {
    this.#countTimer ??= setTimeout(async () => {
      this.#countTimer = undefined;
      const round = this.#round;
      const page = await this.#platform.threads(listQuery(this.listing, 1)).catch(() => null);
      if (page && round === this.#round) this.counted(page.total);
    }, COUNT_PAUSE);
  }

  #refetchSoon(): void {
    if (this.#concurrent.recording) return;
    this.#countTimer ??= setTimeout(() => {
      this.#countTimer = undefined;
      void this.refetch().catch(() => {});
    }, COUNT_PAUSE);
  }
}
