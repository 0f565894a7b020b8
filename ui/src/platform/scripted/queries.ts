// The part of the query language that the scripted program needs. The program's own parser is written in Rust.

import type { Lang } from '../../generated/Lang';
import type { SourceRow } from '../../generated/SourceRow';
import type { ThreadRow } from '../../generated/ThreadRow';
import { spansOf } from '../../text/highlight';
import { keyOf, termsOf, tokens } from '../../text/query-text';
import type { ScriptedThread } from './scripted-thread';

export interface Query {
  readonly words: readonly string[];
  readonly tests: readonly ((thread: ScriptedThread) => boolean)[];
}

const STATES: Record<string, (row: ThreadRow) => boolean> = {
  unread: (row) => row.unread > 0,
  read: (row) => row.unread === 0,
  pinned: (row) => row.pinned,
  snoozed: (row) => row.snoozed_until !== null,
  done: (row) => row.archived,
  muted: (row) => row.muted,
  quiet: (row) => row.unread > 0 && !row.counts,
};

/** Parses a query; null for an empty one. Throws an error with a text if it cannot be read, as the program does. */
export function readQuery(text: string, lang: Lang, sources: readonly SourceRow[]): Query | null {
  if (text.trim() === '') return null;
  const tests: ((thread: ScriptedThread) => boolean)[] = [];
  for (const token of tokens(text)) {
    const key = keyOf(token);
    if (key !== null) tests.push(testOf(key.key, key.value, lang, sources));
  }
  return { words: termsOf(text).map((word) => word.toLowerCase()), tests };
}

function testOf(
  key: string,
  value: string,
  lang: Lang,
  sources: readonly SourceRow[],
): (thread: ScriptedThread) => boolean {
  const want = value.toLowerCase();
  switch (key) {
    case 'from':
      return ({ row, items }) =>
        [row.who, ...items.map((item) => item.actor)].some((who) => who.toLowerCase().includes(want));
    case 'tag':
      return ({ items }) => items.some((item) => item.tags.some((tag) => tag.toLowerCase() === want));
    case 'in':
      return ({ row }) => row.origin?.name.toLowerCase() === want;
    case 'is': {
      const state = STATES[want];
      return state ? ({ row }) => state(row) : refuse(lang, 'is:', value, 'unread, read, pinned, snoozed, done, muted');
    }
    case 'type': {
      const kind = want === 'activity' ? 'reminder' : want;
      return ({ row }) => row.kind === kind;
    }
    case 'source': {
      const meant = (one: SourceRow) => one.name.toLowerCase().startsWith(want) || one.protocol === want;
      const of = sources.filter(meant).map((one) => one.id);
      return ({ row }) => of.includes(row.source);
    }
    case 'reason':
      return ({ row }) => row.kind === 'reminder';
    case 'priority':
      return ({ row }) => row.priority >= Number(value);
    case 'has':
      return ({ items }) => items.some((item) => (want === 'link' ? item.url : item.attachment) !== null);
    default: {
      const time = new Date(value).getTime();
      if (Number.isNaN(time)) return refuse(lang, `${key}:`, value, '2026-11-01');
      if (key === 'on') return ({ row }) => row.time >= time && row.time < time + 86_400_000;
      return ({ row }) => (key === 'after' ? row.time >= time : row.time < time);
    }
  }
}

function refuse(lang: Lang, key: string, value: string, like: string): never {
  const text =
    lang === 'zh-CN' ? `${key} 后不能写“${value}”，可以写 ${like}` : `${key} does not know “${value}”. Write ${like}`;
  throw { code: 'invalid', text };
}

export function finds({ words, tests }: Query, thread: ScriptedThread): boolean {
  const { row, items } = thread;
  const texts = [row.who, ...row.what.map((span) => span.text), row.snippet, ...items.map((item) => item.body)];
  const all = texts.join('\n').toLowerCase();
  return tests.every((test) => test(thread)) && words.every((word) => all.includes(word));
}

export function foundSpans(row: ThreadRow, { words }: Query): ThreadRow {
  const what = row.what.flatMap((span) => spansOf(span.text, words).map((one) => ({ ...one, strong: span.strong })));
  return { ...row, what };
}
