// State of the scripted program: threads, sources, settings, and the listener for its events.
import type { AttachedFile } from '../../generated/AttachedFile';
import type { DoneToday } from '../../generated/DoneToday';
import { defaultSettings } from '../../generated/defaults';
import type { IpcEvent } from '../../generated/IpcEvent';
import type { Place } from '../../generated/Place';
import type { Places } from '../../generated/Places';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { Settings } from '../../generated/Settings';
import type { SourceRow } from '../../generated/SourceRow';
import type { Sync } from '../../generated/Sync';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { UnreadCount } from '../../generated/UnreadCount';
import { startOfDay } from '../../i18n/times';
import { belongs } from '../../state/marks/marks';
import { sampleInbox } from './sample-threads';
import { answered, EMPTY, NOW, PLAIN, type ScriptedThread } from './scripted-thread';

/** Threads with this id or a higher one are generated. */
export const FIRST_GENERATED_ID = 10_000;

const INBOX: Place = { place: 'inbox' };

export class ScriptedState {
  /** The requests of the page with their arguments, for tests. */
  readonly asked: [string, ...unknown[]][] = [];
  inbox: ScriptedThread[];
  sources: SourceRow[];
  saved: SavedSearch[];
  now: Settings;
  sync: Sync;
  /** The delay until the server has a message, ms; null waits for `deliver`. */
  latency: number | null = 30;
  /** The reason with which the server refuses messages; null if it accepts them. */
  refusing: string | null;
  /** The largest file that can be attached, in bytes; null if the server takes no files. */
  attachmentLimit: number | null = 15_000_000;
  /** The change count: the number of changes of threads. */
  changes = 0;
  /** The number of additional threads, generated on demand. */
  readonly more: number;
  /** The threads that were archived at the start. */
  readonly #archivedBefore: ReadonlySet<number>;
  protected readonly query: URLSearchParams;
  protected onEvent: (event: IpcEvent) => void = () => {};

  constructor(query: URLSearchParams) {
    this.query = query;
    const lang = query.get('lang')?.startsWith('zh') ? 'zh-CN' : 'en';
    const why = lang === 'zh-CN' ? '你已不在这个聊天中' : 'You are no longer in this conversation';
    this.refusing = query.has('refuse') ? why : null;
    const { sources, threads, saved } = sampleInbox(lang);
    const first = query.has('first-run');
    const offline = query.has('offline');
    this.inbox = first ? [] : threads;
    this.#archivedBefore = new Set(this.inbox.filter(({ row }) => row.archived).map(({ row }) => row.id));
    this.saved = first ? [] : saved;
    this.sources = first ? sources.slice(0, 1).map((one) => ({ ...one, count: { unread: 0, counted: 0 } })) : sources;
    if (offline)
      this.sources = this.sources.map((one) =>
        one.id === 2 ? { ...one, state: { state: 'retrying', at: NOW + 8000, why: '', offline: true } } : one,
      );
    this.more = Number(query.get('rows') ?? 0);
    this.now = settings(query, lang);
    this.sync = {
      up_to_date: !offline,
      offline,
      last_pull: NOW - 60_000,
      waiting: offline ? 3 : 0,
      waiting_messages: 0,
      paused_until: query.has('quiet') ? NOW + 18 * 60_000 : null,
      quiet_until: null,
      do_not_disturb: false,
    };
  }

  /** The files attached in a thread's composer. */
  protected attached(_thread: number): AttachedFile[] {
    return [];
  }

  // ── For tests: events without a request ──

  emit(event: IpcEvent): void {
    this.onEvent(event);
  }

  /** A new thread arrives. */
  arrive(row: Partial<ThreadRow> & Pick<ThreadRow, 'id'>): ThreadRow {
    return this.arriveTogether([row])[0] as ThreadRow;
  }

  /** Threads arrive in one batch. */
  arriveTogether(rows: readonly (Partial<ThreadRow> & Pick<ThreadRow, 'id'>)[]): ThreadRow[] {
    const whole = rows.map((row) => ({
      ...generatedThread(row.id - FIRST_GENERATED_ID),
      time: NOW,
      unread: 1,
      unseen: true,
      ...row,
    }));
    const ids = new Set(whole.map((row) => row.id));
    const arrived = whole.map((row): ScriptedThread => ({ ...EMPTY, row, title: row.who }));
    this.inbox = [...arrived, ...this.inbox.filter((one) => !ids.has(one.row.id))];
    this.emitThreads([...ids]);
    return whole;
  }

  /** New threads arrive for `seconds`, `perSecond` of them in ten batches a second, as the program emits them. */
  storm(perSecond: number, seconds: number): Promise<void> {
    let batch = 0;
    const each = perSecond / 10;
    return new Promise((done) => {
      const timer = setInterval(() => {
        const from = 5_000_000 + batch * each;
        this.arriveTogether(Array.from({ length: each }, (_, at) => ({ id: from + at, time: NOW + from + at })));
        batch += 1;
        if (batch < seconds * 10) return;
        clearInterval(timer);
        done();
      }, 100);
    });
  }

  places(): Places {
    const here = this.inbox.map(({ row }) => row).filter((row) => row.unread > 0 && belongs(row, INBOX, false));
    const sum = (of: (row: ThreadRow) => boolean) => here.reduce((all, row) => all + (of(row) ? row.unread : 0), 0);
    const unread = (of: (row: ThreadRow) => boolean): UnreadCount => ({
      unread: sum(of),
      counted: sum((row) => of(row) && row.counts && !row.muted),
    });
    const count = (place: Place) => this.inbox.filter(({ row }) => belongs(row, place, false)).length;
    return {
      inbox: unread(() => true),
      pinned: count({ place: 'pinned' }),
      done_today: this.#doneToday(),
      snoozed: count({ place: 'snoozed' }),
      announcement: unread((row) => row.kind === 'announcement'),
      reminder: unread((row) => row.kind === 'reminder'),
      message: unread((row) => row.kind === 'message'),
      sources: this.sources.map((one) => ({ ...one, count: unread((row) => row.source === one.id) })),
      saved: this.saved,
    };
  }

  /** What was archived since the start; null while a thread is in the inbox. */
  #doneToday(): DoneToday | null {
    if (this.more > 0 || this.inbox.some(({ row }) => belongs(row, INBOX, false))) return null;
    const done = this.inbox.filter(({ row }) => row.archived && !this.#archivedBefore.has(row.id));
    return { since: startOfDay(NOW), threads: done.length, at_least: false };
  }

  set(thread: number, change: (stored: ScriptedThread) => ScriptedThread): void {
    this.inbox = this.inbox.map((one) => (one.row.id === thread ? change(one) : one));
    this.emitThreads([thread]);
  }

  /** Changes sources, and emits all. */
  setSources(change: (one: SourceRow) => SourceRow): void {
    this.sources = this.sources.map(change);
    this.emitSync();
  }

  emitSync(): void {
    this.onEvent({ event: 'sync', sync: this.sync, sources: this.sources });
  }

  /** Emits the current rows of these threads, and which of them are gone. */
  emitThreads(threads: readonly number[]): void {
    const of = new Set(threads);
    const rows = this.inbox
      .filter(({ row }) => of.has(row.id))
      .map(({ row }) => ({ ...answered(row), ...(row.done && { done: row.done }) }));
    for (const { id } of rows) of.delete(id);
    const gone = [...of].filter((id) => id < FIRST_GENERATED_ID);
    this.onEvent({ event: 'threads', rows, gone, refetch: false, places: this.places(), as_of: this.changes });
  }

  protected find(id: number): ScriptedThread | undefined {
    const found = this.inbox.find(({ row }) => row.id === id);
    if (found || id < FIRST_GENERATED_ID) return found;
    const row = generatedThread(id - FIRST_GENERATED_ID);
    return { ...EMPTY, row, title: row.who };
  }
}

/** The time of the newest generated thread, and the time between two of them, ms. */
export const GENERATED = { newest: NOW - 2 * 86_400_000, apart: 61_000 };

/** The generated thread of an index; the same at each call. */
export function generatedThread(index: number): ThreadRow {
  return {
    ...PLAIN,
    id: FIRST_GENERATED_ID + index,
    who: `topic-${index % 997}`,
    who_short: `topic-${index % 997}`,
    what: [{ text: `Job ${index.toLocaleString('en')} finished`, strong: true, found: false }],
    snippet: `${(index * 7919) % 60} s`,
    sentence: `Job ${index} finished`,
    avatar: { shape: 'thing', icon: 'bell' },
    time: GENERATED.newest - index * GENERATED.apart,
  };
}

function settings(query: URLSearchParams, lang: Settings['lang_now']): Settings {
  const theme = query.get('theme');
  const group = query.get('group');
  const { scale, ...others } = defaultSettings;
  return {
    ...others,
    theme: theme === 'dark' || theme === 'light' ? theme : others.theme,
    density: query.get('density') === 'compact' ? 'compact' : others.density,
    lang,
    lang_now: lang,
    group: group === 'source' || group === 'thread' ? group : others.group,
    scale: { ...scale, text: Number(query.get('text') ?? scale.text) },
  };
}
