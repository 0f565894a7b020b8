// The multi-selection of the list: single threads, ranges, or the whole list. What was selected last is the current
// thread, as in a file manager.
import { i18n } from '../../i18n/i18n.svelte';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import type { Navigation } from '../navigation/navigation.svelte';

interface Range {
  /** The end that stays. */
  readonly from: number;
  readonly to: number;
  /** What was selected beside the range. */
  readonly beside: ReadonlySet<number>;
}

export class Selection {
  /** The selected threads that are loaded; empty without a selection. */
  ids: ReadonlySet<number> = $state.raw(new Set());
  /** Whether the whole list is selected, including rows that are not loaded. */
  all = $state(false);
  /** The thread whose context menu is open; commands apply to it instead of the selection. */
  menuTarget: number | null = $state(null);
  /** Makes another thread the current one without reading it; set by the composition. */
  landOn: (id: number) => void = () => {};
  /** The current thread that its reader chose, or null; set by the composition. */
  chosen: () => number | null = () => null;
  #range: Range | null = null;

  constructor(
    private readonly list: ThreadList,
    private readonly navigation: Navigation,
    private readonly feedback: Feedback,
  ) {}

  /** Whether there is a selection; check boxes are shown then. */
  get on(): boolean {
    return this.all || this.ids.size > 0;
  }

  get count(): number {
    return this.all ? this.list.total : this.ids.size;
  }

  /** Whether more threads may be selected than `count`. */
  get more(): boolean {
    return this.all && this.list.atLeast;
  }

  /** The selected ids; of a whole list, the loaded ones. */
  get loaded(): readonly number[] {
    return this.all ? this.list.ids : [...this.ids];
  }

  /** The threads that a command applies to: that of the open menu, else the selection, else the current thread. */
  get subjects(): number[] {
    if (this.menuTarget !== null) return [this.menuTarget];
    if (this.on) return [...this.ids];
    return this.navigation.threadId === null ? [] : [this.navigation.threadId];
  }

  /** The row from which keys select: that of the chosen thread, else the uppermost one; null in an empty list. */
  get #start(): number | null {
    const { list } = this;
    const listed = [this.chosen(), list.topVisible].find((id) => list.indexOf(id) >= 0);
    return listed ?? list.ids[0] ?? null;
  }

  /** The newest range, for as long as something is selected and its first row is listed. */
  get #newest(): Range | null {
    return this.on && this.#range !== null && this.list.has(this.#range.from) ? this.#range : null;
  }

  has(id: number): boolean {
    return this.all || this.ids.has(id);
  }

  set(ids: Iterable<number>): void {
    this.all = false;
    const next = new Set(ids);
    // Each letter of a search clears the selection: without one nothing is drawn anew.
    if (next.size > 0 || this.ids.size > 0) this.ids = next;
  }

  clear(): void {
    this.set([]);
    this.#range = null;
  }

  /** Takes out threads that leave the list. */
  forget(leaving: ReadonlySet<number>): void {
    const kept = [...this.ids].filter((id) => !leaving.has(id));
    if (kept.length === 0) this.clear();
    else if (kept.length < this.ids.size) this.ids = new Set(kept);
  }

  /** Selects a thread or takes it out: that of the open menu, else the one from which keys select. */
  toggle(id = this.menuTarget ?? this.#start): void {
    if (id === null) return;
    const beside = new Set(this.ids);
    const taken = beside.delete(id);
    this.set(taken ? beside : [...beside, id]);
    this.#range = { from: id, to: id, beside };
    this.#turnTo(id);
  }

  /** Selects a thread beside the chosen one and those that are selected, or takes it out. */
  toggleBeside(id: number): void {
    const chosen = this.chosen();
    if (!this.on && chosen !== null && chosen !== id && this.list.has(chosen)) this.set([chosen]);
    this.toggle(id);
  }

  /** Selects the whole list, and announces its length. */
  selectAll(): void {
    if (this.list.ids.length > 0) {
      this.ids = new Set(this.list.ids);
      this.all = true;
    }
    if (this.on) this.feedback.announce(i18n.t.threadsSelected(this.count, this.more));
  }

  /** Selects to the next or previous row, or takes the current one out on the way back to where the range began. */
  extend(step: 1 | -1): void {
    const { list } = this;
    const current = this.#start;
    if (current === null) return;
    const to = list.row(list.indexOf(current) + step)?.id ?? current;
    const range = this.#newest?.to === current ? this.#newest : { from: current, beside: this.ids };
    this.#selectTo(to, range.from, range.beside);
  }

  /** Selects the rows to this one from the one that was chosen last, and with `adding` beside what is selected. */
  selectTo(id: number, adding: boolean): void {
    this.#selectTo(id, this.#newest?.from ?? this.#start ?? id, adding ? this.ids : new Set());
  }

  #selectTo(to: number, from: number, beside: ReadonlySet<number>): void {
    this.selectRange(from, to, beside);
    this.#turnTo(to);
  }

  #turnTo(id: number): void {
    if (id !== this.chosen()) this.landOn(id);
  }

  /** Selects the rows from one to another, in addition to `beside`. */
  selectRange(from: number, to: number, beside: ReadonlySet<number>): void {
    const ends = [this.list.indexOf(from), this.list.indexOf(to)];
    const first = Math.min(...ends);
    if (first < 0) return;
    this.set([...beside, ...this.list.ids.slice(first, Math.max(...ends) + 1)]);
    this.#range = { from, to, beside };
  }
}
