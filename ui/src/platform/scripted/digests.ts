// Digests of the scripted program: what the sample inbox has since a time, and the offer of one after a night.
import type { Away } from '../../generated/Away';
import type { Digest } from '../../generated/Digest';
import type { DigestQuery } from '../../generated/DigestQuery';
import type { DigestTarget } from '../../generated/DigestTarget';
import type { Marked } from '../../generated/Marked';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { ScriptedLists } from './lists';
import { ScriptedPart } from './part';
import { NOW } from './scripted-thread';

const HOUR = 3_600_000;
/** The most threads of a source that a digest names. */
const LINES = 3;
/** The beginning of the reader's last absence: yesterday, 18:20. */
const LEFT = new Date(NOW).setHours(18, 20, 0, 0) - 24 * HOUR;

export class ScriptedDigests extends ScriptedPart {
  /** What came during an absence; tests set it. */
  away: Away | null = null;

  constructor(program: ScriptedLists, away: boolean) {
    super(program);
    if (away) this.away = { since: LEFT, items: 214 };
  }

  #rows(since: number): ThreadRow[] {
    return this.program.inbox
      .map(({ row }) => row)
      .filter((row) => row.time >= since && !row.archived && row.snoozed_until === null);
  }

  async digest(query: DigestQuery): Promise<Digest> {
    this.program.asked.push(['digest', query]);
    const since = query.since ?? LEFT;
    const rows = this.#rows(since);
    const count = (row: ThreadRow) => Math.max(1, row.unread);
    const sum = (of: readonly ThreadRow[]) => of.reduce((all, row) => all + count(row), 0);
    const unreadOf = (of: readonly ThreadRow[]) => of.reduce((all, row) => all + row.unread, 0);
    const isShort = NOW - since <= 48 * HOUR;
    const each = isShort ? HOUR : 24 * HOUR;
    const first = isShort ? new Date(since).setMinutes(0, 0, 0) : new Date(since).setHours(0, 0, 0, 0);
    const starts = Array.from({ length: Math.floor((NOW - first) / each) + 1 }, (_, at) => first + at * each);
    const people = rows.flatMap((row) => (row.avatar.shape === 'person' ? [{ row, face: row.avatar.face }] : []));
    return {
      since,
      since_micros: since * 1000,
      last_item: query.last_item ?? 1,
      made: NOW,
      shortened: false,
      items: sum(rows),
      unread: { unread: unreadOf(rows), counted: unreadOf(rows.filter((row) => row.counts)) },
      high: rows.filter((row) => row.priority > 3).length,
      threads: rows.length,
      by: isShort ? 'hour' : 'day',
      bars: starts.map((at) => ({ at, items: sum(rows.filter((row) => row.time >= at && row.time < at + each)) })),
      sources: this.program.sources.flatMap(({ id }) => {
        const of = rows.filter((row) => row.source === id).sort((a, b) => b.priority - a.priority || b.time - a.time);
        const lines = of.slice(0, LINES).map((row) => ({ row, items: count(row), priority: row.priority }));
        return of.length > 0 ? [{ source: id, items: sum(of), threads: of.length, lines }] : [];
      }),
      people: people.map(({ row, face }) => ({ name: row.who, face, items: count(row), thread: row.id })),
      people_count: people.length,
    };
  }

  async archive(target: DigestTarget): Promise<Marked> {
    this.program.asked.push(['archiveDigest', target]);
    const rows = this.#rows(target.since / 1000).filter(
      (row) =>
        (target.source === null || row.source === target.source) &&
        (target.thread === null || row.id === target.thread),
    );
    return this.program.put(
      rows.map((row) => row.id),
      { op: 'archive' },
    );
  }

  async here(): Promise<Away | null> {
    this.program.asked.push(['here']);
    return this.away;
  }

  async closeAway(): Promise<void> {
    this.program.asked.push(['closeAway']);
    this.away = null;
  }
}
