// What screen readers say of a row after its sentence: its state, as the signs beside it show it.
import type { ThreadRow } from '../../../generated/ThreadRow';
import { i18n } from '../../../i18n/i18n.svelte';
import { withAnswerKeys } from '../../../shortcuts';

interface Texts {
  /** The time of the item that is shown. */
  time: string;
  /** The time at which a snoozed thread wakes. */
  wakes: string | null;
  /** Until when the thread was snoozed, if it is on top for that alone. */
  woken: string | null;
  /** How long it is muted. */
  muted: string;
}

export function saidMarks(row: ThreadRow, { time, wakes, woken, muted }: Texts): string[] {
  const said: string[] = [];
  const unread = row.unread > 0;
  const outcome = row.question?.outcome ?? null;
  if (outcome !== null) said.push(outcome);
  else if (row.question)
    said.push(i18n.t.asks(row.question.answers.map(({ label }, at) => withAnswerKeys(label, at + 1))));
  if (unread) said.push(row.unread > 1 ? i18n.t.manyUnread(row.unread) : i18n.t.isUnread);
  said.push(woken ?? (wakes === null ? time : i18n.t.isSnoozedUntil(wakes)));
  if (row.priority === 5) said.push(i18n.t.urgent);
  if (row.priority === 4) said.push(i18n.t.high);
  if (row.pending) said.push(i18n.t.waitsToBeSent);
  if (row.muted) said.push(muted);
  else if (unread && !row.counts) said.push(i18n.t.isQuiet);
  if (row.pinned) said.push(i18n.t.isPinned);
  if (row.draft) said.push(i18n.t.draftOf(row.draft));
  return said;
}
