// A reader's actions on threads: rows change at once, the mark is sent, and the result is announced with an undo.

import type { Mark } from '../../generated/Mark';
import type { Marked } from '../../generated/Marked';
import type { NotifySettings } from '../../generated/NotifySettings';
import type { Place } from '../../generated/Place';
import type { Rule } from '../../generated/Rule';
import type { ThreadRow } from '../../generated/ThreadRow';
import { i18n } from '../../i18n/i18n.svelte';
import { moment } from '../../i18n/times';
import type { Platform } from '../../platform/platform';
import { shorten } from '../../text/shorten';
import type { Clock } from '../clock.svelte';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ListScope } from '../list/list-scope.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import { threadName } from '../list/thread-name';
import type { CurrentThread } from '../navigation/current-thread.svelte';
import type { ListMovement } from '../navigation/list-movement';
import type { Reading } from '../reading/reading.svelte';
import type { MarkQueue } from './mark-queue';
import { marked, samePlace } from './marks';
import type { Selection } from './selection.svelte';
import type { SubscriptionChange } from './subscriptions';
import { directionOf, type Toggle } from './toggles';

/** The threads to be marked; without them, the whole list if all of it is selected, else the subjects. */
type Ids = readonly number[] | undefined;

/** The greatest length of a thread's name in a result, in characters. */
const NAME = 40;
/** The marks that take threads out of sight. */
const HIDING: readonly Mark['op'][] = ['archive', 'snooze'];

export class ThreadActions {
  constructor(
    private readonly platform: Platform,
    private readonly clock: Clock,
    private readonly scope: ListScope,
    private readonly list: ThreadList,
    private readonly selection: Selection,
    private readonly reading: Reading,
    private readonly currentThread: CurrentThread,
    private readonly movement: ListMovement,
    private readonly markQueue: MarkQueue,
    private readonly feedback: Feedback,
  ) {}

  /** The loaded rows that a command applies to. */
  rows(ids?: Ids): ThreadRow[] {
    const { row } = this.currentThread;
    const all = ids ?? (this.selection.all ? this.list.ids : this.selection.subjects);
    return all.flatMap((id) => this.list.rows.get(id) ?? (row?.id === id ? row : []));
  }

  /** Sets a mark, or removes it if all of the threads have it. */
  toggle(toggle: Toggle, ids?: Ids): Promise<void> {
    const { mark, done } = directionOf(toggle, this.rows(ids));
    // Being on screen does not make the threads read again.
    if (mark.op === 'unread') this.currentThread.keepUnread(ids ?? this.selection.subjects);
    return this.#mark(ids, mark, done(i18n.t));
  }

  /** Changes the subscription of threads at their service; it waits in the outbox while that is out of reach. */
  subscribe({ ids, mark, done }: SubscriptionChange): Promise<void> {
    return this.#mark(ids, mark, done);
  }

  /** Snoozes until `until` in ms since 1970; null wakes. */
  snooze(until: number | null, ids?: Ids): Promise<void> {
    if (until === null) return this.#mark(ids, { op: 'unsnooze' }, i18n.t.didUnsnooze);
    const when = moment(until, this.clock.today, i18n.lang);
    return this.#mark(ids, { op: 'snooze', until: new Date(until).toISOString() }, (what) =>
      i18n.t.didSnooze(what, when),
    );
  }

  /** Mutes until `until` in ms since 1970; null until they are unmuted. */
  mute(until: number | null, ids?: Ids): Promise<void> {
    if (until === null) return this.#mark(ids, { op: 'mute' }, i18n.t.didMute);
    const when = moment(until, this.clock.today, i18n.lang);
    return this.#mark(ids, { op: 'mute', until: new Date(until).toISOString() }, (what) =>
      i18n.t.didMuteUntil(what, when),
    );
  }

  unmute(ids: readonly number[]): Promise<void> {
    return this.#mark(ids, { op: 'unmute' }, i18n.t.didUnmute);
  }

  /** Marks an item and those after it as unread. */
  unreadFrom(thread: number, msgid: string): Promise<void> {
    return this.feedback.attempt(async () => {
      this.currentThread.keepUnread([thread]);
      const done = await this.markQueue.send(() => this.platform.unreadFrom(thread, msgid));
      if (done.undo !== null) this.feedback.done(i18n.t.didUnread(this.#named(1, this.rows([thread]))), done.undo);
    });
  }

  /** Changes a thread's notify settings; undo restores `before`. */
  setNotify(thread: number, notify: NotifySettings, before: NotifySettings): Promise<void> {
    const set = async (to: NotifySettings) => {
      await this.platform.setThreadNotify(thread, to);
      await this.reading.refresh();
    };
    return this.feedback.attempt(async () => {
      const unmutes = before.level === 'nothing' && notify.level !== 'nothing';
      // Only the undo of a mark knows until when a thread was muted, and whether it was with its topic.
      const unmuted = unmutes ? await this.markQueue.send(() => this.platform.mark([thread], { op: 'unmute' })) : null;
      await set(notify);
      this.feedback.done(i18n.t.notifyChanged, async () => {
        await set(unmuted === null ? before : { ...before, level: null });
        const undo = unmuted?.undo ?? null;
        if (undo !== null) await this.markQueue.send(() => this.platform.undo(undo));
      });
    });
  }

  /** Marks everything in a place as read; without a place, everything that is listed. */
  markAllRead(place?: Place): Promise<void> {
    return this.feedback.attempt(async () => {
      const done = await this.markQueue.send(() => this.#readAll(place));
      if (done.undo === null) this.feedback.show(i18n.t.allWereRead);
      else this.feedback.done(i18n.t.didReadAll, done.undo);
    });
  }

  /** Applies a rule, which acts on arriving items, to the items that are here. */
  applyRule(rule: Rule): Promise<void> {
    return this.feedback.attempt(async () => {
      const { list } = this;
      const before = list.ids;
      const { threads, undo } = await this.markQueue.send(() => this.platform.applyRule(rule));
      const { t } = i18n;
      const gone = () => before.filter((id) => !list.has(id));
      if (undo === null) this.feedback.show(t.ruleApplied(threads));
      else this.feedback.done(t.ruleApplied(threads), () => this.#bringBack(undo, gone()), t.ruleTakenBack(threads));
    });
  }

  /** Undoes the newest action; for an old one a sentence first says what would be undone. */
  async undo(): Promise<void> {
    const { snackbar } = this.feedback;
    // What was done just now can be undone once it is answered.
    await this.markQueue.idle();
    if (snackbar.recall()) {
      this.feedback.offerUndo(i18n.t.wouldUndo(snackbar.newest?.text ?? ''));
      return;
    }
    const last = snackbar.takeUndo();
    if (last === null) {
      this.feedback.show(i18n.t.nothingToUndo);
      return;
    }
    await this.feedback.attempt(async () => {
      const { undo, undone } = last;
      if (typeof undo === 'number') await this.markQueue.send(() => this.platform.undo(undo));
      else await undo();
      this.feedback.show(undone);
    });
  }

  /** Marks a place as read: a filtered list as it is filtered, a saved search by what it finds, any other place as a
   * whole. What is listed without a place may be what a search found. */
  #readAll(place?: Place): Promise<Marked> {
    const { within, search, place: listed } = this.list;
    if (place === undefined && search !== null && !within)
      return this.platform.markBulk({ place: listed, search, within }, { op: 'read' });
    const read = place ?? this.scope.place;
    const narrowed = within && samePlace(read, this.scope.place);
    if (!narrowed && read.place !== 'saved') return this.platform.markAllRead(read);
    return this.platform.markBulk({ place: read, search: narrowed ? search : null, within: narrowed }, { op: 'read' });
  }

  /** Marks threads. If the current thread leaves the list, its neighbour becomes the current one. */
  async #mark(ids: Ids, mark: Mark, result: (what: string) => string): Promise<void> {
    const { list, selection, feedback } = this;
    const all = ids === undefined && selection.all;
    const threads = all ? list.ids : (ids ?? selection.subjects);
    if (threads.length === 0) return;
    const before = threads.flatMap((id) => list.rows.get(id) ?? []);
    const named = this.rows(threads);
    const { ids: order, place, search, within } = list;
    const optimistic = list.optimistic.add(threads, mark);
    this.movement.changeList(() => {
      list.applyOptimistic(...before.map((row) => marked(row, mark)));
      selection.clear();
    });
    const left = order.filter((id) => !list.has(id));
    try {
      const done: Marked = await this.markQueue.send(() =>
        all ? this.platform.markBulk({ place, search, within }, mark) : this.platform.mark([...threads], mark),
      );
      list.optimistic.confirm(optimistic, done.as_of);
      const count = Math.max(done.threads, 1);
      const what = this.#named(count, named);
      const undone = HIDING.includes(mark.op) ? i18n.t.areBack(count, what) : undefined;
      const { undo } = done;
      if (undo !== null)
        feedback.done(result(what), left.length > 0 ? () => this.#bringBack(undo, left) : undo, undone);
      // If nothing was marked, as in a conversation without items, the rows stay as they were.
      if (done.threads === 0) list.change(before, []);
      if (all) await list.refetch();
    } catch (error) {
      list.optimistic.revert(optimistic);
      list.change(before, []);
      feedback.fail(error);
    }
  }

  /** Undoes a mark by which threads left the list, and selects what came back. */
  async #bringBack(undo: number, threads: readonly number[]): Promise<void> {
    await this.markQueue.send(() => this.platform.undo(undo));
    await this.movement.returnTo(threads);
  }

  /** The name of a single thread, the number of several. */
  #named(count: number, rows: readonly ThreadRow[]): string {
    const [row] = rows;
    return i18n.t.theThreads(count, row && rows.length === 1 && count === 1 ? shorten(threadName(row), NAME) : null);
  }
}
