// The loaded items of the open thread, without a gap: which of them are visible, and how many are before and after them.
import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { ThreadView } from '../../generated/ThreadView';
import { facesOf, isUnread, notYet, unreadIn } from './thread-pages';

export class LoadedItems {
  view: ThreadView | null = $state.raw(null);
  /** The loaded items, oldest first. */
  items: readonly ItemView[] = $state.raw([]);
  /** The number of loaded items that are folded. */
  folded = $state(0);
  /** Whether the archived items of a thread that is not archived as a whole are shown. */
  showsArchived = $state(false);
  /** The items that are on screen. */
  onScreen: ReadonlySet<string> = $state.raw(new Set());
  /** The number of items after the loaded ones. */
  later = $state(0);
  /** The number of unread items before the loaded ones. */
  unreadNotLoaded = $state(0);
  /** The number of items before the loaded ones, and the faces of their actors. */
  protected notLoaded = $state(0);
  #facesNotLoaded: readonly Face[] = $state.raw([]);
  /** The open questions among the items that are not loaded. */
  #askingEarlier: readonly ItemView[] = $state.raw([]);
  /** The open questions, newest first: they stand above the other items until they are answered. */
  readonly asking: readonly ItemView[] = $derived.by(() => {
    const loaded = new Set(this.items.map((item) => item.msgid));
    const earlier = this.#askingEarlier.filter((item) => !loaded.has(item.msgid));
    return [...earlier, ...this.items].filter((item) => item.question?.open && !this.#isPutAway(item)).reverse();
  });
  /** The archived items that are not shown. */
  readonly putAway: readonly ItemView[] = $derived(
    this.items.slice(this.folded).filter((item) => this.#isPutAway(item)),
  );
  readonly visible: readonly ItemView[] = $derived.by(() => {
    const away = new Set(this.putAway);
    return this.items.slice(this.folded).filter((item) => !item.question?.open && !away.has(item));
  });
  /** The unread items below those on screen. */
  readonly unreadBelow: readonly ItemView[] = $derived.by(() => {
    const last = this.visible.findLastIndex((item) => this.onScreen.has(item.msgid));
    return last < 0 ? [] : this.visible.slice(last + 1).filter(isUnread);
  });
  /** The number of unread items after the loaded ones. */
  readonly unreadLater: number = $derived(
    this.later === 0 || this.view === null
      ? 0
      : Math.max(0, this.view.row.unread - unreadIn(this.items) - this.unreadNotLoaded),
  );
  /** The number of items before the first visible one, without the open questions and what is put away. */
  readonly earlier: number = $derived(
    this.notLoaded + this.items.length - this.visible.length - this.asking.length - this.putAway.length,
  );
  readonly earlierFaces: readonly Face[] = $derived(
    this.folded > 0 ? facesOf(this.items.slice(0, this.folded)) : this.#facesNotLoaded,
  );

  #isPutAway({ archived = false }: ItemView): boolean {
    return archived && !this.showsArchived && !this.view?.row.archived;
  }

  /** Shows the items of a page, and no others. */
  protected takePage(page: ThreadView, unreadNotLoaded: number): void {
    this.view = page;
    this.items = page.items;
    this.#askingEarlier = page.asking;
    this.notLoaded = page.earlier;
    this.#facesNotLoaded = page.earlier_faces;
    this.later = page.later;
    this.unreadNotLoaded = unreadNotLoaded;
  }

  /** Adds the page before the loaded items. */
  protected takeEarlier(page: ThreadView): void {
    const more = notYet(this.items, page.items);
    this.items = [...more, ...this.items];
    if (this.folded > 0) this.folded += more.length;
    this.unreadNotLoaded = Math.max(0, this.unreadNotLoaded - unreadIn(more));
    this.notLoaded = page.earlier;
    this.#facesNotLoaded = page.earlier_faces;
  }

  /** Adds the page after the loaded items. */
  protected takeLater(page: ThreadView): void {
    this.items = [...this.items, ...notYet(this.items, page.items)];
    this.later = page.later;
    if (this.later === 0) this.unreadNotLoaded = Math.max(0, page.row.unread - unreadIn(this.items));
  }

  /** Takes the newest page anew, and returns the items that came in at the end of the loaded ones. */
  protected takeNewest(page: ThreadView): ItemView[] {
    const known = new Set(this.items.map((item) => item.msgid));
    const now = new Map(page.items.map((item) => [item.msgid, item]));
    const joins = this.later === 0 || page.items.some((item) => known.has(item.msgid));
    const added = joins ? page.items.filter((item) => !known.has(item.msgid)) : [];
    this.later = joins ? 0 : Math.max(0, page.earlier + page.items.length - this.notLoaded - this.items.length);
    this.view = page;
    this.#askingEarlier = page.asking;
    // What the answer leaves out although it goes back further was deleted.
    const covered = page.earlier === 0 ? 0 : this.items.findIndex((item) => item.msgid === page.items[0]?.msgid);
    const gone = this.items.filter((item, at) => covered >= 0 && at >= covered && !now.has(item.msgid));
    for (const { msgid } of gone) this.remove(msgid);
    this.items = [...this.items.map((item) => now.get(item.msgid) ?? item), ...added];
    return added;
  }

  /** Shows items as read: these, and those up to `through`. */
  setRead(msgids: readonly string[], through: string | null): void {
    const read = new Set(msgids);
    const before = this.items.findIndex((item) => item.msgid === through);
    this.items = this.items.map((item, at) =>
      item.unread && (at <= before || read.has(item.msgid)) ? { ...item, unread: false } : item,
    );
  }

  /** Changes the data of a loaded item, until the program sends it anew. */
  change(msgid: string, to: Partial<ItemView>): void {
    const changed = (item: ItemView) => (item.msgid === msgid ? { ...item, ...to } : item);
    this.items = this.items.map(changed);
    this.#askingEarlier = this.#askingEarlier.map(changed);
  }

  /** Takes an item out that was deleted. */
  remove(msgid: string): void {
    this.#askingEarlier = this.#askingEarlier.filter((item) => item.msgid !== msgid);
    const at = this.items.findIndex((item) => item.msgid === msgid);
    if (at < 0) return;
    this.items = this.items.filter((item) => item.msgid !== msgid);
    if (at < this.folded) this.folded -= 1;
  }

  protected clear(): void {
    this.view = null;
    this.items = [];
    this.#askingEarlier = [];
    this.folded = 0;
    this.notLoaded = 0;
    this.later = 0;
  }
}
