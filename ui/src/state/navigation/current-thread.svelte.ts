// The current thread: highlighted at once, loaded when the reader stays on it, and marked as read once it was opened or
// on screen for a moment.
import { searchTerms } from '../../components/text/highlight';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import type { MarkQueue } from '../marks/mark-queue';
import type { OptimisticMark } from '../marks/optimistic-updates';
import type { Reading } from '../reading/reading.svelte';
import type { Navigation } from './navigation.svelte';
import type { ReadTracker } from './read-tracker';

/** Steps within this time, ms, are repeats of a key that is held down. */
const KEY_REPEAT = 80;

export class CurrentThread {
  #delayedShow: ReturnType<typeof setTimeout> | undefined;
  #lastStep = Number.NEGATIVE_INFINITY;
  /** Whether something else is shown in place of the open thread; set by the composition. */
  isCovered: () => boolean = () => false;
  /** Threads that become read once they are loaded, with their rows before that. */
  readonly #opening = new Map<number, { mark: OptimisticMark; row: ThreadRow | undefined }>();
  /** The newest row of the current thread, from the list or from the reading pane. */
  readonly row: ThreadRow | null = $derived.by(() => {
    const id = this.navigation.threadId;
    if (id === null) return null;
    const shown = this.reading.view?.row;
    return this.list.rows.get(id) ?? (shown?.id === id ? shown : null);
  });

  constructor(
    private readonly platform: Platform,
    private readonly navigation: Navigation,
    private readonly list: ThreadList,
    private readonly reading: Reading,
    private readonly readTracker: ReadTracker,
    private readonly markQueue: MarkQueue,
    private readonly feedback: Feedback,
  ) {}

  /** Steps to a thread: it is shown, and becomes read after a moment on screen. */
  stepTo(id: number): void {
    this.passTo(id);
    if (!this.navigation.threadVisible || this.isCovered()) return;
    this.readTracker.threadVisible(() => {
      if (this.navigation.threadId === id && this.navigation.threadVisible) this.markRead(id);
    });
  }

  /** Makes a thread the current one and shows it, without reading it. */
  passTo(id: number): void {
    const now = performance.now();
    if (now - this.#lastStep < KEY_REPEAT) this.#showSoon(id);
    else this.choose(id);
    this.#lastStep = now;
  }

  /** Makes a thread the current one and shows it, at the item whose msgid is `item`. */
  choose(id: number, item: string | null = null): void {
    this.readTracker.cancel();
    this.stop();
    this.navigation.threadId = id;
    this.#show(id, item);
  }

  /** Marks a thread as read once it is loaded. */
  markRead(id: number): void {
    const { list } = this;
    const row = list.rows.get(id);
    if (row && row.unread === 0) return;
    if (row) list.applyOptimistic({ ...row, unread: 0 });
    // An earlier request for the same thread is replaced: its optimistic mark would never be confirmed, and would hide
    // the row's state for good.
    const former = this.#opening.get(id);
    if (former !== undefined) list.optimistic.revert(former.mark);
    const opening = { mark: list.optimistic.add([id], { op: 'read' }), row: row ?? former?.row };
    this.#opening.set(id, opening);
    // "New since" is computed from the unread items, so the thread has to be loaded before it is marked.
    void this.reading.loaded.then(() => {
      if (this.#opening.get(id) !== opening) return;
      // What could not be shown was not read.
      if (this.reading.failure !== null && this.reading.id !== id) {
        this.keepUnread([id]);
        return;
      }
      this.#opening.delete(id);
      return this.#sendRead(id, opening.mark, row);
    });
  }

  /** Keeps threads unread although they were opened or are on screen. */
  keepUnread(ids: readonly number[]): void {
    this.readTracker.cancel();
    for (const id of ids) {
      const opening = this.#opening.get(id);
      if (opening === undefined) continue;
      this.#opening.delete(id);
      this.list.optimistic.revert(opening.mark);
      if (opening.row) this.list.applyOptimistic(opening.row);
    }
  }

  stop(): void {
    clearTimeout(this.#delayedShow);
  }

  async #sendRead(id: number, mark: OptimisticMark, row: ThreadRow | undefined): Promise<void> {
    const { list } = this;
    try {
      const done = await this.markQueue.send(() => this.platform.mark([id], { op: 'read' }));
      list.optimistic.confirm(mark, done.as_of);
    } catch (error) {
      list.optimistic.revert(mark);
      if (row) list.applyOptimistic(row);
      this.feedback.fail(error);
    }
  }

  /** Shows a thread after a pause: while a key is held down only the highlight moves. */
  #showSoon(id: number): void {
    this.readTracker.cancel();
    this.stop();
    this.navigation.threadId = id;
    this.#delayedShow = setTimeout(() => {
      if (this.navigation.threadId === id) this.#show(id);
    }, KEY_REPEAT);
  }

  #show(id: number, item: string | null = null): void {
    const { reading, list } = this;
    const shown = reading.id === id;
    if (shown && item === null) return;
    if (shown && item !== null && reading.view?.row.id === id) this.#scrollTo(item).catch(this.feedback.fail);
    else {
      // A row of a search shows an item that need not be the newest one, and leads to it.
      const found = item ?? list.rows.get(id)?.hit ?? null;
      reading.show(id, { item: found, terms: searchTerms(list.search) }).catch(this.feedback.fail);
    }
  }

  /** Scrolls to an item of the open thread, which is refreshed first where the item is not loaded. */
  async #scrollTo(item: string): Promise<void> {
    if (!this.reading.items.some((one) => one.msgid === item)) await this.reading.refresh();
    await this.reading.scrollToItem(item);
  }
}
