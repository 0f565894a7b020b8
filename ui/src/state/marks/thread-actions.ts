// What a reader does with threads: set the mark, applyOptimistic the row, say it, keep the way back.
import type { Mark } from '../../generated/Mark';
import type { Marked } from '../../generated/Marked';
import type { NotifySettings } from '../../generated/NotifySettings';
import type { Place } from '../../generated/Place';
import type { ThreadRow } from '../../generated/ThreadRow';
import { i18n } from '../../i18n/i18n.svelte';
import { moment } from '../../i18n/times';
import type { Page } from '../page.svelte';
import { marked, samePlace } from './marks';

type Said = (count: number) => string;

/** Which threads are marked: those named, else everything that the list holds, or those that are chosen. */
type Ids = readonly number[] | undefined;

/** Marks threads; those that leave the list hand the choice to the next one. */
async function act(page: Page, ids: Ids, mark: Mark, said: Said | null): Promise<void> {
  const all = ids === undefined && page.selection.all;
  const threads = all ? page.list.ids : (ids ?? page.subjects);
  if (threads.length === 0) return;
  const before = threads.flatMap((id) => page.list.rows.get(id) ?? []);
  const at = page.list.indexOf(page.chosen);
  const { place, search, within } = page.list;
  page.list.applyOptimistic(...before.map((row) => marked(row, mark)));
  page.selection.leave();
  const asked = page.list.optimistic.ask(threads, mark);
  if (at >= 0 && page.list.indexOf(page.chosen) < 0) follow(page, at);
  try {
    const done: Marked = await page.marks.send(() =>
      all ? page.platform.markBulk({ place, search, within }, mark) : page.platform.mark([...threads], mark),
    );
    page.list.optimistic.put(asked, done.as_of);
    if (said && done.undo !== null) {
      const text = said(Math.max(done.threads, 1));
      page.snackbar.did(text, done.undo);
      page.announcer.announce(text);
    } else page.snackbar.keep(done.undo);
    // Where there was nothing to mark, as in a conversation that is only begun, a row stays as it was.
    if (done.threads === 0) page.list.change(before, []);
    if (all) await page.list.refetch();
  } catch (error) {
    page.list.optimistic.drop(asked);
    page.list.change(before, []);
    page.fail(error);
  }
}

/** The chosen row left from `at`: its place is taken by the next one, or by the one before at the end. */
function follow(page: Page, at: number): void {
  const next = page.list.row(at) ?? page.list.row(at - 1);
  if (next && page.onScreen) page.pass(next.id);
  else {
    page.chosen = next?.id ?? null;
    page.reading.close();
  }
  if (!next) page.inside = false;
}

/** The rows of threads, as far as they are known here. */
export function rowsOf(page: Page, ids: readonly number[]): ThreadRow[] {
  const rows: ThreadRow[] = [];
  for (const id of ids) {
    const row = page.list.rows.get(id) ?? (page.row?.id === id ? page.row : undefined);
    if (row) rows.push(row);
  }
  return rows;
}

/** The rows that decide which way a mark goes. */
function deciding(page: Page, ids: Ids): ThreadRow[] {
  return rowsOf(page, ids ?? (page.selection.all ? page.list.ids : page.subjects));
}

export function archive(page: Page, ids?: Ids): Promise<void> {
  const back = deciding(page, ids).every((row) => row.archived);
  return back
    ? act(page, ids, { op: 'unarchive' }, i18n.t.didUnarchive)
    : act(page, ids, { op: 'archive' }, i18n.t.didArchive);
}

/** Unread if all of them are read, else read. */
export function toggleRead(page: Page, ids?: Ids): Promise<void> {
  const read = deciding(page, ids).every((row) => row.unread === 0);
  // What is looked at is to stay unread all the same.
  if (read) page.choosing.keepUnread(ids ?? page.subjects);
  return read ? act(page, ids, { op: 'unread' }, i18n.t.didUnread) : act(page, ids, { op: 'read' }, i18n.t.didRead);
}

export function pin(page: Page, ids?: Ids): Promise<void> {
  const off = deciding(page, ids).every((row) => row.pinned);
  return off ? act(page, ids, { op: 'unpin' }, i18n.t.didUnpin) : act(page, ids, { op: 'pin' }, i18n.t.didPin);
}

export function mute(page: Page, ids?: Ids): Promise<void> {
  const off = deciding(page, ids).every((row) => row.muted);
  return off ? act(page, ids, { op: 'unmute' }, i18n.t.didUnmute) : act(page, ids, { op: 'mute' }, i18n.t.didMute);
}

/** `until` in ms since 1970; null wakes. */
export function snooze(page: Page, until: number | null, ids?: Ids): Promise<void> {
  if (until === null) return act(page, ids, { op: 'unsnooze' }, i18n.t.didUnsnooze);
  const when = moment(until, page.clock.today, i18n.lang);
  return act(page, ids, { op: 'snooze', until }, (count) => i18n.t.didSnooze(count, when));
}

/** This item and those after it are new again. */
export async function unreadFrom(page: Page, thread: number, msgid: string): Promise<void> {
  try {
    page.choosing.keepUnread([thread]);
    const done = await page.marks.send(() => page.platform.unreadFrom(thread, msgid));
    if (done.undo === null) return;
    const text = i18n.t.didUnread(1);
    page.snackbar.did(text, done.undo);
    page.announcer.announce(text);
  } catch (error) {
    page.fail(error);
  }
}

/** How much a thread may tell, with the way back to how much it could before. */
export async function setThreadNotify(
  page: Page,
  thread: number,
  notify: NotifySettings,
  before: NotifySettings,
): Promise<void> {
  const set = async (to: NotifySettings) => {
    await page.platform.setThreadNotify(thread, to);
    await page.reading.refresh();
  };
  try {
    await set(notify);
    page.snackbar.did(i18n.t.notifyChanged, () => set(before));
    page.announcer.announce(i18n.t.notifyChanged);
  } catch (error) {
    page.fail(error);
  }
}

export async function markAllRead(page: Page, place = page.place): Promise<void> {
  try {
    const done = await page.marks.send(() => readAll(page, place));
    if (done.undo === null) page.tell(i18n.t.allWereRead);
    else {
      const text = i18n.t.didReadAll;
      page.snackbar.did(text, done.undo);
      page.announcer.announce(text);
    }
  } catch (error) {
    page.fail(error);
  }
}

/** A filtered list is marked as it is shown, a kept search as it finds; any other place as a whole. */
function readAll(page: Page, place: Place): Promise<Marked> {
  const { within, search } = page.list;
  const narrowed = within && samePlace(place, page.place);
  if (!narrowed && place.place !== 'saved') return page.platform.markAllRead(place);
  return page.platform.markBulk({ place, search: narrowed ? search : null, within: narrowed }, { op: 'read' });
}

export async function undo(page: Page): Promise<void> {
  const last = page.snackbar.takeUndo();
  if (last === null) {
    page.tell(i18n.t.nothingToUndo);
    return;
  }
  try {
    if (typeof last === 'number') await page.marks.send(() => page.platform.undo(last));
    else await last();
    page.tell(i18n.t.undone);
  } catch (error) {
    page.fail(error);
  }
}

/** Sends what is written to the open conversation; it stands there at once, and says where it waits. */
export async function send(page: Page): Promise<void> {
  const { reading } = page;
  if (!(await reading.composing.send())) return;
  await reading.refresh().catch(page.fail);
  if (reading.view?.composer?.waiting) page.announcer.announce(i18n.t.waits);
}

export async function retryMessage(page: Page, id: string): Promise<void> {
  await page.platform.retryMessage(id).catch(page.fail);
  await page.reading.refresh().catch(page.fail);
}

export async function discardMessage(page: Page, id: string): Promise<void> {
  await page.platform.discardMessage(id).catch(page.fail);
  await page.reading.refresh().catch(page.fail);
}

/** `until` in ms since 1970, 0 until switched on again, null resumes. */
export function pauseToasts(page: Page, until: number | null): void {
  page.platform.pauseToasts(until).catch(page.fail);
}

export function pullNow(page: Page): void {
  page.platform.pullNow().catch(page.fail);
}

export function openLink(page: Page, url: string): void {
  page.platform.openLink(url).catch(page.fail);
}

export async function copyLink(page: Page, url: string): Promise<void> {
  await copyText(url);
  page.tell(i18n.t.linkCopied);
}

/** Puts text on the clipboard, also where the web view keeps the newer way from pages of its own scheme. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'sr-only';
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}
