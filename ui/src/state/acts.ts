// What a reader does with threads: set the mark, foresee the row, say it, keep the way back.
import type { Mark } from '../generated/Mark';
import type { Marked } from '../generated/Marked';
import type { ThreadRow } from '../generated/ThreadRow';
import { say } from '../i18n/say.svelte';
import { moment } from '../i18n/times';
import { marked } from './marks';
import type { Page } from './page.svelte';

type Said = (count: number) => string;

/** Marks threads; those that leave the list hand the choice to the next one. */
async function act(page: Page, ids: readonly number[], mark: Mark, said: Said | null): Promise<void> {
  if (ids.length === 0) return;
  const before: ThreadRow[] = [];
  for (const id of ids) {
    const row = page.list.rows.get(id);
    if (row) before.push(row);
  }
  const at = page.list.indexOf(page.chosen);
  for (const row of before) page.list.foresee(marked(row, mark));
  page.selection = new Set();
  if (at >= 0 && page.list.indexOf(page.chosen) < 0) follow(page, at);
  try {
    const done: Marked = await page.platform.mark([...ids], mark);
    if (said && done.undo !== null) {
      const text = said(Math.max(done.threads, 1));
      page.snack.did(text, done.undo);
      page.said.say(text);
    } else page.snack.keep(done.undo);
  } catch (error) {
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

export function archive(page: Page, ids = page.subjects): Promise<void> {
  const back = rowsOf(page, ids).every((row) => row.archived);
  return back
    ? act(page, ids, { op: 'unarchive' }, say.t.didUnarchive)
    : act(page, ids, { op: 'archive' }, say.t.didArchive);
}

/** Unread if all of them are read, else read. */
export function toggleRead(page: Page, ids = page.subjects): Promise<void> {
  const read = rowsOf(page, ids).every((row) => row.unread === 0);
  const many = ids.length > 1;
  return read
    ? act(page, ids, { op: 'unread' }, many ? say.t.didUnread : null)
    : act(page, ids, { op: 'read' }, many ? say.t.didRead : null);
}

export function pin(page: Page, ids = page.subjects): Promise<void> {
  const off = rowsOf(page, ids).every((row) => row.pinned);
  return off ? act(page, ids, { op: 'unpin' }, say.t.didUnpin) : act(page, ids, { op: 'pin' }, say.t.didPin);
}

export function mute(page: Page, ids = page.subjects): Promise<void> {
  const off = rowsOf(page, ids).every((row) => row.muted);
  return off ? act(page, ids, { op: 'unmute' }, say.t.didUnmute) : act(page, ids, { op: 'mute' }, say.t.didMute);
}

/** `until` in ms since 1970; null wakes. */
export function snooze(page: Page, until: number | null, ids = page.subjects): Promise<void> {
  if (until === null) return act(page, ids, { op: 'unsnooze' }, say.t.didUnsnooze);
  const when = moment(until, page.clock.today, say.lang);
  return act(page, ids, { op: 'snooze', until }, (count) => say.t.didSnooze(count, when));
}

/** This item and those after it are new again. */
export async function unreadFrom(page: Page, thread: number, msgid: string): Promise<void> {
  try {
    page.gaze.move();
    const done = await page.platform.unreadFrom(thread, msgid);
    if (done.undo === null) return;
    const text = say.t.didUnread(1);
    page.snack.did(text, done.undo);
    page.said.say(text);
  } catch (error) {
    page.fail(error);
  }
}

export async function markAllRead(page: Page): Promise<void> {
  try {
    const done = await page.platform.markAllRead(page.place);
    if (done.undo === null) page.tell(say.t.allWereRead);
    else {
      const text = say.t.didReadAll;
      page.snack.did(text, done.undo);
      page.said.say(text);
    }
  } catch (error) {
    page.fail(error);
  }
}

export async function undo(page: Page): Promise<void> {
  const last = page.snack.takeUndo();
  if (last === null) {
    page.tell(say.t.nothingToUndo);
    return;
  }
  try {
    await page.platform.undo(last);
    page.tell(say.t.undone);
  } catch (error) {
    page.fail(error);
  }
}

/** Sends what is written to the open conversation; it stands there at once, and says where it waits. */
export async function send(page: Page): Promise<void> {
  const { reading } = page;
  if (!(await reading.composing.send())) return;
  await reading.refresh().catch(page.fail);
  if (reading.view?.composer?.waiting) page.said.say(say.t.waits);
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

/** Puts text on the clipboard, also where the web view keeps the newer way from pages of its own scheme. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'sr';
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

/** Moves the choice by `step` rows; true when there was one to move to. */
export function move(page: Page, step: number): boolean {
  const { list } = page;
  if (list.ids.length === 0) return false;
  const at = list.indexOf(page.chosen);
  const start = Math.max(0, list.indexOf(list.inSight));
  const to = at < 0 ? start : at + step;
  const row = list.row(Math.min(Math.max(to, 0), list.ids.length - 1));
  if (!row || row.id === page.chosen) return false;
  page.pass(row.id);
  if (to > list.ids.length - 20) list.more().catch(page.fail);
  return true;
}

/** The next or previous unread thread, asking for more rows as long as there are any. */
export async function moveToUnread(page: Page, step: 1 | -1): Promise<void> {
  const { list } = page;
  for (let at = list.indexOf(page.chosen) + step; at >= 0; at += step) {
    if (at >= list.ids.length) {
      const before = list.ids.length;
      await list.more().catch(page.fail);
      if (list.ids.length === before) break;
    }
    const row = list.row(at);
    if (row && row.unread > 0) {
      page.pass(row.id);
      return;
    }
  }
  page.tell(say.t.nothingUnread);
}

/** Puts the chosen thread under a check box, or takes it out. */
export function toggleSelected(page: Page, id = page.chosen): void {
  if (id === null) return;
  const next = new Set(page.selection);
  if (!next.delete(id)) next.add(id);
  page.selection = next;
}

/** Extends the selection by the next or previous row. */
export function extend(page: Page, step: 1 | -1): void {
  const { list } = page;
  const at = list.indexOf(page.chosen);
  if (at < 0) return;
  const next = new Set(page.selection);
  const here = list.row(at);
  if (here) next.add(here.id);
  const row = list.row(at + step);
  if (row) {
    next.add(row.id);
    page.chosen = row.id;
  }
  page.selection = next;
}
