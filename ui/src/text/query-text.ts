// The text of a query: its tokens, terms, and conditions with key and value.

/** The keys of the query language, in English and Chinese, with their English names. */
const KEYS: Record<string, string> = {
  from: 'from',
  is: 'is',
  type: 'type',
  kind: 'type',
  source: 'source',
  reason: 'reason',
  before: 'before',
  after: 'after',
  on: 'on',
  priority: 'priority',
  has: 'has',
  tag: 'tag',
  in: 'in',
  来自: 'from',
  是: 'is',
  类型: 'type',
  来源: 'source',
  原因: 'reason',
  之前: 'before',
  之后: 'after',
  日期: 'on',
  优先级: 'priority',
  带有: 'has',
  标签: 'tag',
  主题: 'in',
};
const TOKEN = /(?:[^\s"“”]|["“][^"”]*["”]?)+/gu;
const KEYED = /^([\p{L}]+)[:：](.*)$/su;

/** The tokens of a text, separated by spaces outside quotes. */
export function tokens(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** The token at the end of a text that is still being typed; empty if the text ends with a finished one. */
export function lastToken(text: string): string {
  const last = tokens(text).at(-1) ?? '';
  return text.endsWith(last) ? last : '';
}

function bare(text: string): string {
  return text.replaceAll(/["“”]/g, '');
}

/** The key of a token by its English name, and its value; null for a plain word, or if no value follows yet. */
export function keyOf(token: string): { key: string; written: string; value: string } | null {
  const [, written, rest] = KEYED.exec(token) ?? [];
  if (written === undefined || rest === undefined) return null;
  const key = Object.hasOwn(KEYS, written.toLowerCase()) ? KEYS[written.toLowerCase()] : undefined;
  const value = bare(rest);
  return key === undefined || value === '' ? null : { key, written, value };
}

/** The condition for a tag. */
export function tagToken(tag: string): string {
  const value = bare(tag).trim();
  return `tag:${/\s/u.test(value) ? `"${value}"` : value} `;
}

/** Whether the caret of a text, by default at its end, is in a condition, which is still being typed then. */
export function isTyping(text: string, caret = text.length): boolean {
  return [...text.matchAll(TOKEN)].some((one) => KEYED.test(one[0]) && holds(one, caret));
}

const holds = ({ 0: token, index }: RegExpExecArray, caret: number) => index < caret && caret <= index + token.length;

/** The words and quoted phrases of a query, without conditions, longest first. */
export function termsOf(text: string): string[] {
  const terms = tokens(text)
    .filter((token) => !KEYED.test(token) || !Object.hasOwn(KEYS, (KEYED.exec(token)?.[1] ?? '').toLowerCase()))
    .map((token) => bare(token).replaceAll('*', '').trim())
    .filter((word) => word !== '');
  return [...new Set(terms)].sort((a, b) => b.length - a.length);
}

/** A query split for its field: the conditions as chips, and the text that is still being typed. */
export interface Taken {
  readonly chips: readonly string[];
  readonly text: string;
}

/** Splits a query. A token becomes a chip only if something follows it and the caret is elsewhere, or with `whole`. */
export function takeApart(query: string, whole: boolean, caret = query.length): Taken {
  const found = [...query.matchAll(TOKEN)];
  const chips: string[] = [];
  let text = '';
  let from = 0;
  for (const one of found) {
    const end = one.index + one[0].length;
    const open = (one[0].match(/["“”]/g)?.length ?? 0) % 2 === 1;
    const finished = !open && (whole || (end < query.length && !holds(one, caret)));
    if (!finished || keyOf(one[0]) === null) continue;
    chips.push(one[0]);
    text += query.slice(from, one.index);
    from = end;
  }
  text = `${text}${query.slice(from)}`;
  return { chips, text: chips.length > 0 ? text.replace(/^\s+/, '').replaceAll(/\s{2,}/g, ' ') : text };
}

/** The query of these chips and this text. */
export function joined(chips: readonly string[], text: string): string {
  return [...chips, text.trim()].filter(Boolean).join(' ');
}
