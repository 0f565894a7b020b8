// The multi-selection of the list: single threads, or the whole list.
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
  /** Makes another thread the current one; set by the composition. */
  stepTo: (id: number) => void = () => {};

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
  }

  toggle(id = this.navigation.threadId): void {
    if (id === null) return;
    const next = new Set(this.ids);
    if (!next.delete(id)) next.add(id);
    this.set(next);
  }

  /** Selects the whole list, and announces its length. */
  selectAll(): void {
    if (this.list.ids.length > 0) {
      this.ids = new Set(this.list.ids);
      this.all = true;
    }
    if (this.on) this.feedback.announce(i18n.t.threadsSelected(this.count));
  }

  /** Adds the current row and the next or previous one, which becomes the current one. */
  extend(step: 1 | -1): void {
    const { list, navigation } = this;
    const at = list.indexOf(navigation.threadId);
    if (at < 0) return;
    const rows = [list.row(at), list.row(at + step)].flatMap((row) => row ?? []);
    if (rows[1]) this.stepTo(rows[1].id);
    this.set([...this.ids, ...rows.map((row) => row.id)]);
  }

  /** Selects the rows from one to another, in addition to `before`. */
  selectRange(from: number, to: number, before: Iterable<number> = []): void {
    const ends = [this.list.indexOf(from), this.list.indexOf(to)];
    const first = Math.min(...ends);
    if (first >= 0) this.set([...before, ...this.list.ids.slice(first, Math.max(...ends) + 1)]);
  }
}
