// Which items of the open thread were read: those that were on screen for a moment while the window had the focus.
// An item counts when its end, or half a pane of it, was on screen; in a thread that was opened on purpose, at once.
// What is folded is read with the opening. What is not loaded was not on screen: while unread items before the loaded
// ones are left, only what was seen itself is read. An item of auto class, as each message is, is read by its view's
// mark, which covers all before it, so it is read up to `through` only. A view of several threads is read as a whole. A
// thread that was chosen for its reader, as another one left, is not read before the reader turns to it.
import type { ItemView } from '../../generated/ItemView';
import type { Navigation } from '../navigation/navigation.svelte';
import type { Reading } from './reading.svelte';

/** How long an item has to be on screen, ms. */
const MOMENT = 600;

/** What was read at once. */
export interface ReadItems {
  readonly thread: number;
  /** The unread items that were on screen. */
  readonly seen: readonly string[];
  /** The newest item before which everything was seen or is folded; null if there is none. */
  readonly through: string | null;
  /** Whether that is the newest item of the thread. */
  readonly whole: boolean;
}

export class ItemsSeen {
  /** Takes what was read; set by the composition. */
  read: (items: ReadItems) => void = () => {};
  /** Takes the thread that was opened on purpose without anything to read on screen; set by the composition. */
  foundNothing: (thread: number) => void = () => {};
  /** Takes the thread whose newest item is on screen and can be read, or null; set by the composition. */
  watch: (thread: number | null) => void = () => {};
  #watched: number | null = null;
  /** Whether something else is shown in place of the open thread; set by the composition. */
  isCovered: () => boolean = () => false;
  /** The items on screen whose moment is under way, each with its timer. */
  readonly #waiting = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #seen = new Set<string>();
  /** The messages that were reported as read. */
  readonly #covered = new Set<string>();
  /** The opening of a thread to which all this belongs. */
  #opened = -1;
  /** The thread whose items on screen are read without a moment, as it was opened on purpose. */
  #atOnce: number | null = null;
  /** The thread of which nothing is read yet, as it was chosen for its reader. */
  #held: number | null = null;
  /** Whether something of the open thread was read. */
  #begun = false;
  #first: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly reading: Reading,
    private readonly navigation: Navigation,
  ) {}

  /** Reads the items of a thread that are on screen at once, as soon as they are there. */
  readAtOnce(thread: number): void {
    this.#atOnce = thread;
    if (this.#held === thread) this.#held = null;
    this.look();
  }

  /** Reads nothing of a thread at once any more. */
  leave(thread: number): void {
    if (this.#atOnce === thread) this.#atOnce = null;
    if (this.#held === thread) this.#held = null;
  }

  /** Reads nothing of a thread until its reader turns to it. */
  hold(thread: number): void {
    this.#held = thread;
    this.look();
  }

  holds(thread: number | null): boolean {
    return thread !== null && this.#held === thread;
  }

  /** The reader turns to the open thread. */
  turnTo(): void {
    if (this.#held === null) return;
    this.#held = null;
    this.look();
  }

  /** Takes the items that are on screen now. */
  report(msgids: readonly string[]): void {
    this.#follow();
    this.reading.onScreen = new Set(msgids);
    this.look();
  }

  /** Looks again at what is on screen, after the focus or the items changed. */
  look(): void {
    this.#follow();
    const reads = this.#canRead();
    this.#tell(reads);
    if (reads) this.#begin();
    else this.#stop();
  }

  stop(): void {
    this.#stop();
  }

  /** Begins the moment of items that came on screen, and ends that of items that left it. */
  #begin(): void {
    // Those that came together share a timer, which goes on for the others.
    const { id, onScreen } = this.reading;
    for (const msgid of this.#waiting.keys()) if (!onScreen.has(msgid)) this.#waiting.delete(msgid);
    if (onScreen.size === 0) return;
    if (id !== null && this.#atOnce === id) {
      this.#atOnce = null;
      if (!this.#take(this.#unread())) this.foundNothing(id);
      return;
    }
    const fresh = this.#unread().filter((msgid) => !this.#waiting.has(msgid));
    // Folded items are read with the thread, even if nothing on screen is unread.
    if (fresh.length === 0 && (this.#begun || this.#waiting.size > 0)) return;
    const timer = setTimeout(() => {
      const stayed = fresh.filter((msgid) => this.#waiting.get(msgid) === timer);
      if (fresh.length === 0 || stayed.length > 0) this.#take(stayed);
    }, MOMENT);
    if (fresh.length === 0) {
      clearTimeout(this.#first);
      this.#first = timer;
    }
    for (const msgid of fresh) this.#waiting.set(msgid, timer);
  }

  /** Reports the thread in whose end new items are seen. */
  #tell(reads: boolean): void {
    const newest = this.reading.items.at(-1);
    const atEnd = reads && this.reading.later === 0;
    const watched = atEnd && newest && this.reading.onScreen.has(newest.msgid) ? this.reading.id : null;
    if (watched === this.#watched) return;
    this.#watched = watched;
    this.watch(watched);
  }

  #canRead(): boolean {
    const { navigation, reading } = this;
    const here = navigation.view === 'threads' && navigation.threadVisible && !this.isCovered();
    const shown = reading.id !== null && reading.id === navigation.threadId && reading.view?.row.id === reading.id;
    return here && shown && !reading.awaited && this.#held !== reading.id && document.hasFocus();
  }

  /** Whether an item is still to be read here. */
  #isOpen({ msgid, unread, own }: ItemView): boolean {
    return unread && !own && (!this.#seen.has(msgid) || this.reading.kept.has(msgid));
  }

  /** The unread items on screen that were not kept unread. */
  #unread(): string[] {
    const { items, kept, onScreen } = this.reading;
    const open = items.filter((item) => onScreen.has(item.msgid) && this.#isOpen(item) && !kept.has(item.msgid));
    return open.map((item) => item.msgid);
  }

  /** Reports items as read; false if there is nothing to report. */
  #take(msgids: readonly string[]): boolean {
    for (const msgid of msgids) this.#waiting.delete(msgid);
    if (!this.#canRead()) return false;
    const { reading } = this;
    const { view } = reading;
    const first = !this.#begun;
    this.#begun = true;
    for (const msgid of msgids) this.#seen.add(msgid);
    if (view === null || (msgids.length === 0 && !(first && view.row.unread > 0))) return false;
    const at = this.#through();
    const through = reading.items[at]?.msgid ?? null;
    const seen = view.row.kind === 'message' ? this.#coveredTo(at) : msgids;
    if (seen.length === 0 && (through === null || !first)) return false;
    this.read({
      thread: view.row.id,
      seen,
      through,
      whole: at >= 0 && at === reading.items.length - 1 && reading.later === 0,
    });
    return true;
  }

  /** The unread messages up to an index that were not reported as read yet. */
  #coveredTo(at: number): string[] {
    const items = this.reading.items.slice(0, at + 1);
    const covered = items.filter(({ msgid, unread, own }) => unread && !own && !this.#covered.has(msgid));
    for (const { msgid } of covered) this.#covered.add(msgid);
    return covered.map(({ msgid }) => msgid);
  }

  /** The index of the newest item before which everything was seen or is folded; -1 for none. */
  #through(): number {
    const { items, folded, unreadNotLoaded } = this.reading;
    if (unreadNotLoaded > 0) return -1;
    const next = items.findIndex((item, at) => at >= folded && this.#isOpen(item));
    return (next < 0 ? items.length : next) - 1;
  }

  #stop(): void {
    clearTimeout(this.#first);
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Forgets what belongs to the thread that was open before. */
  #follow(): void {
    if (this.reading.opened === this.#opened) return;
    this.#stop();
    this.#opened = this.reading.opened;
    this.reading.onScreen = new Set();
    this.#seen.clear();
    this.#covered.clear();
    this.#begun = false;
  }
}
