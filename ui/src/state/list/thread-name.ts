// The short name of a thread: a person or group, else what it is about.
import type { ThreadRow } from '../../generated/ThreadRow';
import { i18n } from '../../i18n/i18n.svelte';

const texts = (row: ThreadRow, strong: boolean) =>
  row.what
    .filter((span) => !strong || span.strong)
    .map((span) => span.text)
    .join('')
    .trim();

/** The name of a conversation is who it is with; that of another thread its target, after the topic if it has one. */
export function threadName(row: ThreadRow): string {
  if (row.kind === 'message') return row.who;
  const about = texts(row, true) || texts(row, false);
  if (about === '') return row.who;
  return row.avatar.shape === 'thing' ? i18n.t.whoAndWhat(row.who, about) : about;
}

/** The title of a thread, as in its heading: who it is with or from, its topic, or its target. */
export function threadTitle(row: ThreadRow): string {
  if (row.kind !== 'reminder' || row.origin?.name === row.who) return row.who;
  return texts(row, true) || row.who;
}
