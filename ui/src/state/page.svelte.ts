// The page as a whole: where one is, what is chosen, and what the program said. Refuses to count: numbers come ready.
import { getContext, setContext } from 'svelte';
import { terms } from '../components/found';
import type { FirstRun } from '../generated/FirstRun';
import type { Notice } from '../generated/Notice';
import type { NoticeCode } from '../generated/NoticeCode';
import type { PageEvent } from '../generated/PageEvent';
import type { Place } from '../generated/Place';
import type { Places } from '../generated/Places';
import type { Settings } from '../generated/Settings';
import type { SourceRow } from '../generated/SourceRow';
import type { Sync } from '../generated/Sync';
import type { ThreadRow } from '../generated/ThreadRow';
import { say } from '../i18n/say.svelte';
import type { Platform } from '../platform/platform';
import { dress } from './appearance';
import type { Clock } from './clock.svelte';
import { Files } from './files.svelte';
import { Finding } from './finding.svelte';
import { Gaze } from './gaze';
import { belongs, samePlace } from './marks';
import type { Listing } from './queries';
import { termsOf } from './query-text';
import { Reading } from './reading.svelte';
import { Said } from './said.svelte';
import { Snackbar } from './snack.svelte';
import { syncWords } from './sync-words';
import { ThreadList } from './thread-list.svelte';

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
export function wordsOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'text' in error ? String(error.text) : say.t.failed;
}

export class Page {
  /** Why there is nothing to show at all. */
  broken: string | null = $state(null);
  ready = $state(false);
  view: View = $state('threads');
  settingsTab: SettingsTab = $state('general');
  version = $state('');
  settings: Settings | null = $state.raw(null);
  places: Places | null = $state.raw(null);
  sync: Sync | null = $state.raw(null);
  firstRun: FirstRun = $state.raw({ show: false, publish_url: null, autostart: null });
  notices: readonly Notice[] = $state.raw([]);
  dismissed: readonly NoticeCode[] = $state.raw([]);
  /** What sources can speak. */
  protocols: readonly string[] = $state.raw([]);
  /** The form that adds a source is open. */
  adding = $state(false);

  /** Where one is; kept while one searches. */
  place: Place = $state.raw({ place: 'inbox' });
  /** What is typed into the search field; null while one does not search. */
  query: string | null = $state(null);
  /** Counts how often the search field was asked for, so that it takes the focus again. */
  searchAsked = $state(0);
  chosen: number | null = $state(null);
  /** Threads under check boxes; empty outside a selection. */
  selection: ReadonlySet<number> = $state.raw(new Set());
  /** The thread that a menu is about, while it is open. */
  target: number | null = $state(null);
  /** Everything that the list holds is selected, also what is not on the page. */
  all = $state(false);
  /** In one pane: the reading pane is on screen, not the list. */
  inside = $state(false);
  /** The places lie over the list, in one pane. */
  drawer = $state(false);
  help = $state(false);
  palette = $state(false);
  /** The open snooze menu: beside what it stands, and for which threads. */
  snoozing: { anchor: HTMLElement; ids: readonly number[] } | null = $state.raw(null);

  readonly list: ThreadList;
  readonly reading: Reading;
  readonly files: Files;
  readonly finding: Finding;
  readonly snack = new Snackbar();
  readonly said = new Said();
  readonly #row: ThreadRow | null = $derived.by(() => {
    if (this.chosen === null) return null;
    return (
      this.list.rows.get(this.chosen) ?? (this.reading.view?.row.id === this.chosen ? this.reading.view.row : null)
    );
  });
  readonly #words: readonly string[] = $derived.by(() => {
    const { place, search } = this.list;
    const saved = place.place === 'saved' ? this.places?.saved.find((one) => one.id === place.id) : undefined;
    return termsOf([saved?.query, search].filter(Boolean).join(' '));
  });
  readonly gaze = new Gaze((rows) => {
    const seen = this.list.see(rows);
    if (seen.length > 0) this.platform.mark(seen, { op: 'seen' }).catch(this.fail);
  });
  #searching: ReturnType<typeof setTimeout> | undefined;
  #arrived = false;

  constructor(
    readonly platform: Platform,
    readonly clock: Clock,
  ) {
    this.list = new ThreadList(platform);
    this.list.rank = (source) => this.sources.findIndex((one) => one.id === source);
    this.list.keeps = (id) => this.selection.has(id);
    this.finding = new Finding(this);
    this.reading = new Reading(platform, this.fail);
    this.files = new Files(platform, (words) => this.tell(words), this.fail);
  }

  /** Words of a failure, shown where the eye is. */
  readonly fail = (error: unknown): void => {
    this.tell(wordsOf(error));
  };

  get row(): ThreadRow | null {
    return this.#row;
  }

  get sources(): readonly SourceRow[] {
    return this.places?.sources ?? [];
  }

  get welcome(): boolean {
    return this.firstRun.show && this.query === null && this.view === 'threads' && this.place.place === 'inbox';
  }

  /** The chosen threads: those under check boxes, else the one that is chosen. */
  get subjects(): number[] {
    if (this.target !== null) return [this.target];
    if (this.selecting) return [...this.selection];
    return this.chosen === null ? [] : [this.chosen];
  }

  /** Check boxes are shown. */
  get selecting(): boolean {
    return this.all || this.selection.size > 0;
  }

  /** How many threads are under check boxes. */
  get selected(): number {
    return this.all ? this.list.total : this.selection.size;
  }

  isSelected(id: number): boolean {
    return this.all || this.selection.has(id);
  }

  select(ids: Iterable<number>): void {
    this.all = false;
    this.selection = new Set(ids);
  }

  selectAll(): void {
    if (this.list.ids.length === 0) return;
    this.selection = new Set(this.list.ids);
    this.all = true;
  }

  leaveSelection(): void {
    this.all = false;
    this.selection = new Set();
  }

  snoozeFrom(anchor: HTMLElement, ids = this.subjects): void {
    this.snoozing = this.snoozing === null && ids.length > 0 ? { anchor, ids } : null;
  }

  snoozeClose(): void {
    this.snoozing = null;
  }

  sourceName(source: SourceRow): string {
    return source.own ? say.t.thisComputer : source.name;
  }

  /** Shows sources as they will be, until the program tells of them itself. */
  foreseeSources(sources: SourceRow[]): void {
    if (this.places) this.places = { ...this.places, sources };
  }

  tell(text: string): void {
    if (text === '') return;
    this.snack.tell(text);
    this.said.say(text);
  }

  /** Begins, or begins again after a failure, which is shown in place of everything else. */
  async start(): Promise<void> {
    this.broken = null;
    try {
      await this.#begin();
    } catch (error) {
      this.broken = wordsOf(error);
    }
  }

  /** The page is taken down: nothing happens any more. */
  stop(): void {
    clearTimeout(this.#searching);
    this.reading.composing.flush();
    this.reading.leave();
    this.gaze.stop();
    this.list.stop();
    this.snack.dismiss();
    this.said.stop();
    this.clock.stop();
  }

  async #begin(): Promise<void> {
    await this.platform.listen((event) => this.hear(event));
    const boot = await this.list.during(this.platform.bootstrap());
    this.version = boot.version;
    this.wear(boot.settings);
    // What was heard meanwhile is at least as new.
    this.places ??= boot.places;
    this.sync ??= boot.sync;
    this.notices = boot.notices;
    this.protocols = boot.protocols;
    this.firstRun = this.#arrived ? { ...boot.first_run, show: false } : boot.first_run;
    this.list.take(this.listing, boot.inbox);
    this.ready = true;
    if (boot.open !== null) await this.open(boot.open, boot.open_item);
  }

  hear(event: PageEvent): void {
    this.clock.look();
    switch (event.event) {
      case 'threads':
        this.#threads(event);
        break;
      case 'sync': {
        const before = this.sync && syncWords(this.sync, this.sources, say.t).said;
        this.sync = event.sync;
        this.#reach(event.sources);
        if (this.places) this.places = { ...this.places, sources: event.sources };
        const now = syncWords(event.sync, event.sources, say.t).said;
        if (now !== before) this.said.say(now);
        break;
      }
      case 'open':
        void this.open(event.thread, event.item);
        break;
      case 'file':
        this.files.hear(event.thread, event.msgid, event.file);
        break;
      case 'settings': {
        const before = say.lang;
        this.wear(event.settings);
        if (say.lang !== before) this.#translate().catch(this.fail);
        this.#regroup().catch(this.fail);
        break;
      }
      case 'said':
        this.snack.tell(event.text);
        break;
      case 'notices':
        this.notices = event.notices;
        this.dismissed = this.dismissed.filter((code) => event.notices.some((notice) => notice.code === code));
        break;
    }
  }

  /** Puts settings in force on the page, without telling the program. */
  wear(settings: Settings): void {
    this.settings = settings;
    say.lang = settings.lang_now;
    dress(settings);
  }

  /** A change of settings holds at once. */
  async set(change: Partial<Settings>): Promise<void> {
    if (!this.settings) return;
    const before = this.settings;
    this.wear({ ...before, ...change });
    try {
      this.wear(await this.platform.settings({ ...before, ...change }));
      if (change.lang !== undefined) await this.#translate();
      if (change.group !== undefined) await this.#regroup();
    } catch (error) {
      this.wear(before);
      this.fail(error);
    }
  }

  /** Another order of the list; the choice stays. */
  async #regroup(): Promise<void> {
    if (this.list.group !== this.listing.group) await this.list.show(this.listing);
  }

  /** What the program worded is asked for again in the language in force. */
  async #translate(): Promise<void> {
    await Promise.all([this.list.refetch(), this.reading.refresh()]);
  }

  // ── Where one is ──

  async go(place: Place): Promise<void> {
    this.drawer = false;
    this.view = 'threads';
    const same = samePlace(place, this.place) && this.query === null;
    this.#leaveList();
    this.place = place;
    this.query = null;
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
    const search = this.query?.trim() ?? '';
    if (search !== '') return { place: { place: 'inbox' }, search, within: false, group: 'day' };
    const { filters } = this.finding;
    return { place: this.place, search: filters.join(' ') || null, within: filters.length > 0, group };
  }

  /** The words that were searched for, to be marked where they stand. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** Opens the search field, or follows what is typed into it. */
  search(words: string): void {
    this.view = 'threads';
    this.drawer = false;
    this.inside = false;
    const started = this.query === null;
    if (started) this.#leaveList();
    if (started || words === this.query) this.searchAsked += 1;
    this.query = words;
    clearTimeout(this.#searching);
    this.finding.suggest(words);
    const ask = () => {
      const { listing } = this;
      const now = this.list.listing;
      if (listing.search === now.search && listing.within === now.within && samePlace(now.place, listing.place)) {
        this.finding.error = null;
        return;
      }
      this.list
        .show(listing)
        .then(() => {
          this.finding.error = null;
          if (listing.search !== null && !listing.within)
            this.said.say(this.list.total > 0 ? say.t.found(this.list.total) : say.t.nothingFound);
        })
        .catch((error: unknown) => this.finding.refuse(error));
    };
    this.#searching = setTimeout(ask, words.trim() === '' ? 0 : 40);
  }

  /** Leaves the search, back to the place. */
  async endSearch(): Promise<void> {
    clearTimeout(this.#searching);
    this.query = null;
    this.finding.forget();
    await this.list.show(this.listing).catch(this.fail);
  }

  settingsAt(tab: SettingsTab): void {
    this.#leaveList();
    this.settingsTab = tab;
    this.view = 'settings';
    this.drawer = false;
  }

  // ── What is chosen ──

  /** Comes by a thread: it is shown, and read once it was on screen for a moment. */
  pass(id: number): void {
    this.#choose(id);
    if (!this.onScreen) return;
    this.gaze.rest(() => {
      if (this.chosen === id && this.onScreen) this.#read(id);
    });
  }

  /** Opens a thread, at one of its items where that was asked for: it is read at once. */
  async open(id: number, item: string | null = null): Promise<void> {
    this.view = 'threads';
    this.firstRun = { ...this.firstRun, show: false };
    this.#choose(id, item);
    this.inside = true;
    this.#read(id);
  }

  get onScreen(): boolean {
    return this.inside || !matchMedia('(max-width: 720px)').matches;
  }

  #choose(id: number, item: string | null = null): void {
    this.gaze.move();
    this.chosen = id;
    const { reading } = this;
    const there = reading.id === id && reading.view !== null;
    if (!there) reading.show(id, { item, words: terms(this.list.search) }).catch(this.fail);
    else if (item !== null) this.#comeTo(item).catch(this.fail);
  }

  /** An item that has just arrived may not be here yet. */
  async #comeTo(item: string): Promise<void> {
    if (!this.reading.items.some((one) => one.msgid === item)) await this.reading.refresh();
    await this.reading.comeTo(item);
  }

  #read(id: number): void {
    const row = this.list.rows.get(id);
    if (row && row.unread === 0) return;
    if (row) this.list.foresee({ ...row, unread: 0 });
    // What is new is told by what is unread, so the thread has to be here first.
    this.reading.here
      .then(() => this.platform.mark([id], { op: 'read' }))
      .catch((error: unknown) => {
        if (row) this.list.foresee(row);
        this.fail(error);
      });
  }

  // ── What is heard ──

  #threads(event: Extract<PageEvent, { event: 'threads' }>): void {
    this.places = event.places;
    if (event.rows.length > 0) this.#arrive();
    const before = this.list.waiting;
    const fresh = event.rows.filter((row) => !this.list.has(row.id) && belongs(row, this.list.place, false));
    if (event.refetch) {
      const heard = () => {
        if (this.list.ids.length > 0) this.#arrive();
      };
      this.list.refetch().then(heard, this.fail);
    } else this.list.change(event.rows, event.gone);
    if (fresh.some((row) => row.unread > 0))
      this.said.say(say.t.freshSaid(Math.max(fresh.length, this.list.waiting - before)));
    const { id } = this.reading;
    if (id === null) return;
    if (event.gone.includes(id)) {
      this.reading.close();
      if (this.chosen === id) this.chosen = null;
    } else if (event.refetch || event.rows.some((row) => row.id === id)) {
      void this.#grow(id);
    }
  }

  /** Whether what is written to the open conversation waits depends on how its source is doing. */
  #reach(sources: readonly SourceRow[]): void {
    const { view } = this.reading;
    if (!view?.composer) return;
    const state = (all: readonly SourceRow[]) => all.find((one) => one.id === view.row.source)?.state.state;
    // A pull decides nothing before it is over.
    const now = state(sources);
    if (now !== 'pulling' && now !== state(this.sources)) this.reading.refresh().catch(this.fail);
  }

  /** The first-run page gives way by itself. */
  #arrive(): void {
    this.#arrived = true;
    if (this.firstRun.show) this.firstRun = { ...this.firstRun, show: false };
  }

  /** The open thread changed: what came while it is looked at counts as read after a moment. */
  async #grow(id: number): Promise<void> {
    const added = await this.reading.refresh().catch(() => 0);
    if (added === 0 || this.chosen !== id || !this.onScreen || !document.hasFocus()) return;
    this.gaze.rest(() => {
      if (this.chosen === id && document.hasFocus()) this.#read(id);
    });
  }

  #leaveList(): void {
    this.gaze.leave();
    this.leaveSelection();
  }
}

const KEY = Symbol('page');

export function providePage(page: Page): void {
  setContext(KEY, page);
}

export function usePage(): Page {
  return getContext<Page>(KEY);
}
