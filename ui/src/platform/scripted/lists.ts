// Lists of threads of the scripted program, in pages in both directions; marks and undo.
import type { BulkTarget } from '../../generated/BulkTarget';
import type { Correction } from '../../generated/Correction';
import type { ItemView } from '../../generated/ItemView';
import type { Mark } from '../../generated/Mark';
import type { Marked } from '../../generated/Marked';
import type { Place } from '../../generated/Place';
import type { ThreadPage } from '../../generated/ThreadPage';
import type { ThreadQuery } from '../../generated/ThreadQuery';
import type { ThreadRow } from '../../generated/ThreadRow';
import { asListed, belongs, marked } from '../../state/marks/marks';
import { finds, foundSpans, type Query, readQuery } from './queries';
import { ScriptedReading } from './reading';
import { gone, impossible } from './refusals';
import { answered, archivedItem, type ScriptedThread, withItems } from './scripted-thread';
import { FIRST_GENERATED_ID, GENERATED, generatedThread } from './state';

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

export class ScriptedLists extends ScriptedReading {
  /** What undoes each change, by its id, once. */
  readonly #undos = new Map<number, () => void>();
  #lastUndo = 0;

  async threads(query: ThreadQuery): Promise<ThreadPage> {
    this.asked.push(['threads', query]);
    const listed = this.#listed(query);
    const { size } = listed;
    const cursor = query.after ?? query.before;
    const key = cursor === null ? null : (cursor.split('.').map(Number) as unknown as Key);
    if (key?.some(Number.isNaN)) throw impossible(this.now.lang_now);
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

  async mark(threads: number[], mark: Mark): Promise<Marked> {
    this.asked.push(['mark', threads, mark]);
    if (this.query.has('still')) return Promise.reject({ code: 'invalid', text: '' });
    const known = SUBSCRIPTIONS.has(mark.op) ? threads.filter((id) => this.find(id)?.row.follow) : threads;
    if (known.length === 0 && threads.length > 0) throw gone(this.now.lang_now);
    return this.put(known, mark);
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
    const back = this.#undos.get(undo);
    if (!back) throw gone(this.now.lang_now);
    this.#undos.delete(undo);
    back();
  }

  async markItems(thread: number, msgids: string[], mark: Mark): Promise<Marked> {
    this.asked.push(['markItems', thread, msgids, mark]);
    const named = (item: ItemView) => msgids.includes(item.msgid) && !(item.own && READS.has(mark.op));
    if (!this.find(thread)?.items.some(named)) throw gone(this.now.lang_now);
    return this.#change([thread], (one) => {
      const kept = mark.op === 'delete' ? one.items.filter((item) => !named(item)) : one.items;
      if (kept.length === 0) return null;
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
      const read = one.items.filter((item, index) => item.unread && !items[index]?.unread);
      const left = whole ? 0 : Math.max(one.row.unread - read.length, 0);
      return { ...one, items, row: { ...one.row, unread: left } };
    });
  }

  async watch(thread: number | null): Promise<void> {
    this.asked.push(['watch', thread]);
  }

  async unreadFrom(thread: number, msgid: string): Promise<Marked> {
    this.asked.push(['unreadFrom', thread, msgid]);
    if (!this.find(thread)?.items.some((item) => item.msgid === msgid)) throw gone(this.now.lang_now);
    return this.#change([thread], (one) => {
      const at = one.items.findIndex((item) => item.msgid === msgid);
      const items = one.items.map((item, index) => (index >= at && !item.own ? { ...item, unread: true } : item));
      return { ...one, items, row: { ...one.row, unread: items.filter((item) => item.unread).length } };
    });
  }

  /** Puts a mark on threads, as the program does. */
  put(threads: readonly number[], mark: Mark): Marked {
    const marking = this.#change(threads, (one) => markedThread(one, mark));
    if (mark.op !== 'seen' || marking.undo === null) return marking;
    // Nobody takes back that something was shown.
    this.#undos.delete(marking.undo);
    return { ...marking, undo: null };
  }

  /** Changes threads, or takes away those that become null. */
  #change(threads: readonly number[], change: (stored: ScriptedThread) => ScriptedThread | null): Marked {
    const before = this.inbox;
    const of = new Set(threads);
    const changed = new Set(threads.filter((id) => id >= FIRST_GENERATED_ID));
    this.inbox = before.flatMap((one) => {
      if (!of.has(one.row.id)) return [one];
      const after = change(one);
      if (JSON.stringify(after) === JSON.stringify(one)) changed.delete(one.row.id);
      else changed.add(one.row.id);
      return after === null ? [] : [after];
    });
    this.changes += 1;
    this.emitThreads(threads);
    if (changed.size === 0) return { undo: null, threads: 0, as_of: this.changes };
    this.#lastUndo += 1;
    this.#undos.set(this.#lastUndo, () => {
      const now = new Map(this.inbox.map((one) => [one.row.id, one]));
      const were = new Set(before.map((one) => one.row.id));
      const back = before.flatMap((one) => (of.has(one.row.id) ? [one] : (now.get(one.row.id) ?? [])));
      this.inbox = [...this.inbox.filter((one) => !were.has(one.row.id)), ...back];
      this.changes += 1;
      this.emitThreads(threads);
    });
    return { undo: this.#lastUndo, threads: changed.size, as_of: this.changes };
  }

  /** What a saved place and a search ask for together; null if neither does. */
  #query({ place, search }: BulkTarget): Query | null {
    const saved = place.place === 'saved' ? this.saved.find((one) => one.id === place.id) : null;
    if (saved === undefined) throw gone(this.now.lang_now);
    return readQuery([saved?.query, search].filter(Boolean).join(' '), this.now.lang_now, this.sources);
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
      .map(({ row }) => answered(asListed(row, place)))
      .sort((a, b) => compare(keyOf(a), keyOf(b)));
    const more = words === null && place.place === 'inbox' ? this.more : 0;
    const split = rows.findIndex((row) => compare(keyOf(row), [0, GENERATED.newest, FIRST_GENERATED_ID]) > 0);
    return listed(rows, split < 0 ? rows.length : split, more, keyOf, words);
  }
}

const READS: ReadonlySet<Mark['op']> = new Set(['read', 'unread']);
const SUBSCRIPTIONS: ReadonlySet<Mark['op']> = new Set(['subscribe', 'unsubscribe', 'ignore']);

/** An item as it is once a mark is set. */
function markedItem(item: ItemView, { op }: Mark): ItemView {
  if (READS.has(op)) return { ...item, unread: op === 'unread' };
  return op === 'archive' || op === 'unarchive' ? archivedItem(item, op === 'archive') : item;
}

/** A thread as it is once a mark is set; null if it is deleted. A thread is unread again from its newest item. */
function markedThread(stored: ScriptedThread, mark: Mark): ScriptedThread | null {
  if (mark.op === 'delete') return null;
  const newest = stored.items.findLast((item) => !item.own);
  const items = stored.items.map((item) => (mark.op !== 'unread' || item === newest ? markedItem(item, mark) : item));
  const row = marked(stored.row, mark);
  if (mark.op !== 'archive' && mark.op !== 'unarchive') return { ...stored, items, row };
  // What was archived before the rest counts again.
  const apart = stored.row.archived ? 0 : stored.items.filter((item) => item.archived).length;
  return { ...stored, items, row: { ...row, total: row.total + apart } };
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
