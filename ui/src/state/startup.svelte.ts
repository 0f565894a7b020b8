// Starts and stops the page: requests everything that is shown first and fills the stores with it.
import { nextFrame } from '../dom/next-frame';
import type { Bootstrap } from '../generated/Bootstrap';
import type { ProtocolView } from '../generated/ProtocolView';
import { i18n } from '../i18n/i18n.svelte';
import { writeTimesAs } from '../i18n/times';
import { EventHandler } from './event-handler';
import { errorText } from './feedback/feedback.svelte';
import type { Parts } from './parts';
import { applyFont } from './settings/appearance';

export class Startup {
  /** The error that keeps the page from starting. */
  error: string | null = $state(null);
  ready = $state(false);
  version = $state('');
  /** The protocols of sources, in the order in which they are offered. */
  protocols: readonly ProtocolView[] = $state.raw([]);

  /** The protocols that the form for a new source offers. The notifications of this desktop have a switch instead. */
  readonly offered = $derived(this.protocols.filter((one) => one.name !== 'desktop'));

  constructor(private readonly stores: Parts) {}

  /** The protocol of a source; none for a removed source whose items stay. */
  protocol(name: string): ProtocolView | undefined {
    return this.protocols.find((one) => one.name === name);
  }

  /** Starts, or starts again after a failure, which is shown in place of everything else. */
  async start(): Promise<void> {
    this.error = null;
    try {
      await this.#start();
    } catch (error) {
      this.error = errorText(error);
    }
  }

  /** Saves the draft and stops every timer. */
  stop(): void {
    const { search, currentThread, itemsSeen, reading, readTracker, list, feedback, clock } = this.stores;
    search.stop();
    currentThread.stop();
    reading.draft.flush();
    reading.leave();
    readTracker.stop();
    itemsSeen.stop();
    list.stop();
    feedback.stop();
    clock.stop();
  }

  async #start(): Promise<void> {
    const { feedback, list, places, router } = this.stores;
    const boot = await list.replacing(() => this.#fill());
    this.ready = true;
    // The program has the processor to itself until the list is drawn.
    nextFrame()
      .then(() => places.look())
      .catch(feedback.fail);
    if (boot.open !== null) await router.openThread(boot.open, boot.open_item, boot.open_action);
  }

  /** Requests everything and fills the stores. */
  async #fill(): Promise<Bootstrap> {
    const { composerFiles, platform, settings, places, status, firstRun, list, scope } = this.stores;
    const events = new EventHandler(this.stores);
    const boot = await list.during(platform.bootstrap((event) => events.handle(event)));
    await i18n.load(boot.settings.lang_now);
    this.version = boot.version;
    settings.apply(boot.settings);
    if (boot.time_locale !== null) writeTimesAs(boot.time_locale);
    applyFont(boot.font);
    // An event that arrived in the meantime is at least as new.
    places.current ??= boot.places;
    status.sync ??= boot.sync;
    status.setNotices(boot.notices);
    this.protocols = boot.protocols;
    composerFiles.setUploads(boot.uploads);
    firstRun.start(boot.first_run);
    // A search that the desktop asked for meanwhile shows its own list.
    if (scope.query === null) list.take(scope.listing, boot.inbox);
    return boot;
  }
}
