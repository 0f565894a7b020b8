// How the choice moves through the list, and which rows are selected. Refuses to mark what it comes by.
import { i18n } from '../../i18n/i18n.svelte';
import type { Page } from '../page.svelte';

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
  if (to > list.ids.length - 20) list.more('below').catch(page.fail);
  else if (to < 20) list.more('above').catch(page.fail);
  return true;
}

/** To the very first row of the list, or to the very last, however long it is. */
export async function moveToEnd(page: Page, end: 'top' | 'bottom'): Promise<void> {
  const { list } = page;
  if (end === 'top' && list.waiting > 0) await list.admit().catch(page.fail);
  await list.jump(end).catch(page.fail);
  const row = list.row(end === 'top' ? 0 : list.ids.length - 1);
  if (row && row.id !== page.chosen) page.pass(row.id);
}

/** The next or previous unread thread, asking for more rows as long as there are any. */
export async function moveToUnread(page: Page, step: 1 | -1): Promise<void> {
  const { list } = page;
  // Rows may be given up on the way: what is left to look at is counted by the row, not by its place.
  let id = page.chosen;
  for (;;) {
    let at = list.indexOf(id) + step;
    if (at >= list.ids.length || at < 0) {
      const further = step > 0 ? list.below : list.above;
      if (!further) break;
      await list.more(step > 0 ? 'below' : 'above').catch(page.fail);
      at = list.indexOf(id) + step;
    }
    const row = list.row(at);
    if (!row) break;
    if (row.unread > 0) {
      page.pass(row.id);
      return;
    }
    id = row.id;
  }
  page.tell(i18n.t.nothingUnread);
}

/** Puts the chosen thread under a check box, or takes it out. */
export function toggleSelected(page: Page, id = page.chosen): void {
  if (id === null) return;
  const next = new Set(page.selection.ids);
  if (!next.delete(id)) next.add(id);
  page.selection.take(next);
}

/** Puts everything under check boxes that the list holds, and says how much that is. */
export function selectAll(page: Page): void {
  page.selection.takeAll();
  if (page.selection.on) page.announcer.announce(i18n.t.threadsSelected(page.selection.count));
}

/** Extends the selection by the next or previous row. */
export function extend(page: Page, step: 1 | -1): void {
  const { list } = page;
  const at = list.indexOf(page.chosen);
  if (at < 0) return;
  const next = new Set(page.selection.ids);
  const here = list.row(at);
  if (here) next.add(here.id);
  const row = list.row(at + step);
  if (row) {
    next.add(row.id);
    page.chosen = row.id;
  }
  page.selection.take(next);
}

/** Selects the rows from one to another, beside those that were selected before. */
export function selectFrom(page: Page, from: number, to: number, before: Iterable<number> = []): void {
  const { list } = page;
  const [first, last] = [list.indexOf(from), list.indexOf(to)].sort((a, b) => a - b) as [number, number];
  if (first < 0) return;
  page.selection.take([...before, ...list.ids.slice(first, last + 1)]);
}
