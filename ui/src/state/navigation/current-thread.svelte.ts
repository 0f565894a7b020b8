// The current thread: highlighted at once, loaded when the reader stays on it, and read as far as it was on screen.

import type { ThreadRow } from '../../generated/ThreadRow';
import type { Platform } from '../../platform/platform';
import { searchTerms } from '../../text/highlight';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import type { MarkQueue } from '../marks/mark-queue';
import type { OptimisticMark } from '../marks/optimistic-updates';
import type { ItemsSeen, ReadItems } from '../reading/items-seen';
import type { Reading } from '../reading/reading.svelte';
import type { Navigation } from './navigation.svelte';

/** Steps within this time, ms, are repeats of a key that is held down. */
const KEY_REPEAT = 80;
/** The pause before what a search found first is shown, ms: longer than between two letters that are typed quickly. */
const TYPING = 200;

export class CurrentThread {
  #delayedShow: ReturnType<typeof setTimeout> | undefined;
  /** The thread that is shown after a pause. */
  #soon: number | null = null;
  #lastStep = Number.NEGATIVE_INFINITY;
  /** The thread with which a list began, as nobody had chosen one. */
  #begun: number | null = null;
  /** The search and the item of its row for which the open thread is shown; null outside a search. */
  #shownFor: string | null = null;
  /** Threads that are read once they are on screen, with the number of their unread items before that. */
  readonly #opening = new Map<number, { mark: OptimisticMark; unread: number | undefined }>();
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
    private readonly itemsSeen: ItemsSeen,
    private readonly markQueue: MarkQueue,
    private readonly feedback: Feedback,
  ) {}

  /** The current thread, unless it is the one with which the list began and its reader has not turned to it. */
  get chosen(): number | null {
    const { threadId } = this.navigation;
    return threadId === this.#begun && this.itemsSeen.holds(threadId) ? null : threadId;
  }

  /** Steps to a thread: it is shown, and what is on screen of it becomes read after a moment. */
  stepTo(id: number): void {
    this.#step(id);
    this.itemsSeen.turnTo();
  }

  #step(id: number): void {
    const now = performance.now();
    if (now - this.#lastStep < KEY_REPEAT) this.#showSoon(id);
    else this.choose(id);
    this.#lastStep = now;
  }

  /** Makes a thread the current one whose reader did not ask to read it, as another one left or it was selected. */
  landOn(id: number): void {
    this.#begun = null;
    this.#step(id);
    this.itemsSeen.hold(id);
  }

  /** `landOn` for what a search found: the next letter may find another. The thread is shown after a pause. */
  landOnFound(id: number): void {
    this.#begun = null;
    this.#showSoon(id, TYPING);
    this.itemsSeen.hold(id);
  }

  /** Makes a thread the current one if there is none. Keys move from it as if there were none. */
  beginAt(id: number): void {
    this.landOn(id);
    this.#begun = id;
  }

  /** Makes no thread the current one. */
  clear(): void {
    this.stop();
    this.navigation.threadId = null;
    this.navigation.threadOpen = false;
    this.close();
  }

  /** Makes a thread the current one and shows it, at the item whose msgid is `item`. */
  choose(id: number, item: string | null = null): void {
    this.stop();
    this.#moveTo(id);
    this.#show(id, item);
  }

  /** Reads the items of a thread that are on screen at once, as soon as they are there; its row is read until then. */
  readAtOnce(id: number): void {
    // What is on screen already is read in this call, which needs to know that the row is shown as read.
    if (this.list.rows.get(id)?.unread !== 0 && document.hasFocus()) this.#showRead(id);
    this.itemsSeen.readAtOnce(id);
  }

  /** Shows the row of a thread that is being opened as read, until it is read or left before that. */
  #showRead(id: number): void {
    const { list } = this;
    const row = list.rows.get(id);
    this.#setUnread(id, 0);
    // An earlier request for the same thread is replaced: its optimistic mark would never be confirmed, and would hide
    // the row's state for good.
    const former = this.#opening.get(id);
    if (former !== undefined) list.optimistic.revert(former.mark);
    const opening = { mark: list.optimistic.add([id], { op: 'read' }), unread: row?.unread ?? former?.unread };
    this.#opening.set(id, opening);
    void this.reading.loaded.then(() => {
      // What could not be shown was not read.
      const failed = this.reading.failure !== null && this.reading.id !== id;
      if (failed && this.#opening.get(id) === opening) this.giveUp(id);
    });
  }

  /** Marks as read what was on screen. */
  async read({ thread, seen, through, whole }: ReadItems): Promise<void> {
    const { list } = this;
    const opening = this.#opening.get(thread);
    this.#opening.delete(thread);
    const unread = opening?.unread ?? list.rows.get(thread)?.unread;
    let mark = opening?.mark;
    if (whole && !mark && unread !== undefined) {
      mark = list.optimistic.add([thread], { op: 'read' });
      this.#setUnread(thread, 0);
    } else if (!whole && mark) {
      list.optimistic.revert(mark);
      mark = undefined;
    }
    if (!whole && unread !== undefined) this.#setUnread(thread, Math.max(unread - seen.length, 1));
    try {
      const ask = () => this.platform.readItems(thread, [...seen], through);
      const done = await this.markQueue.send(ask);
      if (mark) list.optimistic.confirm(mark, done.as_of);
      if (this.reading.id === thread) this.reading.setRead(seen, through);
    } catch (error) {
      if (mark) list.optimistic.revert(mark);
      if (unread !== undefined) this.#setUnread(thread, unread);
      this.feedback.fail(error);
    }
  }

  /** Shows another number of unread items in a row, which may have changed otherwise meanwhile. */
  #setUnread(id: number, unread: number): void {
    const row = this.list.rows.get(id);
    if (row) this.list.applyOptimistic({ ...row, unread });
  }

  /** Closes the open thread. What was left before it was on screen was not read. */
  close(): void {
    for (const opened of [...this.#opening.keys()]) this.giveUp(opened);
    this.reading.close();
  }

  /** Keeps threads unread although they were opened or are on screen. */
  keepUnread(ids: readonly number[]): void {
    const soon = this.#soon;
    // What is shown in a moment would be read then.
    if (soon !== null && ids.includes(soon)) {
      this.stop();
      this.#show(soon);
    }
    for (const id of ids) {
      this.giveUp(id);
      this.itemsSeen.leave(id);
      if (this.reading.id === id) this.reading.keepUnread();
    }
  }

  /** Shows a thread unread again that was opened and not read. */
  giveUp(id: number): void {
    const opening = this.#opening.get(id);
    if (opening === undefined) return;
    this.#opening.delete(id);
    this.list.optimistic.revert(opening.mark);
    if (opening.unread !== undefined) this.#setUnread(id, opening.unread);
  }

  stop(): void {
    clearTimeout(this.#delayedShow);
    this.#soon = null;
  }

  /** Makes a thread the current one. What was left before it was on screen was not read. */
  #moveTo(id: number): void {
    const before = this.navigation.threadId;
    this.navigation.threadId = id;
    if (before !== null && before !== id) this.itemsSeen.leave(before);
    for (const opened of [...this.#opening.keys()]) if (opened !== id) this.giveUp(opened);
  }

  /** Shows a thread after a pause: while a key is held down, or letters are typed, only the highlight moves. */
  #showSoon(id: number, pause = KEY_REPEAT): void {
    this.stop();
    this.#moveTo(id);
    this.#soon = id;
    this.#delayedShow = setTimeout(() => {
      this.#soon = null;
      if (this.navigation.threadId === id) this.#show(id);
    }, pause);
  }

  #show(id: number, item: string | null = null): void {
    const { reading, list } = this;
    // What changed before its reader turned to it opens anew, at its first unread item.
    const shown = reading.id === id && !(this.chosen === null && reading.refreshed);
    // A row of a search shows an item that need not be the newest one, and leads to it.
    const hit = list.rows.get(id)?.hit ?? null;
    const found = list.search === null ? null : `${hit} ${list.search}`;
    if (shown && item === null && (found === null || found === this.#shownFor)) return;
    this.#shownFor = found;
    if (shown && item !== null && reading.view?.row.id === id) this.#scrollTo(item).catch(this.feedback.fail);
    else reading.show(id, { item: item ?? hit, terms: searchTerms(list.search) }).catch(this.feedback.fail);
  }

  /** Scrolls to an item of the open thread, which is refreshed first if the item is not loaded. */
  async #scrollTo(item: string): Promise<void> {
    if (!this.reading.items.some((one) => one.msgid === item)) await this.reading.refresh();
    await this.reading.scrollToItem(item);
  }
}
