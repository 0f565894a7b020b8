// The thread in the reading pane: its items so far, and where the new ones began when it was opened.
import type { Face } from '../generated/Face';
import type { ItemView } from '../generated/ItemView';
import type { ThreadView } from '../generated/ThreadView';
import type { Platform } from '../platform/platform';
import { Composing } from './composing.svelte';

export class Reading {
  id: number | null = $state(null);
  view: ThreadView | null = $state.raw(null);
  items: readonly ItemView[] = $state.raw([]);
  earlier = $state(0);
  earlierFaces: readonly Face[] = $state.raw([]);
  /** Stands still until the thread is opened again, ms since 1970. */
  since: number | null = $state(null);
  /** Counts the threads that were opened, so that a new one starts at its place. */
  opened = $state(0);
  /** The asking for earlier items is under way. */
  asking = $state(false);

  readonly composing: Composing;
  readonly #platform: Platform;
  #round = 0;
  #refreshes = 0;

  constructor(platform: Platform, fail: (error: unknown) => void) {
    this.#platform = platform;
    this.composing = new Composing(platform, fail);
  }

  async show(id: number): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.id = id;
    this.composing.flush();
    const view = await this.#platform.thread(id, null);
    if (round !== this.#round) return;
    this.view = view;
    this.items = view.items;
    this.earlier = view.earlier;
    this.earlierFaces = view.earlier_faces;
    this.since = view.new_since;
    this.opened += 1;
    if (view.composer) this.composing.open(id, view.composer.draft);
    else this.composing.close();
  }

  /** Asks again after a change. Answers how many items are new. */
  async refresh(): Promise<number> {
    const { id } = this;
    if (id === null || this.view === null) return 0;
    const round = this.#round;
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

  /** Brings in the items before the first one. */
  async showEarlier(): Promise<void> {
    const first = this.items[0];
    if (this.id === null || !first || this.asking) return;
    const round = this.#round;
    this.asking = true;
    try {
      const page = await this.#platform.thread(this.id, first.msgid);
      if (round !== this.#round) return;
      const known = new Set(this.items.map((item) => item.msgid));
      this.items = [...page.items.filter((item) => !known.has(item.msgid)), ...this.items];
      this.earlier = page.earlier;
      this.earlierFaces = page.earlier_faces;
    } finally {
      this.asking = false;
    }
  }

  close(): void {
    this.composing.close();
    this.#round += 1;
    this.id = null;
    this.view = null;
    this.items = [];
    this.since = null;
    this.earlier = 0;
  }
}
