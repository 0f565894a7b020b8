// The list of threads of a place or a search: loads its rows as they come near, and asks again for what only the
// program knows. What happens with changed rows is decided in LiveThreads.
import type { ThreadPage } from '../../generated/ThreadPage';
import type { ThreadQuery } from '../../generated/ThreadQuery';
import type { Platform } from '../../platform/platform';
import { belongs } from '../marks/marks';
import { OptimisticUpdates } from '../marks/optimistic-updates';
import { type Listing, listQuery } from './list-query';
import { LiveThreads } from './live-threads.svelte';

const PAGE = 200;
/** The number of rows with which another list begins: no more are read, sent and kept before its first are painted. */
const FIRST_PAGE = 40;
/** More rows are loaded when one in use is this close to an end of the loaded rows, or in the half of them before it. */
const NEAR_END = 50;
/** As many pages are loaded in a row of which no row is left to show: more marks than that are not under way. */
const MOST_EMPTY_PAGES = 16;
/** The number of rows in a refetch. */
const REFETCH = 400;
/** The pause between two refetches while changes arrive, ms. */
const REFETCH_PAUSE = 250;
/** The pause between two requests for the length of the list, ms. */
const COUNT_PAUSE = 1000;

export class ThreadList extends LiveThreads {
  /** Counts the lists that were shown, so that a new one starts at its top. */
  shown = $state(0);
  /** Marks that the program may not have set yet. */
  readonly optimistic = new OptimisticUpdates();
  readonly #platform: Platform;
  #round = 0;
  #loading = false;
  /** The pages in a row of which no row was left to show. */
  #emptyPages = 0;
  #refetchTimer: ReturnType<typeof setTimeout> | undefined;
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  #askTimer: ReturnType<typeof setTimeout> | undefined;
  /** Those that asked for a refetch during a request, and wait for it. */
  #waiting: (() => void)[] = [];
  /** The number of calls of `replacing` under way, and whether to refetch after them. */
  #showing = 0;
  #refetchMissed = false;

  constructor(platform: Platform) {
    super();
    this.#platform = platform;
  }

  stop(): void {
    this.#round += 1;
    this.settling.stop();
    for (const timer of [this.#refetchTimer, this.#countTimer, this.#askTimer]) clearTimeout(timer);
    this.#countTimer = undefined;
    this.#askTimer = undefined;
  }

  /** Shows a list whose first page is loaded already. */
  take(listing: Listing, page: ThreadPage): void {
    this.#round += 1;
    this.#loading = false;
    for (const done of this.#waiting.splice(0)) done();
    this.place = listing.place;
    this.search = listing.search;
    this.within = listing.within;
    this.group = listing.group;
    this.start(page);
    this.settling.end();
    this.atTop = true;
    this.topVisible = null;
    this.shown += 1;
    this.applyRecorded();
    this.#emptyPages = 0;
    this.#goOn(page.prev === null ? 'below' : 'above');
  }

  /** Loads and shows another list, from its first row or from its last. */
  override async show(listing: Listing, bottom = false): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    await this.replacing(async () => {
      const page = await this.#fetch({ ...listQuery(listing, bottom ? PAGE : FIRST_PAGE), bottom });
      if (round === this.#round) this.take(listing, page);
    });
  }

  /** Awaits what takes another list. A refetch that is asked for meanwhile is made after it. */
  async replacing<T>(taken: () => Promise<T>): Promise<T> {
    this.#showing += 1;
    try {
      return await taken();
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
      const added = page.rows.filter((row) => !this.has(row.id) && !this.pending.has(row.id));
      this.add(where, added, page);
      this.reloadIfOverfull();
      this.applyRecorded();
    } finally {
      if (round === this.#round) this.#settle();
    }
    if (round === this.#round) this.#goOn(where);
  }

  /** Loads the next page if marks that the program has not set yet took out all rows. */
  #goOn(where: 'above' | 'below' = 'below'): void {
    if (this.ids.length > 0) this.#emptyPages = 0;
    else if (this.cursor(where) !== null && this.#emptyPages < MOST_EMPTY_PAGES) {
      this.#emptyPages += 1;
      void this.more(where).catch(() => {});
    }
  }

  /** Loads more rows if those from one index to another are close to an end of the loaded ones. */
  async loadNear(from: number, to = from): Promise<void> {
    const near = Math.min(NEAR_END, this.ids.length / 2);
    if (this.below && to >= this.ids.length - near) await this.more('below');
    else if (this.above && from < near) await this.more('above');
  }

  /** Requests the shown rows again, without moving them. Calls during a request cause one more afterwards, for which they
   * wait. */
  async refetch(): Promise<void> {
    // Another list is being loaded, and its answer may be older than the change that caused this call.
    if (this.#showing > 0) {
      this.#refetchMissed = true;
      return;
    }
    if (this.#loading) return new Promise((done) => this.#waiting.push(done));
    this.#loading = true;
    const round = this.#round;
    try {
      const query = this.#queryAround();
      const page = query && (await this.#fetch(query));
      if (round !== this.#round) return;
      if (page) this.#reconcile(page);
      else this.recountSoon();
      this.applyRecorded();
    } finally {
      if (round === this.#round) this.#settle();
    }
    if (round === this.#round) this.#goOn();
  }

  /** Ends a request, and makes the refetch that was asked for during it after a pause. */
  #settle(): void {
    this.#loading = false;
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    this.#refetchTimer = setTimeout(async () => {
      await this.refetch().catch(() => {});
      for (const done of waiting) done();
    }, REFETCH_PAUSE);
  }

  async #fetch(query: ThreadQuery): Promise<ThreadPage> {
    const page = await this.during(this.#platform.threads(query));
    const rows = this.optimistic.apply(page.rows, page.as_of);
    // What a mark has just taken out of the list does not come back with an answer from before it.
    const listed = query.search === null && query.place.place !== 'saved';
    return { ...page, rows: listed ? rows.filter((row) => belongs(row, query.place, true)) : rows };
  }

  /** The query for the rows around those on screen; null if no cursor leads there. */
  #queryAround(): ThreadQuery | null {
    const query = listQuery(this.listing, REFETCH);
    const at = Math.max(0, this.indexOf(this.topVisible));
    if (!this.above && at < REFETCH - PAGE / 2) return query;
    const cursor = this.around(at);
    if (cursor) return { ...query, ...cursor };
    return this.below ? null : { ...query, bottom: true };
  }

  /** Applies a refetched page: rows change in place, new ones are inserted, and rows beyond the page are unloaded. */
  #reconcile(page: ThreadPage): void {
    if (this.atTop && !page.rows.some((row) => this.has(row.id))) {
      this.start(page);
      return;
    }
    const whole = page.prev === null && !this.isSearch && this.place.place !== 'unread';
    const now = new Set(page.rows.map((row) => row.id));
    this.cutTo(page);
    const gone = whole ? this.ids.filter((id) => !now.has(id)) : [];
    this.update(page.rows, gone);
    this.counted(page.total, page.at_least);
  }

  /** Refetches a list that has grown too long within a single page. */
  protected override reloadIfOverfull(): void {
    if (this.overfull) this.refetch().catch(() => {});
  }

  protected override recountSoon(): void {
    this.#countTimer ??= setTimeout(async () => {
      this.#countTimer = undefined;
      const round = this.#round;
      const page = await this.#platform.threads(listQuery(this.listing, 1)).catch(() => null);
      if (page && round === this.#round) this.counted(page.total, page.at_least);
    }, COUNT_PAUSE);
  }

  protected override refetchSoon(): void {
    if (this.concurrent.recording) return;
    this.#askTimer ??= setTimeout(() => {
      this.#askTimer = undefined;
      void this.refetch().catch(() => {});
    }, COUNT_PAUSE);
  }
}
