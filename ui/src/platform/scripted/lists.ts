// Lists of threads of the scripted program, in pages in both directions; marks and undo.
import type { BulkTarget } from '../../generated/BulkTarget';
import type { Correction } from '../../generated/Correction';
import type { ItemView } from '../../generated/ItemView';
import type { Mark } from '../../generated/Mark';
import type { Marked } from '../../generated/Marked';
import type { Place } from '../../generated/Place';
import type { ThreadPage } from '../../generated/ThreadPage';
import type { ThreadPosition } from '../../generated/ThreadPosition';
import type { ThreadQuery } from '../../generated/ThreadQuery';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { ThreadView } from '../../generated/ThreadView';
import { asListed, belongs, marked } from '../../state/marks/marks';
import { finds, foundSpans, type Query, readQuery } from './queries';
import { type ScriptedThread, withItems } from './scripted-thread';
import { FIRST_GENERATED_ID, GENERATED, generatedThread, ScriptedState } from './state';

/** The sort key of a row: the rank of its source, then the newest first. */
type Key = readonly [rank: number, time: number, id: number];

const compare = (a: Key, b: Key) => a[0] - b[0] || b[1] - a[1] || b[2] - a[2];

/** The rows of a list in order, some of which are generated on demand. */
interface Listed {
  readonly size: number;
  at(index: number): ThreadRow;
  /** The number of rows before this key; `upTo` includes the key. */
  before(key: Key): number;
  upTo(key: Key): number;
  key(index: number): Key;
}

export class ScriptedLists extends ScriptedState {
  #undos: (() => void)[] = [];

  async threads(query: ThreadQuery): Promise<ThreadPage> {
    this.asked.push(['threads', query]);
    const listed = this.#listed(query);
    const { size } = listed;
    const cursor = query.after ?? query.before;
    const key = cursor === null ? null : (cursor.split('.').map(Number) as unknown as Key);
    let from = 0;
    let to = Math.min(size, query.limit);
    if (query.bottom) [from, to] = [Math.max(0, size - query.limit), size];
    else if (key && query.after !== null) {
      from = listed.upTo(key);
      to = Math.min(size, from + query.limit);
    } else if (key) {
      to = listed.before(key);
      from = Math.max(0, to - query.limit);
    }
    const rows: ThreadRow[] = [];
    for (let index = from; index < to; index += 1) rows.push(listed.at(index));
    const cursorOf = (index: number) => listed.key(index).join('.');
    return {
      rows,
      next: to < size && rows.length > 0 ? cursorOf(to - 1) : null,
      prev: from > 0 && rows.length > 0 ? cursorOf(from) : null,
      total: size,
      at_least: false,
      as_of: this.changes,
    };
  }

  /** A thread with the items at a position, in pages of fifty; its newest items and those before them are two pages. */
  async thread(id: number, position: ThreadPosition | null): Promise<ThreadView> {
    this.asked.push(['thread', id, position]);
    const stored = this.find(id);
    if (!stored) return Promise.reject({ code: 'not_found', text: 'This thread is gone' });
    if (position === null || position.at === 'before') return this.#view(stored, position !== null);
    const all = stored.items;
    const index = (msgid: string) => all.findIndex((item) => item.msgid === msgid);
    const unread = all.findIndex((item) => item.unread && !item.own);
    const starts = {
      first: () => 0,
      first_unread: () => unread - 10,
      around: () => index('msgid' in position ? position.msgid : '') - 10,
      after: () => index('msgid' in position ? position.msgid : '') + 1,
    };
    const from = Math.max(0, starts[position.at]());
    const items = all.slice(from, from + 50);
    const later = all.length - from - items.length;
    const since = items[items.findIndex((item) => item.unread && !item.own) - 1]?.time ?? null;
    return { ...this.#view(stored, false), items, asking: [], earlier: from, later, new_since: since };
  }

  /** The fact that counts the comments of a thread and the unread ones among them; none for other threads. */
  #count({ comments, row: { total, unread } }: ScriptedThread): string[] {
    if (!comments) return [];
    const chinese = this.now.lang_now === 'zh-CN';
    const fresh = chinese ? `，${unread} 条新的` : `, ${unread} new`;
    return [`${total} ${chinese ? '条评论' : 'comments'}${unread > 0 ? fresh : ''}`];
  }

  #view(stored: ScriptedThread, whole: boolean): ThreadView {
    return {
      row: stored.row,
      title: stored.title,
      facts: [...stored.facts, ...this.#count(stored)],
      items: whole ? stored.items.slice(0, stored.earlier) : stored.items.slice(stored.earlier),
      asking: whole ? [] : stored.items.slice(0, stored.earlier).filter((item) => item.question?.open),
      earlier: whole ? 0 : stored.earlier,
      later: whole ? stored.items.length - stored.earlier : 0,
      earlier_faces: whole
        ? []
        : stored.items
            .slice(0, stored.earlier)
            .flatMap(({ avatar }) => (avatar.shape === 'person' ? [avatar.face] : []))
            .slice(-2)
            .reverse(),
      new_since: stored.since,
      notify: { level: null, from_priority: null, sound: null },
      group_lines: [...stored.groupLines],
      peer_read: stored.peerRead,
      composer:
        stored.row.kind === 'message'
          ? {
              draft: stored.row.draft,
              outgoing: stored.outgoing,
              files: this.attached(stored.row.id),
              attachment_bytes: this.attachmentLimit,
              waiting: this.sync.offline,
              closed: stored.closed,
            }
          : null,
    };
  }

  async mark(threads: number[], mark: Mark): Promise<Marked> {
    this.asked.push(['mark', threads, mark]);
    if (this.query.has('still')) return Promise.reject({ code: 'invalid', text: '' });
    return this.put(threads, mark);
  }

  async markAllRead(place: Place): Promise<Marked> {
    this.asked.push(['markAllRead', place]);
    const unread = this.#matching({ place, search: null, within: true })
      .filter(({ row }) => row.unread > 0)
      .map(({ row }) => row.id);
    return this.put(unread, { op: 'read' });
  }

  /** The corrections of a query that finds nothing; tests add to them. */
  readonly corrected = new Map<string, string>([['deplyo', 'deploy']]);

  async corrections({ place, search, within }: BulkTarget): Promise<Correction[]> {
    this.asked.push(['corrections', search]);
    const words = (search ?? '').split(' ').map((word) => this.corrected.get(word) ?? word);
    const query = words.join(' ').trim();
    const threads = query === search?.trim() ? 0 : this.#matching({ place, search: query, within }).length;
    return threads > 0 ? [{ query, threads }] : [];
  }

  async markBulk(all: BulkTarget, mark: Mark): Promise<Marked> {
    this.asked.push(['markBulk', all, mark]);
    const ids = this.#matching(all).map(({ row }) => row.id);
    return this.put(ids, mark);
  }

  async quit(): Promise<void> {
    this.asked.push(['quit']);
  }

  async undo(undo: number): Promise<void> {
    this.asked.push(['undo', undo]);
    this.#undos[undo - 1]?.();
  }

  async markItems(thread: number, msgids: string[], mark: Mark): Promise<Marked> {
    this.asked.push(['markItems', thread, msgids, mark]);
    const named = (item: ItemView) => msgids.includes(item.msgid);
    return this.#change([thread], (one) => {
      const kept = mark.op === 'delete' ? one.items.filter((item) => !named(item)) : one.items;
      return withItems(
        one,
        kept.map((item) => (named(item) ? markedItem(item, mark) : item)),
      );
    });
  }

  async readItems(thread: number, seen: string[], through: string | null): Promise<Marked> {
    this.asked.push(['readItems', thread, seen, through]);
    if (this.query.has('still')) return Promise.reject({ code: 'invalid', text: '' });
    return this.#change([thread], (one) => {
      const at = one.items.findIndex((item) => item.msgid === through);
      const items = one.items.map((item, index) =>
        index <= at || seen.includes(item.msgid) ? { ...item, unread: false } : item,
      );
      const whole = at === one.items.length - 1;
      const left = whole ? 0 : Math.max(one.row.unread - seen.length, 0);
      return { ...one, items, row: { ...one.row, unread: left } };
    });
  }

  async watch(thread: number | null): Promise<void> {
    this.asked.push(['watch', thread]);
  }

  async unreadFrom(thread: number, msgid: string): Promise<Marked> {
    this.asked.push(['unreadFrom', thread, msgid]);
    return this.#change([thread], (one) => {
      const at = one.items.findIndex((item) => item.msgid === msgid);
      const items = one.items.map((item, index) => ({ ...item, unread: index >= at && !item.own }));
      return { ...one, items, row: { ...one.row, unread: items.filter((item) => item.unread).length } };
    });
  }

  /** Puts a mark on threads, as the program does. */
  put(threads: readonly number[], mark: Mark): Marked {
    return this.#change(threads, (one) => ({ ...one, row: marked(one.row, mark) }));
  }

  #change(threads: readonly number[], change: (stored: ScriptedThread) => ScriptedThread): Marked {
    const before = this.inbox;
    const of = new Set(threads);
    this.inbox = this.inbox.map((one) => (of.has(one.row.id) ? change(one) : one));
    this.changes += 1;
    this.emitThreads(threads);
    this.#undos.push(() => {
      const then = new Map(before.map((one) => [one.row.id, one]));
      this.inbox = this.inbox.map((one) => (of.has(one.row.id) ? (then.get(one.row.id) ?? one) : one));
      this.changes += 1;
      this.emitThreads(threads);
    });
    return {
      undo: threads.length > 0 ? this.#undos.length : null,
      threads: threads.length,
      as_of: this.changes,
    };
  }

  /** What a saved place and a search ask for together; null if neither does. */
  #query({ place, search }: BulkTarget): Query | null {
    const saved = place.place === 'saved' ? this.saved.find((one) => one.id === place.id)?.query : null;
    return readQuery([saved, search].filter(Boolean).join(' '), this.now.lang_now, this.sources);
  }

  #matching(target: BulkTarget): ScriptedThread[] {
    const { place, within } = target;
    const query = this.#query(target);
    const everywhere = query !== null && place.place === 'inbox' && !within;
    return this.inbox.filter((one) => {
      if (query !== null && !finds(query, one)) return false;
      return everywhere || place.place === 'saved' || belongs(one.row, place, false);
    });
  }

  #listed(query: ThreadQuery): Listed {
    const { place } = query;
    const words = this.#query(query);
    const rank = (row: ThreadRow) =>
      query.group === 'source' ? this.sources.findIndex((one) => one.id === row.source) : 0;
    const keyOf = (row: ThreadRow): Key => [rank(row), row.time, row.id];
    const rows = this.#matching(query)
      .map(({ row }) => asListed(row, place))
      .sort((a, b) => compare(keyOf(a), keyOf(b)));
    const more = words === null && place.place === 'inbox' ? this.more : 0;
    const split = rows.findIndex((row) => compare(keyOf(row), [0, GENERATED.newest, FIRST_GENERATED_ID]) > 0);
    return listed(rows, split < 0 ? rows.length : split, more, keyOf, words);
  }
}

/** An item as it is once a mark is set. */
function markedItem(item: ItemView, { op }: Mark): ItemView {
  if (op === 'read' || op === 'unread') return { ...item, unread: op === 'unread' };
  if (op === 'archive') return { ...item, archived: true, unread: false };
  return op === 'unarchive' ? { ...item, archived: false } : item;
}

/** The list of these rows with `more` generated rows inserted at `split`. */
function listed(
  rows: readonly ThreadRow[],
  split: number,
  more: number,
  keyOf: (row: ThreadRow) => Key,
  words: Query | null,
): Listed {
  const at = (index: number): ThreadRow => {
    if (index >= split && index < split + more) return generatedThread(index - split);
    const row = rows[index < split ? index : index - more] as ThreadRow;
    return words === null ? row : foundSpans(row, words);
  };
  const count = (key: Key, equal: boolean) => {
    const stored = rows.filter((row) => compare(keyOf(row), key) < (equal ? 1 : 0)).length;
    if (key[0] > 0) return stored + more;
    const back = (GENERATED.newest - key[1]) / GENERATED.apart;
    return stored + Math.min(more, Math.max(0, equal ? Math.floor(back) + 1 : Math.ceil(back)));
  };
  return {
    size: rows.length + more,
    at,
    before: (key) => count(key, false),
    upTo: (key) => count(key, true),
    key: (index) => keyOf(at(index)),
  };
}
