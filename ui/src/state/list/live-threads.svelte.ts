// The threads of a list, kept up with what changes. At its top new threads come in, and threads with something new move
// up. Both wait above, and rows keep their order, while the list is scrolled down, or its rows are under the pointer or
// selected.
import type { Place } from '../../generated/Place';
import type { ThreadPage } from '../../generated/ThreadPage';
import type { ThreadRow } from '../../generated/ThreadRow';
import { asListed, belongs } from '../marks/marks';
import { ConcurrentChanges } from './concurrent-changes';
import type { Listing } from './list-query';
import { PendingRows } from './pending-rows.svelte';
import { Settling } from './settling.svelte';
import { ThreadWindow } from './thread-window.svelte';

export abstract class LiveThreads extends ThreadWindow {
  place: Place = $state.raw({ place: 'inbox' });
  /** The query of the list, of a search or of filters within the place; null lists the place. */
  search: string | null = $state(null);
  /** Whether the query filters the place, which may be the inbox, instead of searching everywhere. */
  within = $state(false);
  readonly settling = new Settling();
  /** Whether the list is scrolled to its top; set by the pane. */
  atTop = true;
  /** The uppermost thread that is wholly on screen; set by the pane. */
  topVisible: number | null = null;
  /** The indexes of the first and the last row on screen; set by the pane. */
  firstOnScreen = $state(0);
  lastOnScreen = $state(-1);
  /** Whether the pointer is over a row; set by the pane. */
  pointed = false;
  /** Whether rows are selected, so that all have to stay where they are; set by the composition. */
  isHeld: () => boolean = () => false;
  /** Takes the threads that are about to leave the list; set by the composition. */
  leave: (ids: ReadonlySet<number>) => void = () => {};
  /** Whether a thread is open on screen, where what arrives in it is seen; set by the composition. */
  isOpen: (id: number) => boolean = () => false;

  protected readonly pending = new PendingRows();
  protected readonly concurrent = new ConcurrentChanges();
  readonly #seen = new Set<number>();
  /** Threads that have left this list, and return to their position in it. */
  readonly #removed = new Set<number>();

  /** Loads and shows a list from its first row. */
  abstract show(listing: Listing): Promise<void>;
  /** Asks for the length of the list, or for its rows, after a pause. */
  protected abstract recountSoon(): void;
  protected abstract refetchSoon(): void;
  /** Refetches a list that has grown too long within a single page. */
  protected abstract reloadIfOverfull(): void;

  /** Whether threads wait to come in or move up at the top. */
  get hasPending(): boolean {
    return this.pending.count > 0;
  }

  /** The number of waiting threads of which the reader sees nothing. */
  get freshOutOfSight(): number {
    return this.pending.countBeside(this.ids.slice(this.firstOnScreen, this.lastOnScreen + 1));
  }

  get listing(): Listing {
    return { place: this.place, search: this.search, within: this.within, group: this.group };
  }

  /** Awaits an answer; changes that arrive before it are applied after it. */
  during<T>(answer: Promise<T>): Promise<T> {
    return this.concurrent.during(answer);
  }

  /** Applies changed rows and removes gone threads. */
  change(changed: readonly ThreadRow[], gone: readonly number[]): void {
    this.concurrent.record(changed, gone);
    const rows = changed.map((row) => asListed(row, this.place));
    const leaving = new Set(gone.filter((id) => this.has(id)));
    const entering: ThreadRow[] = [];
    const rising: ThreadRow[] = [];
    // Only the program can decide what a query finds: in threads that are not listed, and in others with more or fewer
    // items.
    const asks = this.isSearch && rows.some((row) => this.#mayShowAnother(row));
    for (const id of gone) this.pending.remove(id);
    for (const row of rows) {
      const old = this.rows.get(row.id);
      if (old && !this.has(row.id)) this.rows.set(row.id, row);
      else if (old) {
        if (this.#stays(row)) this.rows.set(row.id, this.#merge(old, row));
        else leaving.add(row.id);
        if (row.unread === 0) this.pending.remove(row.id);
        if (!this.isSearch && !leaving.has(row.id) && this.rose(row)) rising.push(row);
      }
      if (old && this.has(row.id)) continue;
      if (!this.isSearch && belongs(row, this.place, false)) entering.push(row);
      else this.pending.remove(row.id);
    }
    if (leaving.size > 0) this.#removeRows(leaving);
    if (entering.length > 0) this.#addNew(entering);
    if (rising.length > 0) this.#raise(rising);
    if (asks || (this.isSearch && rows.some((row) => !this.has(row.id)))) this.refetchSoon();
  }

  /** Whether a search may find another item in a changed row: it has something new, or what was found is deleted. */
  #mayShowAnother(row: ThreadRow): boolean {
    const old = this.rows.get(row.id);
    return old !== undefined && (row.total !== old.total || (old.hit === undefined && row.time > old.time));
  }

  /** Whether something new came into a listed thread. The time of a row in a search is that of what was found. */
  grew(row: ThreadRow): boolean {
    const old = this.rows.get(row.id);
    if (!old || !this.has(row.id)) return false;
    return this.isSearch ? row.total > old.total : row.time > old.time;
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

  /** Whether what would come in or move up at the top has to wait. */
  get #mustWait(): boolean {
    return this.above || (this.ids.length > 0 && (!this.atTop || this.pointed || this.isHeld()));
  }

  /** Brings in the threads that wait above, if nothing holds the rows in their places any more. */
  letIn(): void {
    if (this.hasPending && !this.#mustWait) void this.admitPending().catch(() => {});
  }

  /** Brings in the threads that wait above. */
  async admitPending(): Promise<void> {
    const rows = this.pending.take();
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
  protected get isSearch(): boolean {
    return this.search !== null || this.place.place === 'saved';
  }

  /** A changed row with the properties that only the list has: what was found, and whether it was new. */
  #merge(old: ThreadRow, row: ThreadRow): ThreadRow {
    const kept = { ...row, unseen: row.unseen || (old.unseen && this.#seen.has(row.id)) };
    if (!this.isSearch) return kept;
    // A row shows one item: the one that was found, until the program says what is found now.
    const { who, who_short, what, snippet, sentence, avatar, icon, link, priority, shown_at, hit } = old;
    const shown = { who, who_short, what, snippet, sentence, avatar, icon, link, priority, shown_at, hit };
    const woken_at = old.woken_at === undefined ? undefined : row.woken_at;
    const question = row.question?.msgid === old.question?.msgid ? row.question : undefined;
    return { ...kept, ...shown, woken_at, question, time: this.within ? row.time : old.time };
  }

  /** Whether a changed row stays listed. Results of a search everywhere always stay. */
  #stays(row: ThreadRow): boolean {
    return this.isSearch ? !this.within || belongs(row, this.place, true) : belongs(row, this.place, true);
  }

  /** Applies rows as the program lists them now. */
  protected update(rows: readonly ThreadRow[], gone: readonly number[]): void {
    if (!this.isSearch) {
      this.change(rows, gone);
      return;
    }
    const entering: ThreadRow[] = [];
    const rising: ThreadRow[] = [];
    for (const row of rows) {
      if (!this.has(row.id)) entering.push(row);
      else {
        this.rows.set(row.id, row);
        // The new items in it were found: the row belongs further up, and shows that.
        if (this.rose(row)) rising.push(row);
      }
    }
    this.#addNew(entering);
    if (rising.length > 0) this.#raise(rising);
  }

  #removeRows(leaving: ReadonlySet<number>): void {
    this.leave(leaving);
    this.remove(leaving);
    for (const id of leaving) {
      this.#removed.add(id);
      this.pending.remove(id);
    }
    this.settling.start();
    this.letIn();
  }

  /** Moves rows up to where they belong, or lets them wait. */
  #raise(rows: readonly ThreadRow[]): void {
    for (const row of rows) if (row.unread > 0 && !this.isOpen(row.id)) this.pending.add(row);
    if (this.#mustWait) return;
    this.#resort(rows);
    void this.admitPending().catch(() => {});
    this.settling.start(rows.map((row) => row.id));
  }

  #resort(rows: readonly ThreadRow[]): void {
    if (rows.length > 0) this.resort(rows, () => 0);
  }

  /** Inserts new rows at the top of the list, or lets them wait. Returning rows go to their position. */
  #addNew(rows: readonly ThreadRow[]): void {
    const isNewest = this.newness();
    const at: ThreadRow[] = [];
    for (const row of rows) {
      const back = this.#removed.delete(row.id);
      const fresh = !back && isNewest(row);
      const side = this.sideOf(row);
      if (side === 'below' || (side === 'above' && !fresh)) this.recountSoon();
      else if (side === 'above' || (fresh && this.#mustWait)) this.pending.add(row);
      else at.push(row);
    }
    for (const row of at) this.pending.remove(row.id);
    this.#insert(at);
  }

  #insert(rows: readonly ThreadRow[]): void {
    if (rows.length === 0) return;
    this.insert(rows, () => (this.atTop ? 0 : Math.max(0, this.indexOf(this.topVisible))));
    this.reloadIfOverfull();
  }

  /** Applies the changes that arrived during a request, after its answer. */
  protected applyRecorded(): void {
    const { rows, gone } = this.concurrent.recorded;
    if (rows.length + gone.length > 0) this.change(rows, gone);
  }

  /** Starts a new list with its first page. */
  protected start(page: ThreadPage): void {
    this.pending.clear();
    this.#seen.clear();
    this.#removed.clear();
    this.fill(page);
  }
}
