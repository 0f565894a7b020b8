// The threads of one place, or those found, as far as they were asked for. Keeps their order until the list is left:
// what arrives further up waits, what changes changes where it stands.
import { SvelteMap } from 'svelte/reactivity';
import type { Place } from '../generated/Place';
import type { ThreadPage } from '../generated/ThreadPage';
import type { ThreadRow } from '../generated/ThreadRow';
import type { Platform } from '../platform/platform';
import { belongs } from './marks';
import { top } from './queries';

const PAGE = 200;
const MOST = 500;
/** Between two askings for the same list while much arrives, ms. */
const BREATH = 250;
/** The longest animation of a leaving row, ms. */
const SETTLE = 160;

export class ThreadList {
  place: Place = $state.raw({ place: 'inbox' });
  /** The words that were searched for; none lists the place. */
  search: string | null = $state(null);
  ids: readonly number[] = $state.raw([]);
  total = $state(0);
  /** How many new threads wait above. */
  waiting = $state(0);
  /** A row has just left: the ones below may glide up. */
  settling = $state(false);
  /** Counts the lists that were shown, so that a new one starts at its top. */
  shown = $state(0);
  readonly rows = new SvelteMap<number, ThreadRow>();
  /** Whether the newest row is on screen; the pane sets it. */
  atTop = true;
  /** The uppermost thread that is wholly on screen; the pane sets it. */
  inSight: number | null = null;

  readonly #platform: Platform;
  readonly #placed = new Map<number, number>();
  readonly #waiting = new Map<number, ThreadRow>();
  readonly #seen = new Set<number>();
  /** Threads that left this list and may come back to their place. */
  readonly #left = new Set<number>();
  #next: string | null = null;
  #round = 0;
  #asking = false;
  /** What changed while an answer was under way that may not know of it. */
  readonly #heard = new Map<number, ThreadRow | null>();
  #asks = 0;
  #settle: ReturnType<typeof setTimeout> | undefined;
  #breath: ReturnType<typeof setTimeout> | undefined;
  #again = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  stop(): void {
    this.#round += 1;
    clearTimeout(this.#settle);
    clearTimeout(this.#breath);
  }

  /** The time that decided where a row stands, ms since 1970. */
  placedAt(index: number): number {
    return this.#placed.get(this.ids[index] ?? -1) ?? 0;
  }

  row(index: number): ThreadRow | undefined {
    const id = this.ids[index];
    return id === undefined ? undefined : this.rows.get(id);
  }

  indexOf(id: number | null): number {
    return id === null ? -1 : this.ids.indexOf(id);
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
  take(place: Place, search: string | null, page: ThreadPage): void {
    this.#round += 1;
    this.#asking = false;
    this.place = place;
    this.search = search;
    this.#fill(page);
    this.atTop = true;
    this.inSight = null;
    this.shown += 1;
    this.#catchUp();
  }

  /** Leaves the list and shows another one, from its newest row. */
  async show(place: Place, search: string | null): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    const page = await this.during(this.#platform.threads(top(place, PAGE, search)));
    if (round === this.#round) this.take(place, search, page);
  }

  /** Fetches the rows after the last one. */
  async more(): Promise<void> {
    if (this.#asking || this.#next === null) return;
    this.#asking = true;
    const round = this.#round;
    try {
      const after = this.#next;
      const page = await this.during(this.#platform.threads({ ...top(this.place, PAGE, this.search), after }));
      if (round !== this.#round) return;
      const added = page.rows.filter((row) => !this.rows.has(row.id) && !this.#waiting.has(row.id));
      for (const row of added) this.#keep(row);
      this.ids = [...this.ids, ...added.map((row) => row.id)];
      this.#next = page.next;
      this.total = Math.max(page.total, this.ids.length);
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
      const limit = Math.min(Math.max(this.ids.length, PAGE), MOST);
      const page = await this.during(this.#platform.threads(top(this.place, limit, this.search)));
      if (round !== this.#round) return;
      this.#reconcile(page);
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
    const leaving = new Set(gone.filter((id) => this.rows.has(id)));
    const entering: ThreadRow[] = [];
    for (const id of gone) this.#waiting.delete(id);
    for (const row of rows) {
      const old = this.rows.get(row.id);
      if (old) {
        if (this.#stays(row)) this.rows.set(row.id, this.#kept(old, row));
        else leaving.add(row.id);
      } else if (this.search === null && belongs(row, this.place, false)) {
        entering.push(row);
      } else {
        this.#waiting.delete(row.id);
      }
    }
    if (leaving.size > 0) this.#drop(leaving);
    if (entering.length > 0) this.#enter(entering);
    this.waiting = this.#waiting.size;
  }

  /** Sets a row as it is about to be; it leaves when it no longer belongs here. */
  foresee(row: ThreadRow): void {
    if (!this.rows.has(row.id)) return;
    if (this.#stays(row)) this.rows.set(row.id, row);
    else this.#drop(new Set([row.id]));
  }

  /** Lets in what waits above. */
  admit(): void {
    const rows = [...this.#waiting.values()];
    this.#waiting.clear();
    this.waiting = 0;
    this.#insert(rows);
  }

  /** The rows among these that are seen for the first time. Their halo stays until the list is left. */
  see(ids: readonly number[]): number[] {
    const seen = ids.filter((id) => !this.#seen.has(id) && this.rows.get(id)?.unseen);
    for (const id of seen) this.#seen.add(id);
    return seen;
  }

  #catchUp(): void {
    const rows: ThreadRow[] = [];
    const gone: number[] = [];
    for (const [id, row] of this.#heard) {
      if (row) rows.push(row);
      else gone.push(id);
    }
    this.change(rows, gone);
  }

  /** A row as it is now, with what only the list knows: found words, and the halo of what was just seen. */
  #kept(old: ThreadRow, row: ThreadRow): ThreadRow {
    const kept = { ...row, unseen: row.unseen || (old.unseen && this.#seen.has(row.id)) };
    return this.search === null ? kept : { ...kept, what: old.what };
  }

  /** Found rows stay whatever becomes of them. */
  #stays(row: ThreadRow): boolean {
    return this.search !== null || belongs(row, this.place, true);
  }

  #keep(row: ThreadRow): void {
    this.rows.set(row.id, row);
    this.#placed.set(row.id, row.time);
  }

  #fill(page: ThreadPage): void {
    this.rows.clear();
    this.#placed.clear();
    this.#waiting.clear();
    this.#seen.clear();
    this.#left.clear();
    this.waiting = 0;
    for (const row of page.rows) this.#keep(row);
    this.ids = [...new Set(page.rows.map((row) => row.id))];
    this.#next = page.next;
    this.total = Math.max(page.total, this.ids.length);
  }

  #reconcile(page: ThreadPage): void {
    const known = page.rows.some((row) => this.rows.has(row.id));
    if (this.atTop && (!known || this.search !== null)) {
      this.#fill(page);
      return;
    }
    const now = new Map(page.rows.map((row) => [row.id, row]));
    const oldest = page.next === null ? -Infinity : (page.rows.at(-1)?.time ?? -Infinity);
    const gone = this.ids.filter((id) => {
      const listed = this.rows.get(id);
      return !now.has(id) && listed && this.place.place !== 'unread' && (this.#placed.get(id) ?? 0) > oldest;
    });
    this.change(page.rows, gone);
    this.#next ??= page.next;
    this.total = Math.max(page.total, this.ids.length);
  }

  #drop(leaving: ReadonlySet<number>): void {
    this.ids = this.ids.filter((id) => !leaving.has(id));
    for (const id of leaving) {
      this.#left.add(id);
      this.rows.delete(id);
      this.#placed.delete(id);
    }
    this.total = Math.max(this.total - leaving.size, this.ids.length);
    this.settling = true;
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => {
      this.settling = false;
    }, SETTLE);
  }

  /** At the very top they come in at once, further down the newer ones wait; older ones return to their place. */
  #enter(rows: ThreadRow[]): void {
    const newest = this.ids.length > 0 ? this.placedAt(0) : -Infinity;
    const last = this.#next === null ? -Infinity : this.placedAt(this.ids.length - 1);
    const at: ThreadRow[] = [];
    for (const row of rows) {
      if (row.time >= newest && !this.atTop && !this.#left.delete(row.id)) this.#waiting.set(row.id, row);
      else if (row.time >= last) at.push(row);
      else this.total += 1;
    }
    this.#insert(at);
  }

  #insert(rows: readonly ThreadRow[]): void {
    if (rows.length === 0) return;
    for (const row of rows) this.#keep(row);
    const entering = [...rows].sort((a, b) => b.time - a.time || b.id - a.id).map((row) => row.id);
    const ids: number[] = [];
    let at = 0;
    for (const id of this.ids) {
      const time = this.#placed.get(id) ?? 0;
      for (; at < entering.length && (this.#placed.get(entering[at] ?? -1) ?? 0) >= time; at += 1)
        ids.push(entering[at] ?? -1);
      ids.push(id);
    }
    this.ids = [...ids, ...entering.slice(at)];
    this.total = Math.max(this.total + rows.length, this.ids.length);
  }
}
