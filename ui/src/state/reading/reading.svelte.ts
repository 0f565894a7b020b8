// The thread in the reading pane: its loaded items, where the new ones began when it was opened, and how many earlier
// ones are folded.
import { nextFrame } from '../../dom/next-frame';
import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { ThreadView } from '../../generated/ThreadView';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ComposerFiles } from './composer-files.svelte';
import { MessageDraft } from './message-draft.svelte';
import { facesOf, foldedCount, isUnread, notYet, reachesUnread, unreadIn, withEarlier } from './thread-pages';

/** The bound of pages that are loaded to reach an item. */
const MOST_PAGES = 40;
/** The bound of pages that are loaded to open a conversation at its first unread message. */
const MOST_UNREAD_PAGES = 20;

/** The position at which a thread is opened. */
export interface ShowOptions {
  /** The msgid of the item to scroll to. */
  readonly item?: string | null;
  /** Searched terms: the first item with one of them is the first visible one. */
  readonly terms?: readonly string[];
}

export class Reading {
  id: number | null = $state(null);
  view: ThreadView | null = $state.raw(null);
  /** All loaded items, oldest first. */
  items: readonly ItemView[] = $state.raw([]);
  /** The number of loaded items that are folded. */
  folded = $state(0);
  /** The time of "New since", ms since 1970; unchanged until the thread is opened again. */
  since: number | null = $state(null);
  /** The items of others that came in last while the thread was open. */
  arrived: ReadonlySet<string> = $state.raw(new Set());
  /** Why the requested thread cannot be shown; null where it can. */
  failure: unknown = $state.raw(null);
  /** The items that are on screen. */
  onScreen: ReadonlySet<string> = $state.raw(new Set());
  /** The items that the reader marked unread here: being on screen does not read them again. */
  kept: ReadonlySet<string> = new Set();
  /** Counts the opened threads, so that the panes scroll to the start of a new one. */
  opened = $state(0);
  /** The item to scroll to; a new object for each request. */
  highlighted: { readonly msgid: string } | null = $state.raw(null);
  /** Whether a request for earlier items is under way. */
  loadingEarlier = $state(false);
  /** The number of items before the loaded ones, and the faces of their actors. */
  #notLoaded = $state(0);
  #facesNotLoaded: readonly Face[] = $state.raw([]);
  /** The open questions among the items that are not loaded. */
  #askingEarlier: readonly ItemView[] = $state.raw([]);
  /** The open questions, newest first: they stand above the other items until they are answered. */
  readonly asking: readonly ItemView[] = $derived.by(() => {
    const loaded = new Set(this.items.map((item) => item.msgid));
    const earlier = this.#askingEarlier.filter((item) => !loaded.has(item.msgid));
    return [...earlier, ...this.items].filter((item) => item.question?.open).reverse();
  });
  /** Whether the archived items of a thread that is not archived as a whole are shown. */
  showsArchived = $state(false);
  /** The archived items that are not shown. */
  readonly putAway: readonly ItemView[] = $derived(
    this.showsArchived || this.view?.row.archived
      ? []
      : this.items.slice(this.folded).filter((item) => item.archived && !item.question?.open),
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
  /** The number of items before the first visible one, without the open questions and what is put away. */
  readonly earlier: number = $derived(
    this.#notLoaded + this.items.length - this.visible.length - this.asking.length - this.putAway.length,
  );
  readonly earlierFaces: readonly Face[] = $derived(
    this.folded > 0 ? facesOf(this.items.slice(0, this.folded)) : this.#facesNotLoaded,
  );
  /** Resolves once the newest request for a thread is answered or has failed. */
  loaded: Promise<unknown> = Promise.resolve();

  readonly draft: MessageDraft;
  /** The number of unread items when the thread was opened. */
  #unread = 0;
  /** The number of unread items that are not loaded. */
  unreadNotLoaded = 0;
  #earlierRequest: Promise<void> | null = null;
  #round = 0;
  #refreshes = 0;
  /** Whether the thread changed before its first answer was shown. */
  #refreshMissed = false;

  constructor(
    private readonly platform: Platform,
    private readonly composerFiles: ComposerFiles,
    feedback: Feedback,
  ) {
    this.draft = new MessageDraft(platform, feedback);
  }

  show(id: number, options: ShowOptions = {}): Promise<void> {
    this.#round += 1;
    this.#refreshMissed = false;
    if (this.id !== id) this.leave();
    this.id = id;
    this.draft.flush();
    this.failure = null;
    // The draft may be saved before the answer is shown, which does not include it.
    const unsaved = this.draft.unsaved(id);
    const answer = this.platform.thread(id, null);
    const round = this.#round;
    this.loaded = answer.catch((error: unknown) => {
      if (round !== this.#round) return;
      // No other thread stays in its place, and it can be requested again.
      this.close();
      this.failure = error;
    });
    return this.#show(answer, options, unsaved);
  }

  async #show(answer: Promise<ThreadView>, { item = null, terms = [] }: ShowOptions, unsaved?: string): Promise<void> {
    const round = this.#round;
    // The highlight in the list is painted first, as a long thread takes longer than a frame.
    const [newest] = await Promise.all([answer, nextFrame()]);
    if (round !== this.#round) return;
    const view = newest.row.kind === 'message' ? await this.#withUnread(newest) : newest;
    if (round !== this.#round) return;
    this.view = view;
    this.items = view.items;
    this.#askingEarlier = view.asking;
    this.#notLoaded = view.earlier;
    this.#facesNotLoaded = view.earlier_faces;
    this.since = view.new_since;
    this.#unread = view.row.unread;
    this.unreadNotLoaded = Math.max(0, view.row.unread - unreadIn(view.items));
    this.folded = view.row.kind === 'message' ? 0 : foldedCount(view, terms);
    // What a search found is shown wherever it is.
    this.showsArchived = terms.length > 0;
    this.highlighted = null;
    this.arrived = new Set();
    this.kept = new Set();
    this.opened += 1;
    if (view.composer) {
      this.draft.open(view.row.id, unsaved ?? view.composer.draft);
      this.composerFiles.open(view.row.id, view.composer.files);
    } else this.draft.close();
    // What the service then says comes as an event. Without a connection the thread stays as it is.
    if (view.row.follow) this.platform.lookUp(view.row.id).catch(() => {});
    if (item !== null) await this.scrollToItem(item);
    if (this.#refreshMissed) await this.refresh();
  }

  /** A conversation with the pages back to its first unread message, as far as the bound. */
  async #withUnread(newest: ThreadView): Promise<ThreadView> {
    const round = this.#round;
    let view = newest;
    for (let page = 0; !reachesUnread(view) && page < MOST_UNREAD_PAGES && round === this.#round; page += 1)
      view = withEarlier(view, await this.platform.thread(view.row.id, view.items[0]?.msgid ?? null));
    return view;
  }

  /** Loads a conversation back to its first message, as far as the bound. */
  async loadToFirst(): Promise<void> {
    const round = this.#round;
    for (let page = 0; this.#notLoaded > 0 && page < MOST_PAGES && round === this.#round; page += 1)
      await this.#loadEarlier();
  }

  /** Scrolls to an item of the open thread, loading earlier ones if necessary. */
  async scrollToItem(msgid: string): Promise<void> {
    const round = this.#round;
    const at = () => [...this.items, ...this.asking].findIndex((item) => item.msgid === msgid);
    for (let page = 0; at() < 0 && this.#notLoaded > 0 && page < MOST_PAGES; page += 1) {
      await this.#loadEarlier();
      if (round !== this.#round) return;
    }
    const found = at();
    if (found < 0) return;
    this.folded = Math.min(this.folded, found);
    this.showsArchived ||= this.items[found]?.archived ?? false;
    this.highlighted = { msgid };
  }

  /** Requests the thread again after a change. Returns the number of new items. */
  async refresh(): Promise<number> {
    const { id } = this;
    if (id === null) return 0;
    if (this.view?.row.id !== id) {
      // The first answer is not shown yet.
      this.#refreshMissed = true;
      return 0;
    }
    const round = this.#round;
    this.#refreshMissed = false;
    this.#refreshes += 1;
    const refresh = this.#refreshes;
    const view = await this.platform.thread(id, null);
    // Another thread was opened, or a newer request is under way.
    if (round !== this.#round || refresh !== this.#refreshes) return 0;
    const known = new Set(this.items.map((item) => item.msgid));
    const now = new Map(view.items.map((item) => [item.msgid, item]));
    const added = view.items.filter((item) => !known.has(item.msgid));
    const last = this.items.at(-1);
    if (added.some((item) => !item.own) && this.since === null && last) this.since = last.time;
    this.view = view;
    this.#askingEarlier = view.asking;
    this.arrived = new Set(added.flatMap((item) => (item.own ? [] : item.msgid)));
    // What the answer leaves out although it goes back further was deleted.
    const covered = view.earlier === 0 ? 0 : this.items.findIndex((item) => item.msgid === view.items[0]?.msgid);
    const gone = this.items.filter((item, at) => covered >= 0 && at >= covered && !now.has(item.msgid));
    for (const { msgid } of gone) this.remove(msgid);
    this.items = [...this.items.map((item) => now.get(item.msgid) ?? item), ...added];
    return added.length;
  }

  /** Shows items as read: these, and those up to `through`. */
  setRead(msgids: readonly string[], through: string | null): void {
    const read = new Set(msgids);
    const before = this.items.findIndex((item) => item.msgid === through);
    this.items = this.items.map((item, at) =>
      item.unread && (at <= before || read.has(item.msgid)) ? { ...item, unread: false } : item,
    );
  }

  /** Changes what is known of a loaded item, until the program says it anew. */
  change(msgid: string, to: Partial<ItemView>): void {
    const changed = (item: ItemView) => (item.msgid === msgid ? { ...item, ...to } : item);
    this.items = this.items.map(changed);
    this.#askingEarlier = this.#askingEarlier.map(changed);
  }

  /** Keeps items unread although they are on screen; without their msgids, all that are loaded. */
  keepUnread(msgids: readonly string[] = this.items.map((item) => item.msgid)): void {
    this.kept = new Set([...this.kept, ...msgids]);
  }

  /** Takes an item out that was deleted. */
  remove(msgid: string): void {
    this.#askingEarlier = this.#askingEarlier.filter((item) => item.msgid !== msgid);
    const at = this.items.findIndex((item) => item.msgid === msgid);
    if (at < 0) return;
    this.items = this.items.filter((item) => item.msgid !== msgid);
    if (at < this.folded) this.folded -= 1;
  }

  /** Shows the items before the first visible one: the folded ones, else those of the previous page. */
  async showEarlier(): Promise<void> {
    if (this.folded > 0) this.folded = 0;
    else await this.#loadEarlier();
  }

  #loadEarlier(): Promise<void> {
    const first = this.items[0];
    if (this.id === null || !first) return Promise.resolve();
    this.#earlierRequest ??= this.#requestEarlier(this.id, first.msgid).finally(() => {
      this.#earlierRequest = null;
    });
    return this.#earlierRequest;
  }

  async #requestEarlier(id: number, before: string): Promise<void> {
    const round = this.#round;
    this.loadingEarlier = true;
    try {
      const earlier = await this.platform.thread(id, before);
      if (round !== this.#round) return;
      const more = notYet(this.items, earlier.items);
      this.items = [...more, ...this.items];
      if (this.folded > 0) this.folded += more.length;
      this.unreadNotLoaded = Math.max(0, this.unreadNotLoaded - unreadIn(more));
      this.#notLoaded = earlier.earlier;
      this.#facesNotLoaded = earlier.earlier_faces;
      this.#findFirstNew();
    } finally {
      this.loadingEarlier = false;
    }
  }

  /** Finds "New since" in earlier items, where the unread ones did not fit into the first page. */
  #findFirstNew(): void {
    if (this.since !== null || this.#unread === 0) return;
    const others = this.items.filter((item) => !item.own);
    this.since = others.at(-1 - this.#unread)?.time ?? null;
  }

  /** Acknowledges at once what was read in a conversation, when the reader leaves it. */
  leave(): void {
    if (this.id === null || this.view?.row.id !== this.id || this.view.row.kind !== 'message') return;
    // Without this call the acknowledgement is sent a little later.
    this.platform.leaveThread(this.id).catch(() => {});
  }

  close(): void {
    this.leave();
    this.draft.close();
    this.#round += 1;
    this.id = null;
    this.view = null;
    this.items = [];
    this.#askingEarlier = [];
    this.folded = 0;
    this.since = null;
    this.highlighted = null;
    this.failure = null;
    this.#notLoaded = 0;
  }
}
