// The multi-selection of the list: single threads, ranges, or the whole list. What was selected last is the current
// thread, as in a file manager.
import { i18n } from '../../i18n/i18n.svelte';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import type { Navigation } from '../navigation/navigation.svelte';

export class Selection {
  /** The selected threads that are loaded; empty without a selection. */
  ids: ReadonlySet<number> = $state.raw(new Set());
  /** Whether the whole list is selected, including rows that are not loaded. */
  all = $state(false);
  /** The thread whose context menu is open; commands apply to it instead of the selection. */
  menuTarget: number | null = $state(null);
  /** Makes another thread the current one without reading it; set by the composition. */
  landOn: (id: number) => void = () => {};
  /** The ends of the newest range, of which the first stays, and what was selected beside it. */
  #range: { readonly from: number; readonly to: number; readonly beside: ReadonlySet<number> } | null = null;

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

  has(id: number): boolean {
    return this.all || this.ids.has(id);
  }

  set(ids: Iterable<number>): void {
    this.all = false;
    this.ids = new Set(ids);
  }

  clear(): void {
    this.set([]);
    this.#range = null;
  }

  /** Selects a thread or takes it out. */
  toggle(id = this.navigation.threadId): void {
    if (id === null) return;
    const beside = new Set(this.ids);
    const taken = beside.delete(id);
    this.set(taken ? beside : [...beside, id]);
    this.#range = { from: id, to: id, beside };
    this.#turnTo(id);
  }

  /** Selects a thread beside the current one and those that are selected, or takes it out. */
  toggleBeside(id: number): void {
    const { threadId } = this.navigation;
    if (!this.on && threadId !== null && threadId !== id && this.list.has(threadId)) this.set([threadId]);
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
    const { list, navigation } = this;
    const current = navigation.threadId;
    const at = list.indexOf(current);
    if (current === null || at < 0) return;
    const to = list.row(at + step)?.id ?? current;
    const range = this.#range?.to === current ? this.#range : { from: current, beside: this.ids };
    this.#selectTo(to, range.from, range.beside);
  }

  /** Selects the rows to this one from the one that was chosen last, and with `adding` what was selected beside them. */
  selectTo(id: number, adding: boolean): void {
    const { list, navigation } = this;
    const from =
      this.#range?.from ?? (list.indexOf(navigation.threadId) >= 0 ? navigation.threadId : list.ids[0]) ?? id;
    this.#selectTo(id, from, adding ? (this.#range?.beside ?? this.ids) : new Set());
  }

  #selectTo(to: number, from: number, beside: ReadonlySet<number>): void {
    this.selectRange(from, to, beside);
    this.#range = { from, to, beside };
    this.#turnTo(to);
  }

  #turnTo(id: number): void {
    if (id !== this.navigation.threadId) this.landOn(id);
  }

  /** Selects the rows from one to another, in addition to `before`. */
  selectRange(from: number, to: number, before: Iterable<number> = []): void {
    const ends = [this.list.indexOf(from), this.list.indexOf(to)];
    const first = Math.min(...ends);
    if (first >= 0) this.set([...before, ...this.list.ids.slice(first, Math.max(...ends) + 1)]);
  }
}
