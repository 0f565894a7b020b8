// Which thread one is at: it is chosen at once, shown when one stays, and read when one opened it or looked at it for a
// moment. Moves nowhere by itself.
import { searchTerms } from '../../components/text/highlight';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { Asked } from '../marks/optimistic-updates';
import type { Page } from '../page.svelte';

/** Steps that follow one another sooner than this, ms, are those of a key that is held down. */
const HELD = 80;

export class Choosing {
  readonly #page: Page;
  #stopping: ReturnType<typeof setTimeout> | undefined;
  #passed = Number.NEGATIVE_INFINITY;
  /** Threads that become read as soon as they are here, and how their rows were. */
  readonly #opening = new Map<number, { asked: Asked; row: ThreadRow | undefined }>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Comes by a thread: it is shown, and read once it was on screen for a moment. */
  pass(id: number): void {
    const page = this.#page;
    const now = performance.now();
    if (now - this.#passed < HELD) this.#chooseSoon(id);
    else this.choose(id);
    this.#passed = now;
    if (!page.onScreen) return;
    page.readTracker.rest(() => {
      if (page.chosen === id && page.onScreen) this.read(id);
    });
  }

  choose(id: number, item: string | null = null): void {
    const page = this.#page;
    page.readTracker.move();
    this.stop();
    page.chosen = id;
    this.#show(id, item);
  }

  /** Marks a thread as read, as soon as it is here. */
  read(id: number): void {
    const { list, reading } = this.#page;
    const row = list.rows.get(id);
    if (row && row.unread === 0) return;
    if (row) list.applyOptimistic({ ...row, unread: 0 });
    // Asked for again before it was here: the former mark would never be put, and lie over its row for good.
    const former = this.#opening.get(id);
    if (former !== undefined) list.optimistic.drop(former.asked);
    const opening = { asked: list.optimistic.ask([id], { op: 'read' }), row: row ?? former?.row };
    this.#opening.set(id, opening);
    // What is new is told by what is unread, so the thread has to be here first.
    void reading.here.then(() => {
      if (this.#opening.get(id) !== opening) return;
      this.#opening.delete(id);
      return this.#markRead(id, opening.asked, row);
    });
  }

  async #markRead(id: number, asked: Asked, row: ThreadRow | undefined): Promise<void> {
    const { list, marks, platform, fail } = this.#page;
    try {
      const done = await marks.send(() => platform.mark([id], { op: 'read' }));
      list.optimistic.put(asked, done.as_of);
    } catch (error) {
      list.optimistic.drop(asked);
      if (row) list.applyOptimistic(row);
      fail(error);
    }
  }

  /** The reader wants these unread: neither having been opened nor being looked at makes them read any more. */
  keepUnread(ids: readonly number[]): void {
    const { list, readTracker } = this.#page;
    readTracker.move();
    for (const id of ids) {
      const opening = this.#opening.get(id);
      if (opening === undefined) continue;
      this.#opening.delete(id);
      list.optimistic.drop(opening.asked);
      if (opening.row) list.applyOptimistic(opening.row);
    }
  }

  stop(): void {
    clearTimeout(this.#stopping);
  }

  /** While a key is held down only the choice moves: the thread at which it stops is the one to be shown. */
  #chooseSoon(id: number): void {
    const page = this.#page;
    page.readTracker.move();
    this.stop();
    page.chosen = id;
    this.#stopping = setTimeout(() => {
      if (page.chosen === id) this.#show(id);
    }, HELD);
  }

  #show(id: number, item: string | null = null): void {
    const { reading, list, fail } = this.#page;
    const asked = reading.id === id;
    if (asked && item === null) return;
    if (asked && item !== null && reading.view?.row.id === id) this.#scrollToItem(item).catch(fail);
    else reading.show(id, { item, terms: searchTerms(list.search) }).catch(fail);
  }

  /** An item that has just arrived may not be here yet. */
  async #scrollToItem(item: string): Promise<void> {
    const { reading } = this.#page;
    if (!reading.items.some((one) => one.msgid === item)) await reading.refresh();
    await reading.scrollToItem(item);
  }
}
