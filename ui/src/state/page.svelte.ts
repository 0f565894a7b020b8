// The page as a whole: where one is, what is chosen, and what the program said. Refuses to count: numbers come ready.
import { getContext, setContext } from 'svelte';
import type { ActionView } from '../generated/ActionView';
import type { FirstRun } from '../generated/FirstRun';
import type { Notice } from '../generated/Notice';
import type { NoticeCode } from '../generated/NoticeCode';
import type { PendingAction } from '../generated/PendingAction';
import type { Place } from '../generated/Place';
import type { Places } from '../generated/Places';
import type { Settings } from '../generated/Settings';
import type { SourceRow } from '../generated/SourceRow';
import type { Sync } from '../generated/Sync';
import type { ThreadRow } from '../generated/ThreadRow';
import { i18n } from '../i18n/i18n.svelte';
import { writeTimesAs } from '../i18n/times';
import type { Platform } from '../platform/platform';
import type { Clock } from './clock.svelte';
import { Hearing } from './event-handler';
import { Announcer } from './feedback/announcer.svelte';
import { Snackbar } from './feedback/snackbar.svelte';
import type { Listing } from './list/list-query';
import { ThreadList } from './list/thread-list.svelte';
import { MarkQueue } from './marks/mark-queue';
import { samePlace } from './marks/marks';
import { Selection } from './marks/selection.svelte';
import { Choosing } from './navigation/current-thread';
import { ReadTracker } from './navigation/read-tracker';
import { Files } from './reading/attachments.svelte';
import { Reading } from './reading/reading.svelte';
import { Finding } from './search/saved-searches.svelte';
import { Search } from './search/search.svelte';
import { Wearing } from './settings/settings.svelte';

export type View = 'threads' | 'settings';
export type SettingsTab =
  | 'general'
  | 'sources'
  | 'notifications'
  | 'rules'
  | 'appearance'
  | 'shortcuts'
  | 'storage'
  | 'server'
  | 'first-steps'
  | 'about';

/** What a failure says: the program words it. */
export function errorText(error: unknown): string {
  return typeof error === 'object' && error !== null && 'text' in error ? String(error.text) : i18n.t.failed;
}

/** A button of an item that calls out, as it was read when it was pressed in a toast. */
export interface Pressing extends PendingAction {
  readonly thread: number;
  readonly msgid: string;
}

export class Page {
  /** Why there is nothing to show at all. */
  broken: string | null = $state(null);
  ready = $state(false);
  view: View = $state('threads');
  settingsTab: SettingsTab = $state('general');
  version = $state('');
  places: Places | null = $state.raw(null);
  sync: Sync | null = $state.raw(null);
  firstRun: FirstRun = $state.raw({ show: false, publish_url: null, autostart: null });
  notices: readonly Notice[] = $state.raw([]);
  dismissed: readonly NoticeCode[] = $state.raw([]);
  /** What sources can speak. */
  protocols: readonly string[] = $state.raw([]);
  /** The form that adds a source is open. */
  adding = $state(false);
  /** The form that begins a conversation is open. */
  beginning = $state(false);

  /** Where one is; kept while one searches. */
  place: Place = $state.raw({ place: 'inbox' });
  chosen: number | null = $state(null);
  /** The thread that a menu is about, while it is open. */
  target: number | null = $state(null);
  /** A button that its reader is asked about. */
  pressing: Pressing | null = $state.raw(null);
  /** In one pane: the reading pane is on screen, not the list. */
  inside = $state(false);
  /** The places lie over the list, in one pane. */
  drawer = $state(false);
  help = $state(false);
  palette = $state(false);
  /** The open snooze menu: beside what it stands, and for which threads. */
  snoozing: { anchor: HTMLElement; ids: readonly number[] } | null = $state.raw(null);

  readonly marks = new MarkQueue();
  readonly list: ThreadList;
  readonly selection: Selection;
  readonly search: Search;
  readonly reading: Reading;
  readonly files: Files;
  readonly finding: Finding;
  readonly snackbar = new Snackbar();
  readonly announcer = new Announcer();
  readonly #row: ThreadRow | null = $derived.by(() => {
    if (this.chosen === null) return null;
    return (
      this.list.rows.get(this.chosen) ?? (this.reading.view?.row.id === this.chosen ? this.reading.view.row : null)
    );
  });
  readonly readTracker = new ReadTracker((rows) => {
    const seen = this.list.see(rows);
    if (seen.length > 0) this.platform.mark(seen, { op: 'seen' }).catch(this.fail);
  });
  readonly wearing = new Wearing(this);
  readonly choosing = new Choosing(this);
  readonly #hearing = new Hearing(this);

  constructor(
    readonly platform: Platform,
    readonly clock: Clock,
  ) {
    this.list = new ThreadList(platform);
    this.list.rank = (source) => this.sources.findIndex((one) => one.id === source);
    this.selection = new Selection(this.list);
    this.list.keeps = (id) => this.selection.ids.has(id);
    this.search = new Search(this);
    this.finding = new Finding(this);
    this.reading = new Reading(platform, this.fail);
    this.files = new Files(platform, (text) => this.tell(text), this.fail);
  }

  /** Strings of a failure, shown where the eye is. */
  readonly fail = (error: unknown): void => {
    this.tell(errorText(error));
  };

  get row(): ThreadRow | null {
    return this.#row;
  }

  get sources(): readonly SourceRow[] {
    return this.places?.sources ?? [];
  }

  /** The first steps, for as long as nothing is there, by whichever answer it comes. */
  get welcome(): boolean {
    const inbox = this.search.query === null && this.view === 'threads' && this.place.place === 'inbox';
    return this.firstRun.show && inbox && this.list.ids.length === 0;
  }

  /** The chosen threads: those under check boxes, else the one that is chosen. */
  get subjects(): number[] {
    if (this.target !== null) return [this.target];
    if (this.selection.on) return [...this.selection.ids];
    return this.chosen === null ? [] : [this.chosen];
  }

  snoozeFrom(anchor: HTMLElement, ids = this.subjects): void {
    this.snoozing = this.snoozing === null && ids.length > 0 ? { anchor, ids } : null;
  }

  snoozeClose(): void {
    this.snoozing = null;
  }

  sourceName(source: SourceRow): string {
    return source.own ? i18n.t.thisComputer : source.name;
  }

  /** Shows sources as they will be, until the program tells of them itself. */
  setSources(sources: SourceRow[]): void {
    if (this.places) this.places = { ...this.places, sources };
  }

  tell(text: string): void {
    if (text === '') return;
    this.snackbar.tell(text);
    this.announcer.announce(text);
  }

  /** Begins, or begins again after a failure, which is shown in place of everything else. */
  async start(): Promise<void> {
    this.broken = null;
    try {
      await this.#begin();
    } catch (error) {
      this.broken = errorText(error);
    }
  }

  /** The page is taken down: nothing happens any more. */
  stop(): void {
    this.search.stop();
    this.choosing.stop();
    this.reading.composing.flush();
    this.reading.leave();
    this.readTracker.stop();
    this.list.stop();
    this.snackbar.dismiss();
    this.announcer.stop();
    this.clock.stop();
  }

  async #begin(): Promise<void> {
    const boot = await this.list.during(this.platform.bootstrap((event) => this.#hearing.hear(event)));
    this.version = boot.version;
    this.wearing.wear(boot.settings);
    if (boot.time_locale !== null) writeTimesAs(boot.time_locale);
    // What was heard meanwhile is at least as new.
    this.places ??= boot.places;
    this.sync ??= boot.sync;
    this.notices = boot.notices;
    this.protocols = boot.protocols;
    this.firstRun = this.#hearing.arrived ? { ...boot.first_run, show: false } : boot.first_run;
    this.list.take(this.listing, boot.inbox);
    this.ready = true;
    if (boot.open !== null) await this.open(boot.open, boot.open_item, boot.open_action);
  }

  get settings(): Settings | null {
    return this.wearing.now;
  }

  /** A change of settings holds at once. */
  set(change: Partial<Settings>): Promise<void> {
    return this.wearing.set(change);
  }

  // ── Where one is ──

  async go(place: Place): Promise<void> {
    this.drawer = false;
    this.view = 'threads';
    const same = samePlace(place, this.place) && this.search.query === null;
    this.leaveList();
    this.place = place;
    this.search.leave();
    if (!same) {
      this.chosen = null;
      this.reading.close();
    }
    this.finding.filters = [];
    await this.list.show(this.listing).catch(this.fail);
  }

  /** What is listed: the place with its filters, or what is searched for everywhere. */
  get listing(): Listing {
    const group = this.settings?.group ?? 'day';
    const search = this.search.query?.trim() ?? '';
    if (search !== '') return { place: { place: 'inbox' }, search, within: false, group: 'day' };
    const { filters } = this.finding;
    return { place: this.place, search: filters.join(' ') || null, within: filters.length > 0, group };
  }

  settingsAt(tab: SettingsTab): void {
    this.leaveList();
    this.settingsTab = tab;
    this.view = 'settings';
    this.drawer = false;
  }

  // ── What is chosen ──

  /** Comes by a thread, without opening it. */
  pass(id: number): void {
    this.choosing.pass(id);
  }

  /** Opens a thread, at one of its items where that was asked for: it is read at once. Asks about a button of that item
   * that was pressed where one could not see what it does. */
  async open(id: number, item: string | null = null, pressed: PendingAction | null = null): Promise<void> {
    this.view = 'threads';
    this.firstRun = { ...this.firstRun, show: false };
    this.choosing.choose(id, item);
    this.inside = true;
    this.choosing.read(id);
    if (item !== null && pressed !== null) this.pressing = { thread: id, msgid: item, ...pressed };
  }

  /** Presses a button of an item, the very one that was read; it says how it went. */
  async press(thread: number, msgid: string, index: number, button: ActionView): Promise<void> {
    try {
      this.tell(await this.platform.runAction(thread, msgid, index, button));
    } catch (error) {
      this.fail(error);
    }
  }

  get onScreen(): boolean {
    return this.inside || !matchMedia('(max-width: 720px)').matches;
  }

  /** Another list is about to be shown. */
  leaveList(): void {
    this.readTracker.leave();
    this.selection.leave();
  }
}

const KEY = Symbol('page');

export function providePage(page: Page): void {
  setContext(KEY, page);
}

export function usePage(): Page {
  return getContext<Page>(KEY);
}
