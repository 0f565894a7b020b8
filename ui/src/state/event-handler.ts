// What the page does with what the program tells it unasked: rows, sources, settings, notices. Asks for nothing to be done.

import type { IpcEvent } from '../generated/IpcEvent';
import type { Notice } from '../generated/Notice';
import type { SourceRow } from '../generated/SourceRow';
import type { Sync } from '../generated/Sync';
import { i18n } from '../i18n/i18n.svelte';
import { belongs } from './marks/marks';
import type { Page } from './page.svelte';
import { syncText } from './sources/sync-text';

type Threads = Extract<IpcEvent, { event: 'threads' }>;

export class Hearing {
  /** Threads were heard of. */
  arrived = false;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  hear(event: IpcEvent): void {
    const page = this.#page;
    page.clock.look();
    switch (event.event) {
      case 'threads':
        this.#threads(event);
        break;
      case 'sync':
        this.#sync(event.sync, event.sources);
        break;
      case 'open':
        void page.open(event.thread, event.item, event.action);
        break;
      case 'file':
        page.files.hear(event.thread, event.msgid, event.file);
        break;
      case 'settings':
        page.wearing.adopt(event.settings).catch(page.fail);
        break;
      case 'announce':
        page.tell(event.text);
        break;
      case 'notices':
        this.#notices(event.notices);
        break;
    }
  }

  #threads(event: Threads): void {
    const page = this.#page;
    const { list, reading } = page;
    page.places = event.places;
    if (event.rows.length > 0) this.#arrive();
    const before = list.waiting;
    const rows = list.optimistic.hear(event.rows, event.as_of);
    const fresh = rows.filter((row) => !list.has(row.id) && belongs(row, list.place, false));
    if (event.refetch) {
      const heard = () => {
        if (list.ids.length > 0) this.#arrive();
      };
      list.refetch().then(heard, page.fail);
    } else list.change(rows, event.gone);
    if (fresh.some((row) => row.unread > 0))
      page.announcer.announce(i18n.t.newThreads(Math.max(fresh.length, list.waiting - before)));
    const { id } = reading;
    if (id === null) return;
    if (event.gone.includes(id)) {
      reading.close();
      if (page.chosen === id) page.chosen = null;
    } else if (event.refetch || event.rows.some((row) => row.id === id)) {
      void this.#grow(id);
    }
  }

  #sync(sync: Sync, sources: readonly SourceRow[]): void {
    const page = this.#page;
    const before = page.sync && syncText(page.sync, page.sources, i18n.t).said;
    page.sync = sync;
    this.#reach(sources);
    page.setSources([...sources]);
    const now = syncText(sync, sources, i18n.t).said;
    if (now !== before) page.announcer.announce(now);
  }

  /** Banners stand where the eye is; what is new about them is said as well. */
  #notices(notices: readonly Notice[]): void {
    const page = this.#page;
    const known = new Set(page.notices.map((notice) => notice.text));
    const fresh = notices.filter((notice) => !known.has(notice.text));
    page.notices = notices;
    page.dismissed = page.dismissed.filter((code) => notices.some((notice) => notice.code === code));
    if (fresh.length > 0) page.announcer.announce(fresh.map((notice) => notice.text).join(' '));
  }

  /** Whether what is written to the open conversation waits depends on how its source is doing. */
  #reach(sources: readonly SourceRow[]): void {
    const page = this.#page;
    const { view } = page.reading;
    if (!view?.composer) return;
    const state = (all: readonly SourceRow[]) => all.find((one) => one.id === view.row.source)?.state.state;
    // A pull decides nothing before it is over.
    const now = state(sources);
    if (now !== 'pulling' && now !== state(page.sources)) page.reading.refresh().catch(page.fail);
  }

  /** The first-run page gives way by itself. */
  #arrive(): void {
    const page = this.#page;
    this.arrived = true;
    if (page.firstRun.show) page.firstRun = { ...page.firstRun, show: false };
  }

  /** The open thread changed: what came while it is looked at counts as read after a moment. */
  async #grow(id: number): Promise<void> {
    const page = this.#page;
    const added = await page.reading.refresh().catch(() => 0);
    if (added === 0 || page.chosen !== id || !page.onScreen || !document.hasFocus()) return;
    page.readTracker.rest(() => {
      if (page.chosen === id && document.hasFocus()) page.choosing.read(id);
    });
  }
}
