// Passes each event of the program to the stores that it concerns.
import type { IpcEvent } from '../generated/IpcEvent';
import type { SourceRow } from '../generated/SourceRow';

import type { Sync } from '../generated/Sync';
import type { ThreadRow } from '../generated/ThreadRow';
import { i18n } from '../i18n/i18n.svelte';
import { asListed, belongs } from './marks/marks';
import type { Parts } from './parts';
import { silenceOf } from './sources/silence';
import { syncText } from './sources/sync-text';

type Threads = Extract<IpcEvent, { event: 'threads' }>;

export class EventHandler {
  constructor(private readonly stores: Parts) {}

  handle(event: IpcEvent): void {
    const { attachments, clock, composerFiles, feedback, router, settings } = this.stores;
    clock.look();
    switch (event.event) {
      case 'threads':
        this.#threads(event);
        break;
      case 'sync':
        this.#sync(event.sync, event.sources);
        break;
      case 'open':
        void router.openThread(event.thread, event.item, event.action);
        break;
      case 'new_conversation':
        router.newConversation();
        break;
      case 'search':
        router.searchFor(event.query);
        break;
      case 'file':
        attachments.onProgress(event.thread, event.msgid, event.file);
        break;
      case 'uploads':
        composerFiles.setUploads(event.uploads);
        break;
      case 'settings':
        settings.adopt(event.settings).catch(feedback.fail);
        break;
      case 'announce':
        feedback.showUnasked(event.text);
        break;
      case 'notices': {
        const added = this.stores.status.setNotices(event.notices);
        if (added.length > 0) feedback.announce(added.map((notice) => notice.text).join(' '));
      }
    }
  }

  #threads(event: Threads): void {
    const { feedback, firstRun, list, places } = this.stores;
    places.current = event.places;
    places.learn(event.rows.map((row) => row.kind));
    if (event.rows.length > 0) firstRun.dismiss();
    const rows = list.optimistic.applyToEvent(event.rows, event.as_of);
    const news = this.#news(rows);
    if (event.refetch) {
      const refetched = () => {
        if (list.ids.length > 0) firstRun.dismiss();
      };
      list.refetch().then(refetched, feedback.fail);
    } else this.#change(rows, event.gone);
    if (news !== '') feedback.announce(news);
    this.#openThread(event);
  }

  /** Applies changes to the list. What its reader has open stays, unless it is gone. */
  #change(rows: readonly ThreadRow[], gone: readonly number[]): void {
    const { list, movement, navigation } = this.stores;
    const change = () => list.change(rows, gone);
    if (navigation.threadId !== null && gone.includes(navigation.threadId)) movement.changeList(change);
    else change();
  }

  /**
   * The sentence about new threads in the list, and about listed ones with something new; the open one shows its news
   * itself.
   */
  #news(changed: readonly ThreadRow[]): string {
    const { list } = this.stores;
    const rows = changed.map((row) => asListed(row, list.place));
    const added = rows.filter((row) => !list.has(row.id) && row.unread > 0 && belongs(row, list.place, false));
    const risen = rows.filter((row) => list.grew(row) && row.unread > 0 && !list.isOpen(row.id));
    const texts = [
      added.length > 0 ? i18n.t.newThreads(added.length) : '',
      risen.length > 0 ? i18n.t.newInThreads(risen.length) : '',
    ];
    return texts.filter(Boolean).join('. ');
  }

  /** Closes the open thread if it is gone, or refreshes it if it changed. */
  #openThread({ rows, gone, refetch }: Threads): void {
    const { currentThread, navigation, reading } = this.stores;
    const { id } = reading;
    // While a key is held down the current thread is not the open one yet.
    if (navigation.threadId !== null && gone.includes(navigation.threadId)) {
      currentThread.stop();
      navigation.threadId = null;
    }
    if (id === null) return;
    if (gone.includes(id)) currentThread.close();
    else if (refetch || rows.some((row) => row.id === id)) reading.refresh().catch(() => {});
  }

  #sync(sync: Sync, sources: SourceRow[]): void {
    const { digest, feedback, places, reading, status } = this.stores;
    // What came during an absence is complete once everything is pulled, and a new source may have brought other kinds.
    if (sync.up_to_date && status.sync?.up_to_date === false) {
      digest.look();
      places.look().catch(feedback.fail);
    }
    const before = status.sync && syncText(status.sync, places.sources, i18n.t).announced;
    const silent = this.#silence();
    status.sync = sync;
    // Whether messages of the open conversation wait depends on its source's status, except while a pull is under way.
    const { view } = reading;
    const stateIn = (all: readonly SourceRow[]) => all.find((one) => one.id === view?.row.source)?.state.state;
    const now = stateIn(sources);
    if (view?.composer && now !== 'pulling' && now !== stateIn(places.sources)) reading.refresh().catch(feedback.fail);
    places.set({ sources });
    const { announced } = syncText(sync, sources, i18n.t);
    if (announced !== before) feedback.announce(announced);
    const silence = this.#silence();
    if (silence !== silent) feedback.announce(silence ?? i18n.t.toastsAgain);
  }

  /** What holds toasts back, in one sentence. */
  #silence(): string | null {
    const { clock, status } = this.stores;
    return silenceOf(status.sync, clock.today, i18n.lang, i18n.t)?.sentence ?? null;
  }
}
