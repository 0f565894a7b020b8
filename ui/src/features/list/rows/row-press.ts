// A press on a row of the list opens the thread, answers its question, or selects it.
import type { Stores } from '../../../state/stores';

/** The id of the thread whose row an event is on. */
export function idAt(event: Event): number | null {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-thread-id]') : null;
  return row ? Number(row.dataset.threadId) : null;
}

/** Whether an event is on the column of the check boxes. */
export const onCheck = (event: Event) =>
  event.target instanceof Element && event.target.closest('[data-check]') !== null;

/** Answers a row's question if the press is on one of its answers. */
function answer(stores: Stores, thread: number, { target }: MouseEvent): boolean {
  const pressed = target instanceof Element ? target.closest<HTMLElement>('[data-answer]')?.dataset.answer : undefined;
  const question = stores.list.rows.get(thread)?.question;
  if (pressed === undefined || !question) return false;
  void stores.itemActions.answer(thread, question.msgid, pressed, null);
  return true;
}

export function pressRow(stores: Stores, event: MouseEvent): void {
  const { router, selection } = stores;
  const id = idAt(event);
  if (id === null || (!selection.on && answer(stores, id, event))) return;
  if (event.shiftKey) selection.selectTo(id, event.ctrlKey || event.metaKey);
  else if (onCheck(event)) selection.toggle(id);
  else if (event.ctrlKey || event.metaKey) selection.toggleBeside(id);
  else {
    selection.clear();
    void router.openThread(id);
  }
}
