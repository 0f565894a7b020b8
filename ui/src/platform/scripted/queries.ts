// The part of the query language that the scripted program needs. The program's own parser is written in Rust.

import type { Lang } from '../../generated/Lang';
import type { SourceRow } from '../../generated/SourceRow';
import type { ThreadRow } from '../../generated/ThreadRow';
import { spansOf } from '../../text/highlight';
import { keyOf, termsOf, tokens } from '../../text/query-text';
import { answered, type ScriptedThread } from './scripted-thread';

export interface Query {
  readonly words: readonly string[];
  readonly tests: readonly ((thread: ScriptedThread) => boolean)[];
}

const STATES: Record<string, (row: ThreadRow) => boolean> = {
  unread: (row) => answered(row).unread > 0,
  read: (row) => answered(row).unread === 0,
  pinned: (row) => row.pinned,
  snoozed: (row) => row.snoozed_until !== null,
  done: (row) => row.archived,
  muted: (row) => row.muted,
  quiet: (row) => answered(row).unread > 0 && !row.counts,
};

/** Parses a query; null for an empty one. Throws an error with a text if it cannot be read, as the program does. */
export function readQuery(text: string, lang: Lang, sources: readonly SourceRow[]): Query | null {
  if (text.trim() === '') return null;
  const tests: ((thread: ScriptedThread) => boolean)[] = [];
  for (const token of tokens(text)) {
    const key = keyOf(token);
    if (key !== null) tests.push(testOf(token, key.key, key.value, lang, sources));
  }
  return { words: termsOf(text).map((word) => word.toLowerCase()), tests };
}

function testOf(
  token: string,
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
      return state ? ({ row }) => state(row) : refuse(noState(token)[lang]);
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
      if (Number.isNaN(time)) return refuse(noDate(token)[lang]);
      if (key === 'on') return ({ row }) => row.time >= time && row.time < time + 86_400_000;
      return ({ row }) => (key === 'after' ? row.time >= time : row.time < time);
    }
  }
}

/** What the program says of a date and of a state that it does not know. */
const noDate = (token: string): Record<Lang, string> => ({
  en: `“${token}” is not a date. Enter a day such as 2026-11-01, a month such as 2026-11 or a year such as 2026.`,
  'zh-CN': `“${token}”不是日期。输入日期（如 2026-11-01）、月份（如 2026-11）或年份（如 2026）。`,
});
const noState = (token: string): Record<Lang, string> => ({
  en: `“${token}” is not a state. After “is:”, enter unread, quiet, read, pinned, snoozed, done, muted, merged, closed or bot.`,
  'zh-CN': `“${token}”不是状态。在“是:”后输入未读、静默、已读、置顶、已推迟、完成、静音、已合并、已关闭或机器人。`,
});

function refuse(text: string): never {
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
