// Moves the current thread through the list: by rows, to its ends, to the next unread one, and on from one that left.
import { i18n } from '../../i18n/i18n.svelte';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import type { Selection } from '../marks/selection.svelte';
import type { CurrentThread } from './current-thread.svelte';
import type { Navigation } from './navigation.svelte';

export class ListMovement {
  constructor(
    private readonly navigation: Navigation,
    private readonly list: ThreadList,
    private readonly selection: Selection,
    private readonly currentThread: CurrentThread,
    private readonly feedback: Feedback,
  ) {}

  /** Moves by `step` rows, first of all to the uppermost one; false if there was no row to move to. */
  move(step: number): boolean {
    const { list } = this;
    const { chosen } = this.currentThread;
    if (list.ids.length === 0) return false;
    const at = list.indexOf(chosen);
    const to = at < 0 ? this.#top : at + step;
    const row = list.row(Math.min(Math.max(to, 0), list.ids.length - 1));
    if (!row || row.id === chosen) return false;
    this.currentThread.stepTo(row.id);
    list.loadNear(to).catch(this.feedback.fail);
    return true;
  }

  /** Whether the list has a next or a previous row, loaded or not. */
  canMove(step: -1 | 1): boolean {
    const { list, navigation } = this;
    const at = list.indexOf(navigation.threadId);
    if (at < 0) return list.ids.length > 0;
    return list.row(at + step) !== undefined || Boolean(step < 0 ? list.above : list.below);
  }

  /** Makes the uppermost row the current thread if there is none, without reading it; not in one pane. */
  begin(): void {
    const { list, navigation } = this;
    const row = list.row(this.#top);
    if (row && navigation.threadId === null && !navigation.onePane) this.currentThread.beginAt(row.id);
  }

  /** Makes the uppermost row on screen the current thread without reading it; false in an empty list. */
  landOnTop(): boolean {
    const row = this.list.row(this.#top);
    if (row) this.currentThread.landOn(row.id);
    return row !== undefined;
  }

  /** The index of the uppermost row on screen. */
  get #top(): number {
    return Math.max(0, this.list.indexOf(this.list.topVisible));
  }

  /** Moves to the first or the last row of the whole list. */
  async toEnd(end: 'top' | 'bottom'): Promise<void> {
    const { list } = this;
    if (end === 'top' && list.hasPending) await list.admitPending().catch(this.feedback.fail);
    await list.jump(end).catch(this.feedback.fail);
    const row = list.row(end === 'top' ? 0 : list.ids.length - 1);
    if (row && row.id !== this.currentThread.chosen) this.currentThread.stepTo(row.id);
  }

  /** Moves to the next or previous unread thread, loading more rows while there are any. */
  async toUnread(step: 1 | -1): Promise<void> {
    const { list } = this;
    // Rows may be unloaded on the way, so the position is found by the row's id, not by its index.
    let id = this.currentThread.chosen;
    for (;;) {
      let at = list.indexOf(id) + step;
      if (at >= list.ids.length || at < 0) {
        const more = step > 0 ? list.below : list.above;
        if (!more) break;
        await list.more(step > 0 ? 'below' : 'above').catch(this.feedback.fail);
        at = list.indexOf(id) + step;
      }
      const row = list.row(at);
      if (!row) break;
      if (row.unread > 0) {
        this.currentThread.stepTo(row.id);
        return;
      }
      id = row.id;
    }
    this.feedback.show(i18n.t.nothingUnread);
  }

  /** Changes the list. If the current thread leaves it by that, its neighbour becomes the current one. */
  changeList(change: () => void): void {
    const { list, navigation } = this;
    const order = list.ids;
    const at = list.indexOf(navigation.threadId);
    change();
    if (at >= 0 && !list.has(order[at] ?? -1)) this.#landBeside(order, at);
  }

  /** Selects threads that are back in the list. */
  async returnTo(threads: readonly number[]): Promise<void> {
    const { list, selection } = this;
    await list.refetch();
    const back = threads.filter((id) => list.has(id));
    const [first] = back;
    if (first === undefined) return;
    this.currentThread.landOn(first);
    selection.set(back.length > 1 ? back : []);
  }

  /** Makes the first row after index `at` of the former order the current one that is still listed, else the last before. */
  #landBeside(order: readonly number[], at: number): void {
    const { list } = this;
    const next = order.slice(at).find((id) => list.has(id)) ?? order.slice(0, at).findLast((id) => list.has(id));
    if (next !== undefined) this.currentThread.landOn(next);
    else this.currentThread.clear();
    const loaded =
      next !== undefined || !(list.below || list.above)
        ? list.loadNear(list.indexOf(next ?? null))
        : this.#landOnUnloaded();
    loaded.catch(this.feedback.fail);
  }

  /** Every loaded row has left and the list goes on: loads it, and makes its first row the current one. */
  async #landOnUnloaded(): Promise<void> {
    const { list, navigation } = this;
    const { shown } = list;
    await list.show(list.listing);
    const first = list.row(0);
    if (list.shown !== shown + 1 || !first || navigation.threadId !== null) return;
    this.currentThread.landOn(first.id);
  }
}
