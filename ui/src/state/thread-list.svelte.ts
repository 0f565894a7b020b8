// The threads of one place, or those found: a window of rows onto a list of any length. Keeps their order until the
// list is left: what arrives further up waits, what changes changes where it stands. Refuses to hold the whole list.
import { SvelteMap } from 'svelte/reactivity';
import type { Grouping } from '../generated/Grouping';
import type { Place } from '../generated/Place';
import type { ThreadPage } from '../generated/ThreadPage';
import type { ThreadQuery } from '../generated/ThreadQuery';
import type { ThreadRow } from '../generated/ThreadRow';
import type { Platform } from '../platform/platform';
import { belongs } from './marks';
import { type Listing, queryOf } from './queries';
import { further, merged, type Stand, standOf } from './thread-list-order';
import { Pages } from './thread-list-pages';

const PAGE = 200;
/** Rows that are asked for again at once. */
const AGAIN = 400;
/** Rows that are kept: beyond this the end that is further from the eye is given up. */
const MOST = 1600;
/** Rows that wait above; beyond this the list is asked for again when they are let in. */
const WAITING = 500;
/** Between two askings for the same list while much arrives, ms. */
const BREATH = 250;
/** Between two askings for how long the list is, ms. */
const COUNT = 1000;
/** The longest animation of a leaving row, ms. */
const SETTLE = 160;

export class ThreadList {
  place: Place = $state.raw({ place: 'inbox' });
  /** The query that was searched for, or filters within the place; none lists the place. */
  search: string | null = $state(null);
  /** The query filters the place, also the inbox; else it looks everywhere. */
  within = $state(false);
  group: Grouping = $state('day');
  ids: readonly number[] = $state.raw([]);
  /** Rows of the list above those that are here. */
  offset = $state(0);
  total = $state(0);
  /** How many new threads wait above. */
  waiting = $state(0);
  /** A row has just left: the ones below may glide up. */
  settling = $state(false);
  /** Counts the lists that were shown, so that a new one starts at its top. */
  shown = $state(0);
  readonly rows = new SvelteMap<number, ThreadRow>();
  /** Whether the first row that is here is on screen; the pane sets it. */
  atTop = true;
  /** The uppermost thread that is wholly on screen; the pane sets it. */
  inSight: number | null = null;
  /** Where a source stands among the sources; the page sets it. */
  rank: (source: number) => number = () => 0;
  /** Rows whose data is wanted also when they are not in the window; the page sets it. */
  keeps: (id: number) => boolean = () => false;

  readonly #platform: Platform;
  readonly #pages = new Pages();
  readonly #stands = new Map<number, Stand>();
  /** Rows that wait above; of very many only their ids. */
  readonly #waiting = new Map<number, ThreadRow | null>();
  readonly #seen = new Set<number>();
  /** Threads that left this list and may come back to their place. */
  readonly #left = new Set<number>();
  #round = 0;
  #asking = false;
  /** What changed while an answer was under way that may not know of it. */
  readonly #heard = new Map<number, ThreadRow | null>();
  #asks = 0;
  #settle: ReturnType<typeof setTimeout> | undefined;
  #breath: ReturnType<typeof setTimeout> | undefined;
  #count: ReturnType<typeof setTimeout> | undefined;
  #again = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  stop(): void {
    this.#round += 1;
    for (const timer of [this.#settle, this.#breath, this.#count]) clearTimeout(timer);
    this.#count = undefined;
  }

  get listing(): Listing {
    return { place: this.place, search: this.search, within: this.within, group: this.group };
  }

  /** What decided where a row stands. */
  standAt(index: number): Stand | undefined {
    return this.#stands.get(this.ids[index] ?? -1);
  }

  row(index: number): ThreadRow | undefined {
    const id = this.ids[index];
    return id === undefined ? undefined : this.rows.get(id);
  }

  indexOf(id: number | null): number {
    return id === null ? -1 : this.ids.indexOf(id);
  }

  has(id: number): boolean {
    return this.#stands.has(id);
  }

  /** Whether the list goes on above, and below, what is here. */
  get above(): boolean {
    return this.#pages.prev !== null;
  }

  get below(): boolean {
    return this.#pages.next !== null;
  }

  /** While an answer is awaited, what changes is remembered and applied after it. */
  async during<T>(answer: Promise<T>): Promise<T> {
    if (this.#asks === 0) this.#heard.clear();
    this.#asks += 1;
    try {
      return await answer;
    } finally {
      this.#asks -= 1;
    }
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
    this.#fill(page);
    this.atTop = true;
    this.inSight = null;
    this.shown += 1;
    this.#catchUp();
  }

  /** Leaves the list and shows another one, from its first row or from its last. */
  async show(listing: Listing, bottom = false): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    const page = await this.#ask({ ...queryOf(listing, PAGE), bottom });
    if (round === this.#round) this.take(listing, page);
  }

  /** The very first rows, or the very last ones, of this list. */
  async jump(to: 'top' | 'bottom'): Promise<void> {
    if (to === 'top' ? this.above : this.below) await this.show(this.listing, to === 'bottom');
  }

  /** Fetches the rows after the last one, or before the first. */
  async more(where: 'above' | 'below' = 'below'): Promise<void> {
    const cursor = where === 'below' ? this.#pages.next : this.#pages.prev;
    if (this.#asking || cursor === null) return;
    this.#asking = true;
    const round = this.#round;
    try {
      const page = await this.#ask({
        ...queryOf(this.listing, PAGE),
        [where === 'below' ? 'after' : 'before']: cursor,
      });
      if (round !== this.#round) return;
      const added = page.rows.filter((row) => !this.has(row.id) && !this.#waiting.has(row.id));
      for (const row of added) this.#keep(row);
      const ids = added.map((row) => row.id);
      this.#pages.add(where, page, ids);
      this.ids = where === 'below' ? [...this.ids, ...ids] : [...ids, ...this.ids];
      if (where === 'above') this.offset = this.above ? Math.max(0, this.offset - ids.length) : 0;
      this.#bound(where === 'below' ? 'above' : 'below');
      this.#counted(page.total);
      this.#catchUp();
    } finally {
      if (round === this.#round) this.#asking = false;
    }
  }

  /** Asks again for what is shown, without moving it. Calls that come meanwhile become one more. */
  async refetch(): Promise<void> {
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
    if (this.#asks > 0) {
      for (const row of rows) this.#heard.set(row.id, row);
      for (const id of gone) this.#heard.set(id, null);
    }
    const leaving = new Set(gone.filter((id) => this.has(id)));
    const entering: ThreadRow[] = [];
    for (const id of gone) this.#waiting.delete(id);
    for (const row of rows) {
      const old = this.rows.get(row.id);
      if (old && !this.has(row.id)) this.rows.set(row.id, row);
      else if (old) {
        if (this.#stays(row)) this.rows.set(row.id, this.#kept(old, row));
        else leaving.add(row.id);
      }
      if (old && this.has(row.id)) continue;
      if (!this.#asked && belongs(row, this.place, false)) entering.push(row);
      else this.#waiting.delete(row.id);
    }
    if (leaving.size > 0) this.#drop(leaving);
    if (entering.length > 0) this.#enter(entering);
    // Only the program can tell what a query finds.
    if (this.#asked && rows.some((row) => !this.has(row.id))) this.#lookAgain();
    this.waiting = this.#waiting.size;
  }

  /** Sets rows as they are about to be; they leave when they no longer belong here. */
  foresee(...rows: readonly ThreadRow[]): void {
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
    const rows = [...this.#waiting.values()].filter((row) => row !== null);
    const all = rows.length === this.#waiting.size && !this.above;
    this.#waiting.clear();
    this.waiting = 0;
    if (all) this.#insert(rows);
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

  #ask(query: ThreadQuery): Promise<ThreadPage> {
    return this.during(this.#platform.threads(query));
  }

  /** Asks for the rows around what is in sight; null where they cannot be asked for. */
  #around(): ThreadQuery | null {
    const query = queryOf(this.listing, AGAIN);
    const at = Math.max(0, this.indexOf(this.inSight));
    if (!this.above && at < AGAIN - PAGE / 2) return query;
    const cursor = this.#pages.around(this.ids[at]);
    if (cursor) return { ...query, ...cursor };
    return this.below ? null : { ...query, bottom: true };
  }

  #catchUp(): void {
    const rows: ThreadRow[] = [];
    const gone: number[] = [];
    for (const [id, row] of this.#heard) {
      if (row) rows.push(row);
      else gone.push(id);
    }
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

  #stand(row: ThreadRow): Stand {
    return standOf(row, this.group, this.rank);
  }

  #keep(row: ThreadRow): void {
    this.rows.set(row.id, row);
    this.#stands.set(row.id, this.#stand(row));
  }

  #forget(id: number): void {
    if (!this.keeps(id)) this.rows.delete(id);
    this.#stands.delete(id);
    this.#pages.forget(id);
  }

  #fill(page: ThreadPage): void {
    for (const id of [...this.rows.keys()]) if (!this.keeps(id)) this.rows.delete(id);
    this.#stands.clear();
    this.#waiting.clear();
    this.#seen.clear();
    this.#left.clear();
    this.waiting = 0;
    for (const row of page.rows) this.#keep(row);
    this.ids = [...new Set(page.rows.map((row) => row.id))];
    this.#pages.reset(page, this.ids);
    this.#counted(page.total);
    this.offset = page.prev === null ? 0 : this.total - this.ids.length;
  }

  /** What was asked for again: rows change where they stand, new ones come in, and what is beyond the page is given up. */
  #reconcile(page: ThreadPage): void {
    if (this.atTop && !page.rows.some((row) => this.has(row.id))) {
      this.#fill(page);
      return;
    }
    const now = new Set(page.rows.map((row) => row.id));
    const first = page.rows[0] && this.#stand(page.rows[0]);
    const last = page.rows.at(-1) && this.#stand(page.rows.at(-1) as ThreadRow);
    const beyond = (stand: Stand) =>
      (page.next !== null && last !== undefined && further(last, stand) < 0) ||
      (page.prev !== null && first !== undefined && further(stand, first) < 0);
    const whole = page.prev === null && !this.#asked && this.place.place !== 'unread';
    const gone: number[] = [];
    const kept: number[] = [];
    let cut = 0;
    for (const id of this.ids) {
      const stand = this.#stands.get(id);
      if (stand && beyond(stand)) {
        if (kept.length === 0) cut += 1;
        this.#forget(id);
      } else {
        kept.push(id);
        if (whole && !now.has(id)) gone.push(id);
      }
    }
    this.offset = page.prev === null ? 0 : this.offset + cut;
    this.ids = kept;
    this.#pages.reset(page, kept);
    this.#refresh(page.rows, gone);
    this.#counted(page.total);
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
    this.waiting = this.#waiting.size;
  }

  #drop(leaving: ReadonlySet<number>): void {
    this.ids = this.ids.filter((id) => !leaving.has(id));
    for (const id of leaving) {
      this.#left.add(id);
      this.#forget(id);
    }
    this.#counted(this.total - leaving.size);
    this.settling = true;
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => {
      this.settling = false;
    }, SETTLE);
  }

  /** At the very top they come in at once, further down the newer ones wait; older ones return to their place. */
  #enter(rows: readonly ThreadRow[]): void {
    const first = this.standAt(0);
    const last = this.standAt(this.ids.length - 1);
    const newest = this.#newest();
    const at: ThreadRow[] = [];
    for (const row of rows) {
      const stand = this.#stand(row);
      const back = this.#left.delete(row.id);
      const fresh = !back && row.time >= (newest.get(stand.rank) ?? -Infinity);
      if (this.below && last && further(last, stand) < 0) this.#recount();
      else if (this.above && first && further(stand, first) < 0) {
        if (fresh) this.#await(row);
        else this.#recount();
      } else if (fresh && !(this.atTop && !this.above)) this.#await(row);
      else at.push(row);
    }
    for (const row of at) this.#waiting.delete(row.id);
    this.#insert(at);
  }

  #await(row: ThreadRow): void {
    this.#waiting.set(row.id, this.#waiting.size < WAITING ? row : null);
  }

  /** The time of the newest row under each heading that rows are sorted by. */
  #newest(): Map<number, number> {
    const newest = new Map<number, number>();
    for (const id of this.ids) {
      const stand = this.#stands.get(id);
      if (stand && !newest.has(stand.rank)) newest.set(stand.rank, stand.time);
      if (this.group !== 'source') break;
    }
    return newest;
  }

  #insert(rows: readonly ThreadRow[]): void {
    if (rows.length === 0) return;
    for (const row of rows) this.#keep(row);
    const entering = rows.map((row) => this.#stand(row)).sort(further);
    this.ids = merged(this.ids, entering, (id) => this.#stands.get(id) ?? { rank: 0, time: 0, id });
    const came = new Set(entering.map((stand) => stand.id));
    let beside: number | undefined;
    for (let at = this.ids.length - 1; at >= 0; at -= 1) {
      const id = this.ids[at] as number;
      if (came.has(id)) this.#pages.join(id, beside);
      else beside = id;
    }
    this.#counted(this.total + rows.length);
    const sight = this.atTop ? 0 : Math.max(0, this.indexOf(this.inSight));
    this.#bound(sight > this.ids.length / 2 ? 'above' : 'below');
  }

  /** Gives up pages at one end; a single page that grew too long is asked for anew. */
  #bound(end: 'above' | 'below'): void {
    while (this.ids.length > MOST && this.#pages.several) {
      const count = this.#pages.giveUp(end, this.ids);
      const given = end === 'above' ? this.ids.slice(0, count) : this.ids.slice(this.ids.length - count);
      this.ids = end === 'above' ? this.ids.slice(count) : this.ids.slice(0, this.ids.length - count);
      for (const id of given) this.#forget(id);
      if (end === 'above') this.offset += count;
    }
    if (this.ids.length > MOST) this.refetch().catch(() => {});
  }

  /** The program's count, or one that is nearly right until it is asked for. */
  #counted(total: number): void {
    this.total = Math.max(total, this.offset + this.ids.length);
  }

  #recount(): void {
    this.#count ??= setTimeout(async () => {
      this.#count = undefined;
      const round = this.#round;
      const page = await this.#platform.threads(queryOf(this.listing, 1)).catch(() => null);
      if (page && round === this.#round) this.#counted(page.total);
    }, COUNT);
  }

  #lookAgain(): void {
    if (this.#asks > 0) return;
    this.#count ??= setTimeout(() => {
      this.#count = undefined;
      void this.refetch().catch(() => {});
    }, COUNT);
  }
}
