// The thread in the reading pane: its items as they are loaded, and where the new ones began when it was opened.
import { nextFrame } from '../../dom/next-frame';
import type { ThreadPosition } from '../../generated/ThreadPosition';
import type { ThreadView } from '../../generated/ThreadView';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ComposerFiles } from './composer-files.svelte';
import { LoadedItems } from './loaded-items.svelte';
import { MessageDraft } from './message-draft.svelte';
import { foldedCount, reachesUnread, unreadBefore } from './thread-pages';

/** The bound of pages that are loaded to reach an item of a thread that is no conversation. */
const MOST_PAGES = 40;

/** The position at which a thread is opened. */
export interface ShowOptions {
  /** The msgid of the item to scroll to. */
  readonly item?: string | null;
  /** Searched terms: the first item with one of them is the first visible one. */
  readonly terms?: readonly string[];
}

export class Reading extends LoadedItems {
  id: number | null = $state(null);
  /** The time of "New since", ms since 1970; unchanged until the thread is opened again. */
  since: number | null = $state(null);
  /** The items of others that came in last while the thread was open. */
  arrived: ReadonlySet<string> = $state.raw(new Set());
  /** Why the requested thread cannot be shown; null if it can. */
  failure: unknown = $state.raw(null);
  /** The items that the reader marked unread here: being on screen does not read them again. */
  kept: ReadonlySet<string> = new Set();
  /** Counts the opened threads, so that the panes scroll to the start of a new one. */
  opened = $state(0);
  /** The searched terms that are marked in the thread: those for which it is shown, while the list is already another. */
  terms: readonly string[] = $state.raw([]);
  /** The item to scroll to; a new object for each request. */
  highlighted: { readonly msgid: string } | null = $state.raw(null);
  /** Whether a request for earlier items is under way. */
  loadingEarlier = $state(false);
  /** Whether the thread was requested and is not shown yet; what is on screen may be from before. */
  awaited = false;
  /** Whether the thread was requested again after it was opened, as it changed. */
  refreshed = false;
  /** Resolves once the newest request for a thread is answered or has failed. */
  loaded: Promise<unknown> = Promise.resolve();

  readonly draft: MessageDraft;
  /** The number of unread items when the thread was opened. */
  #unread = 0;
  #earlierRequest: Promise<void> | null = null;
  #laterRequest: Promise<void> | null = null;
  #round = 0;
  #refreshes = 0;
  /** Whether the thread changed before its first answer was shown. */
  #refreshMissed = false;
  /** Whether the reader wanted the thread unread before its first answer was shown. */
  #keepsAll = false;

  constructor(
    private readonly platform: Platform,
    private readonly composerFiles: ComposerFiles,
    feedback: Feedback,
  ) {
    super();
    this.draft = new MessageDraft(platform, feedback);
  }

  show(id: number, options: ShowOptions = {}): Promise<void> {
    this.#round += 1;
    this.#refreshMissed = false;
    this.#keepsAll = false;
    this.awaited = true;
    this.refreshed = false;
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
    const opensEarlier = !reachesUnread(newest) && !newest.items.some(({ msgid }) => msgid === item);
    const view = opensEarlier ? await this.platform.thread(newest.row.id, { at: 'first_unread' }) : newest;
    if (round !== this.#round) return;
    this.takePage(view, opensEarlier ? 0 : unreadBefore(view));
    this.terms = terms;
    this.since = view.new_since;
    this.#unread = view.row.unread;
    this.folded = view.row.kind === 'message' ? 0 : foldedCount(view, terms);
    // What a search found is shown wherever it is.
    this.showsArchived = terms.length > 0;
    this.highlighted = null;
    this.arrived = new Set();
    this.kept = new Set(this.#keepsAll ? this.#msgids() : []);
    this.awaited = false;
    this.opened += 1;
    if (view.composer) {
      this.draft.open(view.row.id, unsaved ?? view.composer.draft);
      this.composerFiles.open(view.row.id, view.composer.files);
    } else this.draft.close();
    // The answer of the service comes as an event. Without a connection the thread stays as it is.
    if (view.row.follow) this.platform.lookUp(view.row.id).catch(() => {});
    if (item !== null) await this.scrollToItem(item);
    if (this.#refreshMissed) await this.refresh();
  }

  /** Goes to the first items of a conversation. */
  async toFirst(): Promise<void> {
    if (this.notLoaded > 0) await this.#goTo({ at: 'first' });
  }

  /** Goes to the newest items of a conversation. */
  async toNewest(): Promise<void> {
    if (this.later > 0) await this.#goTo(null);
  }

  /** Goes to another part of the open thread; null is its end. */
  async #goTo(position: ThreadPosition | null): Promise<void> {
    const { id } = this;
    if (id === null) return;
    const round = this.#round;
    const page = await this.platform.thread(id, position);
    if (round !== this.#round) return;
    this.arrived = new Set();
    this.folded = 0;
    this.takePage(page, unreadBefore(page));
  }

  /** Scrolls to an item of the open thread, loading earlier ones if necessary. A conversation is shown from there on,
   * however long ago that is, and so is a thread that goes on after what is loaded. */
  async scrollToItem(msgid: string): Promise<void> {
    const round = this.#round;
    const at = () => [...this.items, ...this.asking].findIndex((item) => item.msgid === msgid);
    if (at() < 0 && (this.later > 0 || this.view?.row.kind === 'message'))
      await this.#goTo({ at: 'around', msgid }).catch(() => {});
    for (let page = 0; round === this.#round && at() < 0 && this.notLoaded > 0 && page < MOST_PAGES; page += 1)
      await this.#loadEarlier();
    const found = at();
    if (found < 0 || round !== this.#round) return;
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
    this.refreshed = true;
    this.#refreshes += 1;
    const refresh = this.#refreshes;
    const view = await this.platform.thread(id, null);
    // Another thread was opened, or a newer request is under way.
    if (round !== this.#round || refresh !== this.#refreshes) return 0;
    const last = this.items.at(-1);
    const added = this.takeNewest(view);
    if (added.some((item) => !item.own) && this.since === null && last) this.since = last.time;
    this.arrived = new Set(added.flatMap((item) => (item.own ? [] : item.msgid)));
    return added.length;
  }

  /** Keeps items unread although they are on screen; without their msgids, all that are loaded or about to be. */
  keepUnread(msgids?: readonly string[]): void {
    this.#keepsAll = !msgids && this.view?.row.id !== this.id;
    this.kept = new Set([...this.kept, ...(msgids ?? this.#msgids())]);
  }

  #msgids(): string[] {
    return this.items.map((item) => item.msgid);
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
      const earlier = await this.platform.thread(id, { at: 'before', msgid: before });
      // Meanwhile another thread or part of it may be shown.
      if (round !== this.#round || this.items[0]?.msgid !== before) return;
      this.takeEarlier(earlier);
      this.#findFirstNew();
    } finally {
      this.loadingEarlier = false;
    }
  }

  /** Shows the items after the loaded ones. */
  showLater(): Promise<void> {
    const last = this.items.at(-1);
    if (this.id === null || !last || this.later === 0) return Promise.resolve();
    this.#laterRequest ??= this.#requestLater(this.id, last.msgid).finally(() => {
      this.#laterRequest = null;
    });
    return this.#laterRequest;
  }

  async #requestLater(id: number, msgid: string): Promise<void> {
    const round = this.#round;
    const later = await this.platform.thread(id, { at: 'after', msgid });
    if (round !== this.#round || this.items.at(-1)?.msgid !== msgid) return;
    this.arrived = new Set();
    this.takeLater(later);
  }

  /** Finds "New since" in earlier items, if the unread ones did not fit into the first page. */
  #findFirstNew(): void {
    if (this.since !== null || this.#unread === 0 || this.later > 0) return;
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
    this.awaited = false;
    this.clear();
    this.since = null;
    this.terms = [];
    this.highlighted = null;
    this.failure = null;
  }
}
