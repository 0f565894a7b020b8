// The thread in the reading pane: its items so far, where the new ones began when it was opened, and what of it stands
// behind "earlier".
import { matches } from '../../components/text/highlight';
import { nextFrame } from '../../dom/next-frame';
import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { ThreadView } from '../../generated/ThreadView';
import type { Platform } from '../../platform/platform';
import { Composing } from './message-draft.svelte';

/** Pages that are brought in at most to reach an item that was asked for. */
const MOST_PAGES = 40;
/** Faces of those who wrote the earlier items. */
const FACES = 3;

/** What is asked of a thread as it is opened. */
export interface Asked {
  /** Come to this very item. */
  readonly item?: string | null;
  /** Strings that were searched for: the first item that has them is the first one shown. */
  readonly terms?: readonly string[];
}

export class Reading {
  id: number | null = $state(null);
  view: ThreadView | null = $state.raw(null);
  /** All that are here, oldest first. */
  items: readonly ItemView[] = $state.raw([]);
  /** How many of them stand behind "earlier". */
  folded = $state(0);
  /** Stands still until the thread is opened again, ms since 1970. */
  since: number | null = $state(null);
  /** Counts the threads that were opened, so that a new one starts at its place. */
  opened = $state(0);
  /** The item that was asked for; another object each time it is. */
  highlighted: { readonly msgid: string } | null = $state.raw(null);
  /** The asking for earlier items is under way. */
  asking = $state(false);
  /** Items that the program has before those that are here, and who wrote them. */
  #notHere = $state(0);
  #facesNotHere: readonly Face[] = $state.raw([]);
  readonly visible: readonly ItemView[] = $derived(this.items.slice(this.folded));
  /** Items before the first visible one. */
  readonly earlier: number = $derived(this.folded + this.#notHere);
  readonly earlierFaces: readonly Face[] = $derived.by(() => this.#faces());
  /** Done once the thread that was asked for last is here, or cannot be had. */
  here: Promise<unknown> = Promise.resolve();

  readonly composing: Composing;
  readonly #platform: Platform;
  /** How many were unread as it was opened. */
  #unread = 0;
  #asking: Promise<void> | null = null;
  #round = 0;
  #refreshes = 0;
  /** It changed between its answer and its being shown. */
  #missed = false;

  constructor(platform: Platform, fail: (error: unknown) => void) {
    this.#platform = platform;
    this.composing = new Composing(platform, fail);
  }

  show(id: number, asked: Asked = {}): Promise<void> {
    this.#round += 1;
    this.#missed = false;
    if (this.id !== id) this.leave();
    this.id = id;
    this.composing.flush();
    const answer = this.#platform.thread(id, null);
    const round = this.#round;
    this.here = answer.catch(() => {
      // It can be asked for again.
      if (round === this.#round) this.id = this.view?.row.id ?? null;
    });
    return this.#show(answer, asked);
  }

  async #show(answer: Promise<ThreadView>, { item = null, terms = [] }: Asked): Promise<void> {
    const round = this.#round;
    // The choice is nextFrame before the thread is: a long one takes longer than a frame.
    const [view] = await Promise.all([answer, nextFrame()]);
    if (round !== this.#round) return;
    this.view = view;
    this.items = view.items;
    this.#notHere = view.earlier;
    this.#facesNotHere = view.earlier_faces;
    this.since = view.new_since;
    this.#unread = view.row.unread;
    this.folded = view.row.kind === 'message' ? 0 : folds(view, terms);
    this.highlighted = null;
    this.opened += 1;
    if (view.composer) this.composing.open(view.row.id, view.composer.draft);
    else this.composing.close();
    if (item !== null) await this.scrollToItem(item);
    if (this.#missed) await this.refresh();
  }

  /** Brings an item of the open thread into sight, whatever lies before it. */
  async scrollToItem(msgid: string): Promise<void> {
    const round = this.#round;
    const at = () => this.items.findIndex((item) => item.msgid === msgid);
    for (let page = 0; at() < 0 && this.#notHere > 0 && page < MOST_PAGES; page += 1) {
      await this.#ask();
      if (round !== this.#round) return;
    }
    const found = at();
    if (found < 0) return;
    this.folded = Math.min(this.folded, found);
    this.highlighted = { msgid };
  }

  /** Asks again after a change. Answers how many items are new. */
  async refresh(): Promise<number> {
    const { id } = this;
    if (id === null) return 0;
    if (this.view?.row.id !== id) {
      // What was asked for is not shown yet.
      this.#missed = true;
      return 0;
    }
    const round = this.#round;
    this.#missed = false;
    this.#refreshes += 1;
    const refresh = this.#refreshes;
    const view = await this.#platform.thread(id, null);
    // Another thread was opened, or a later answer is on its way.
    if (round !== this.#round || refresh !== this.#refreshes) return 0;
    const known = new Set(this.items.map((item) => item.msgid));
    const now = new Map(view.items.map((item) => [item.msgid, item]));
    const added = view.items.filter((item) => !known.has(item.msgid));
    const last = this.items.at(-1);
    if (added.some((item) => !item.own) && this.since === null && last) this.since = last.time;
    this.view = view;
    this.items = [...this.items.map((item) => now.get(item.msgid) ?? item), ...added];
    return added.length;
  }

  /** Brings in the items before the first visible one: those that are here at once, else the page before. */
  async showEarlier(): Promise<void> {
    if (this.folded > 0) this.folded = 0;
    else await this.#ask();
  }

  #ask(): Promise<void> {
    const first = this.items[0];
    if (this.id === null || !first) return Promise.resolve();
    this.#asking ??= this.#bring(this.id, first.msgid).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #bring(id: number, before: string): Promise<void> {
    const round = this.#round;
    this.asking = true;
    try {
      const page = await this.#platform.thread(id, before);
      if (round !== this.#round) return;
      const known = new Set(this.items.map((item) => item.msgid));
      const more = page.items.filter((item) => !known.has(item.msgid));
      this.items = [...more, ...this.items];
      if (this.folded > 0) this.folded += more.length;
      this.#notHere = page.earlier;
      this.#facesNotHere = page.earlier_faces;
      this.#findBeginningOfNew();
    } finally {
      this.asking = false;
    }
  }

  /** With more unread items than a page holds, the last read one comes in later. */
  #findBeginningOfNew(): void {
    if (this.since !== null || this.#unread === 0) return;
    const others = this.items.filter((item) => !item.own);
    this.since = others.at(-1 - this.#unread)?.time ?? null;
  }

  #faces(): readonly Face[] {
    const faces: Face[] = [];
    for (const { avatar } of this.items.slice(0, this.folded).reverse()) {
      if (avatar.shape !== 'person') continue;
      const { face } = avatar;
      if (!faces.some((one) => one.initials === face.initials && one.tint === face.tint)) faces.push(face);
    }
    return (faces.length > 0 || this.folded > 0 ? faces : this.#facesNotHere).slice(0, FACES);
  }

  /** One turns away from what is open: what was read in a conversation is acknowledged at once. */
  leave(): void {
    if (this.id === null || this.view?.row.id !== this.id || this.view.row.kind !== 'message') return;
    // Without it the acknowledgement goes out a little later.
    this.#platform.leaveThread(this.id).catch(() => {});
  }

  close(): void {
    this.leave();
    this.composing.close();
    this.#round += 1;
    this.id = null;
    this.view = null;
    this.items = [];
    this.folded = 0;
    this.since = null;
    this.highlighted = null;
    this.#notHere = 0;
  }
}

/** What was read already stands behind "earlier", up to what was searched for. */
function folds(view: ThreadView, terms: readonly string[]): number {
  const since = view.new_since;
  const found = terms.length > 0 ? view.items.findIndex((item) => matches(item, terms)) : -1;
  const fresh = since === null ? -1 : view.items.findIndex((item) => item.time > since && !item.own);
  const starts = [found, fresh].filter((at) => at >= 0);
  return starts.length > 0 ? Math.min(...starts) : 0;
}
