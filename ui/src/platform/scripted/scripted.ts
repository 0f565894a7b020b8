// A program that answers from memory, for developing the page in a plain browser and for its tests. Never shipped.
import type { ItemView } from '../../generated/ItemView';
import type { PageEvent } from '../../generated/PageEvent';
import type { Places } from '../../generated/Places';
import type { Settings } from '../../generated/Settings';
import type { SourceRow } from '../../generated/SourceRow';
import type { Sync } from '../../generated/Sync';
import type { ThreadPage } from '../../generated/ThreadPage';
import type { ThreadQuery } from '../../generated/ThreadQuery';
import type { ThreadRow } from '../../generated/ThreadRow';
import { desktop } from '../../i18n/times';
import { Clock } from '../../state/clock.svelte';
import { belongs, marked } from '../../state/marks';
import { top } from '../../state/queries';
import type { Platform } from '../platform';
import { data, type Known, NOW } from './data';
import { ScriptedHouse } from './house';
import { ScriptedTelling } from './telling';

export interface Script {
  platform: Scripted;
  clock: Clock;
}

const OFFSET = 10_000;

const EMPTY = { facts: [], url: null, items: [], earlier: 0, since: null, outgoing: [], readers: null };

/**
 * `lang=zh`, `theme`, `density`, `first-run`, `offline`, `quiet`, `rows=1000000` (that many more threads),
 * `open=2` (opens a thread), `refuse` (the server refuses what is sent), `still` (marks change nothing, for comparing with the reference views).
 */
export function scripted(query: URLSearchParams = new URLSearchParams()): Script {
  desktop.hour12 = false;
  return { platform: new Scripted(query), clock: new Clock(() => NOW) };
}

export class Scripted implements Platform {
  /** What was asked of the program, for tests to look at. */
  readonly asked: [string, ...unknown[]][] = [];
  known: Known[];
  sources: SourceRow[];
  now: Settings;
  sync: Sync;
  readonly #query: URLSearchParams;
  readonly #more: number;
  #hear: (event: PageEvent) => void = () => {};
  #undos: (() => void)[] = [];
  #sent = 0;
  /** Until the server has a message, ms; null keeps it on its way until `deliver`. */
  latency: number | null = 30;
  /** Why the server refuses what is sent. */
  refusing: string | null;

  /** What stands around the inbox: sources, server, storage. */
  readonly house: ScriptedHouse;
  readonly telling: ScriptedTelling;

  constructor(query: URLSearchParams) {
    this.#query = query;
    const why = query.get('lang')?.startsWith('zh') ? '你已不在此聊天中' : 'You are not in this conversation any more';
    this.refusing = query.has('refuse') ? why : null;
    const lang = query.get('lang')?.startsWith('zh') ? 'zh-CN' : 'en';
    const { sources, threads } = data(lang);
    const first = query.has('first-run');
    this.known = first ? [] : threads;
    this.sources = first ? sources.slice(0, 1).map((one) => ({ ...one, unread: 0 })) : sources;
    this.#more = Number(query.get('rows') ?? 0);
    const theme = query.get('theme');
    this.now = {
      theme: theme === 'dark' || theme === 'light' ? theme : 'system',
      density: query.get('density') === 'compact' ? 'compact' : 'comfortable',
      lang,
      lang_now: lang,
      places_width: 224,
      list_width: 400,
      welcome_closed: false,
      group: 'day',
      notifying: { from_priority: 3, sound: true, preview: true, quiet: [], early_wake: true },
      keep_days: null,
    };
    if (query.has('offline'))
      this.sources = this.sources.map((one) =>
        one.id === 2 ? { ...one, state: { state: 'retrying', at: NOW + 8000, why: '', offline: true } } : one,
      );
    this.sync = {
      up_to_date: !query.has('offline'),
      offline: query.has('offline'),
      last_pull: NOW - 60_000,
      waiting: query.has('offline') ? 3 : 0,
      paused_until: query.has('quiet') ? NOW + 18 * 60_000 : null,
      quiet_until: null,
    };
    this.house = new ScriptedHouse(this, lang);
    this.telling = new ScriptedTelling(this, lang);
  }

  tellSource: Platform['tellSource'] = (source, telling) => this.telling.source(source, telling);
  rules: Platform['rules'] = () => this.telling.all();
  saveRule: Platform['saveRule'] = (rule) => this.telling.save(rule);
  removeRule: Platform['removeRule'] = (id) => this.telling.remove(id);
  orderRules: Platform['orderRules'] = (ids) => this.telling.order(ids);
  tryRule: Platform['tryRule'] = (rule) => this.telling.attempt(rule);
  testSource: Platform['testSource'] = (form) => this.house.test(form);
  addSource: Platform['addSource'] = (form) => this.house.add(form);
  renameSource: Platform['renameSource'] = (source, name) => this.house.rename(source, name);
  pauseSource: Platform['pauseSource'] = (source, on) => this.house.pause(source, on);
  removeSource: Platform['removeSource'] = (source, keep) => this.house.remove(source, keep);
  signInSource: Platform['signInSource'] = (source, token) => this.house.signIn(source, token);
  trySource: Platform['trySource'] = (source) => this.house.pull(source);
  orderSources: Platform['orderSources'] = (ids) => this.house.order(ids);
  server: Platform['server'] = () => this.house.server();
  setServer: Platform['setServer'] = (port, others) => this.house.setServer(port, others);
  createToken: Platform['createToken'] = (label, reads) => this.house.createToken(label, reads);
  revokeToken: Platform['revokeToken'] = (id) => this.house.revokeToken(id);
  storage: Platform['storage'] = () => this.house.storage();
  compact: Platform['compact'] = () => this.house.compact();
  exportInbox: Platform['exportInbox'] = (format) => this.house.file('exportInbox', format);
  backup: Platform['backup'] = () => this.house.file('backup');
  restore: Platform['restore'] = () => this.house.file('restore');
  exportSettings: Platform['exportSettings'] = () => this.house.file('exportSettings');
  importSettings: Platform['importSettings'] = () => this.house.file('importSettings');
  openFolder: Platform['openFolder'] = (folder) => this.house.openFolder(folder);

  async listen(hear: (event: PageEvent) => void): Promise<void> {
    this.#hear = hear;
  }

  async bootstrap() {
    const open = this.#query.get('open');
    const first = this.#query.has('first-run');
    return {
      version: '0.1.0',
      settings: this.now,
      places: this.places(),
      sync: this.sync,
      inbox: await this.threads(top({ place: 'inbox' }, 200)),
      first_run: { show: first, publish_url: 'http://127.0.0.1:7878', autostart: true },
      notices: [],
      open: open === null ? null : Number(open),
      open_item: null,
      protocols: this.house.protocols,
    };
  }

  async threads(query: ThreadQuery): Promise<ThreadPage> {
    this.asked.push(['threads', query]);
    const words = query.search?.toLowerCase() ?? null;
    const of = this.known.filter(({ row, items }) => {
      const texts = [row.who, ...row.what.map((span) => span.text), row.words, ...items.map((item) => item.body)];
      if (words !== null) return texts.some((text) => text.toLowerCase().includes(words));
      return belongs(row, query.place, false);
    });
    const rows = of
      .map((one) => one.row)
      .sort((a, b) => b.time - a.time)
      .map((row) => (words === null ? row : { ...row, what: found(row, words) }));
    const more = words === null && query.place.place === 'inbox' ? this.#more : 0;
    const from = query.after === null ? 0 : Number(query.after);
    const total = rows.length + more;
    const to = Math.min(total, from + query.limit);
    const page: ThreadRow[] = [];
    for (let index = from; index < to; index += 1) page.push(rows[index] ?? this.#made(index - rows.length));
    return { rows: page, next: to < total ? String(to) : null, prev: null, total };
  }

  async thread(id: number, before: string | null) {
    this.asked.push(['thread', id, before]);
    const known = this.#find(id);
    if (!known) return Promise.reject({ code: 'not_found', text: 'This thread is gone' });
    const whole = before !== null;
    return {
      row: known.row,
      title: known.title,
      facts: known.facts,
      url: known.url,
      items: whole ? known.items.slice(0, known.earlier) : known.items.slice(known.earlier),
      earlier: whole ? 0 : known.earlier,
      earlier_faces: whole
        ? []
        : known.items
            .slice(0, known.earlier)
            .flatMap(({ avatar }) => (avatar.shape === 'person' ? [avatar.face] : []))
            .slice(-2)
            .reverse(),
      new_since: known.since,
      telling: { tell: null, from_priority: null, sound: null },
      composer:
        known.row.kind === 'message'
          ? { draft: known.row.draft, outgoing: known.outgoing, waiting: this.sync.offline }
          : null,
    };
  }

  async mark(threads: number[], mark: Parameters<Platform['mark']>[1]) {
    this.asked.push(['mark', threads, mark]);
    if (this.#query.has('still')) return Promise.reject({ code: 'invalid', text: '' });
    const before = this.known;
    this.known = this.known.map((one) => (threads.includes(one.row.id) ? { ...one, row: marked(one.row, mark) } : one));
    return this.#changed(before, threads);
  }

  async markAllRead(place: Parameters<Platform['markAllRead']>[0]) {
    this.asked.push(['markAllRead', place]);
    const unread = this.known
      .filter(({ row }) => row.unread > 0 && belongs(row, place, false))
      .map(({ row }) => row.id);
    const before = this.known;
    this.known = this.known.map((one) =>
      unread.includes(one.row.id) ? { ...one, row: { ...one.row, unread: 0 } } : one,
    );
    return this.#changed(before, unread);
  }

  async undo(undo: number) {
    this.asked.push(['undo', undo]);
    this.#undos[undo - 1]?.();
  }

  async pullNow() {
    this.asked.push(['pullNow']);
    this.sync = { ...this.sync, offline: false, up_to_date: true, waiting: 0 };
    this.sources = this.sources.map((one) => (one.id === 2 ? { ...one, state: { state: 'live' } } : one));
    this.#hear({ event: 'sync', sync: this.sync, sources: this.sources });
    for (const { row, outgoing } of this.known) if (outgoing.length > 0) this.deliver(row.id);
  }

  async openLink(url: string) {
    this.asked.push(['openLink', url]);
  }

  async runAction(thread: number, msgid: string, index: number) {
    this.asked.push(['runAction', thread, msgid, index]);
    return 'Done';
  }

  async settings(settings: Settings) {
    this.asked.push(['settings', settings]);
    this.now = { ...settings, lang_now: settings.lang ?? 'en' };
    return this.now;
  }

  async autostart(on: boolean) {
    this.asked.push(['autostart', on]);
    return on;
  }

  async pauseToasts(until: number | null) {
    this.asked.push(['pauseToasts', until]);
    this.sync = { ...this.sync, paused_until: until };
    this.#hear({ event: 'sync', sync: this.sync, sources: this.sources });
  }

  async sendMessage(thread: number, body: string) {
    this.asked.push(['sendMessage', thread, body]);
    this.#sent += 1;
    const one = { id: `o${this.#sent}`, body, time: NOW, failed: null, sent: false };
    this.#set(thread, (known) => ({
      ...known,
      row: { ...known.row, draft: '', pending: true },
      outgoing: [...known.outgoing, one],
    }));
    if (!this.sync.offline && this.latency !== null) setTimeout(() => this.deliver(thread), this.latency);
  }

  async saveDraft(thread: number, text: string) {
    this.asked.push(['saveDraft', thread, text]);
    this.#set(thread, (known) => ({ ...known, row: { ...known.row, draft: text } }));
  }

  async retryMessage(id: string) {
    this.asked.push(['retryMessage', id]);
    this.refusing = null;
    for (const { row, outgoing } of this.known) {
      if (!outgoing.some((one) => one.id === id)) continue;
      this.#set(row.id, (known) => ({ ...known, outgoing: outgoing.map((one) => ({ ...one, failed: null })) }));
      setTimeout(() => this.deliver(row.id), this.latency ?? 0);
    }
  }

  async discardMessage(id: string) {
    this.asked.push(['discardMessage', id]);
    for (const { row, outgoing } of this.known)
      if (outgoing.some((one) => one.id === id))
        this.#set(row.id, (known) => ({ ...known, outgoing: outgoing.filter((one) => one.id !== id) }));
  }

  async readBy(thread: number, msgid: string) {
    this.asked.push(['readBy', thread, msgid]);
    const readers = this.#find(thread)?.readers;
    return readers ?? Promise.reject({ code: 'not_found', text: 'This message is gone' });
  }

  // ── For tests: what happens without being asked ──

  tell(event: PageEvent): void {
    this.#hear(event);
  }

  /** A new thread arrives. */
  arrive(row: Partial<ThreadRow> & Pick<ThreadRow, 'id'>): ThreadRow {
    const like = this.#made(row.id - OFFSET);
    const whole = { ...like, time: NOW, unread: 1, unseen: true, ...row };
    this.known = [{ ...EMPTY, row: whole, title: whole.who }, ...this.known.filter((one) => one.row.id !== row.id)];
    this.#hear({ event: 'threads', rows: [whole], gone: [], refetch: false, places: this.places() });
    return whole;
  }

  places(): Places {
    const unread = (of: (row: ThreadRow) => boolean) =>
      this.known.reduce(
        (sum, { row }) => sum + (of(row) && !row.muted && belongs(row, { place: 'inbox' }, false) ? row.unread : 0),
        0,
      );
    return {
      unread: unread(() => true),
      pinned: this.#query.has('first-run') ? 0 : 2 + this.known.filter(({ row }) => row.pinned).length,
      snoozed: this.#query.has('first-run') ? 0 : 2 + this.known.filter(({ row }) => row.snoozed_until !== null).length,
      announcement: unread((row) => row.kind === 'announcement'),
      reminder: unread((row) => row.kind === 'reminder'),
      message: unread((row) => row.kind === 'message'),
      sources: this.sources.map((one) => ({ ...one, unread: unread((row) => row.source === one.id) })),
      saved: [],
    };
  }

  #set(thread: number, change: (known: Known) => Known): void {
    this.known = this.known.map((one) => (one.row.id === thread ? change(one) : one));
    const rows = this.known.filter(({ row }) => row.id === thread).map(({ row }) => row);
    this.#hear({ event: 'threads', rows, gone: [], refetch: false, places: this.places() });
  }

  /** What waits reaches the server, which takes or refuses it. */
  deliver(thread: number): void {
    const failed = this.refusing;
    this.#set(thread, (known) => {
      if (failed !== null) return { ...known, outgoing: known.outgoing.map((one) => ({ ...one, failed })) };
      const like = known.items[0];
      const items = known.outgoing.map(
        (one): ItemView => ({
          msgid: `sent-${one.id}`,
          actor: 'me',
          avatar: like?.avatar ?? known.row.avatar,
          verb: '',
          title: '',
          body: one.body,
          html: false,
          time: one.time,
          unread: false,
          own: true,
          priority: 3,
          tags: [],
          url: null,
          attachment: null,
          actions: [],
          receipt: known.readers ? [0, known.readers.members] : null,
          pending: false,
        }),
      );
      return {
        ...known,
        row: { ...known.row, pending: false },
        outgoing: [],
        items: [...known.items, ...items],
      };
    });
  }

  #changed(before: Known[], threads: number[]) {
    const rows = this.known.filter(({ row }) => threads.includes(row.id)).map(({ row }) => row);
    this.#hear({ event: 'threads', rows, gone: [], refetch: false, places: this.places() });
    this.#undos.push(() => {
      const now = new Map(before.map((one) => [one.row.id, one]));
      this.known = before;
      const back = threads.flatMap((id) => now.get(id)?.row ?? []);
      this.#hear({ event: 'threads', rows: back, gone: [], refetch: false, places: this.places() });
    });
    return { undo: threads.length > 0 ? this.#undos.length : null, threads: threads.length };
  }

  #find(id: number): Known | undefined {
    const found = this.known.find(({ row }) => row.id === id);
    if (found || id < OFFSET) return found;
    const row = this.#made(id - OFFSET);
    return { ...EMPTY, row, title: row.who };
  }

  /** One of very many threads, the same each time. */
  #made(index: number): ThreadRow {
    return {
      id: OFFSET + index,
      source: 1,
      kind: 'reminder',
      who: `topic-${index % 997}`,
      who_short: `topic-${index % 997}`,
      what: [{ text: `Job ${index.toLocaleString('en')} finished`, strong: true, found: false }],
      words: `${(index * 7919) % 60} s`,
      sentence: `Job ${index} finished`,
      avatar: { shape: 'thing', icon: 'bell' },
      time: NOW - 2 * 86_400_000 - index * 61_000,
      unread: 0,
      total: 1,
      priority: 3,
      unseen: false,
      pending: false,
      muted: false,
      pinned: false,
      archived: false,
      snoozed_until: null,
      draft: '',
    };
  }
}

function found(row: ThreadRow, words: string): ThreadRow['what'] {
  return row.what.flatMap((span) => {
    const at = span.text.toLowerCase().indexOf(words);
    if (at < 0) return [span];
    return [
      { ...span, text: span.text.slice(0, at) },
      { ...span, text: span.text.slice(at, at + words.length), found: true },
      { ...span, text: span.text.slice(at + words.length) },
    ].filter((one) => one.text !== '');
  });
}
