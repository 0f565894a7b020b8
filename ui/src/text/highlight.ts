// Highlights searched terms in texts and elements. Which items a search finds is decided by the program.
import type { ItemView } from '../generated/ItemView';
import type { Span } from '../generated/Span';
import { termsOf } from './query-text';

/** The terms of a query, longest first, without conditions such as `from:bo`. */
export function searchTerms(search: string | null): string[] {
  return search === null ? [] : termsOf(search);
}

/** The pattern of a term. Words are searched by their beginning, and most have a single letter somewhere: it is marked only
 * if it begins one. Scripts without capital letters, such as Chinese, do not part words. */
function patternOf(term: string): string {
  const escaped = term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return /^[\p{Lu}\p{Ll}]$/u.test(term) ? `(?<![\\p{Lu}\\p{Ll}\\p{N}])${escaped}` : escaped;
}

function pattern(terms: readonly string[]): RegExp | null {
  return terms.length === 0 ? null : new RegExp(terms.map(patternOf).join('|'), 'giu');
}

/** Splits a text into spans, with the found terms marked. */
export function spansOf(text: string, terms: readonly string[]): Span[] {
  const find = pattern(terms);
  if (!find) return [{ text, strong: false, found: false }];
  const spans: Span[] = [];
  let at = 0;
  for (const hit of text.matchAll(find)) {
    if (hit[0] === '') continue;
    if (hit.index > at) spans.push({ text: text.slice(at, hit.index), strong: false, found: false });
    spans.push({ text: hit[0], strong: false, found: true });
    at = hit.index + hit[0].length;
  }
  if (at < text.length) spans.push({ text: text.slice(at), strong: false, found: false });
  return spans;
}

/** The number of letters that a row shows before a found term that is further on. `alone` is for a text that has the line
 * for itself, `beside` for two texts in one line. */
export const LETTERS_BEFORE = { alone: 16, beside: 6 } as const;

/** Characters as wide as two letters, such as Chinese ones. */
const WIDE = /[\u{2e80}-\u{10ffff}]/u;

/** The index from which on the end of a text is at most so many letters wide. */
function endOf(text: readonly string[], letters: number): number {
  let at = text.length;
  for (let left = letters; at > 0; at -= 1) {
    left -= WIDE.test(text[at - 1] ?? '') ? 2 : 1;
    if (left < 0) break;
  }
  return at;
}

/** The spans from shortly before the first found term on, if the text before it may leave no room for it. They begin
 * `letters` before the term, or up to twice as many to keep a word whole. */
export function fromHit(spans: readonly Span[], letters: number): readonly Span[] {
  const hit = spans.findIndex((span) => span.found);
  const before = [
    ...spans
      .slice(0, Math.max(0, hit))
      .map((span) => span.text)
      .join(''),
  ];
  const [near, far] = [endOf(before, letters), endOf(before, 2 * letters)];
  if (far === 0) return spans;
  const space = before.lastIndexOf(' ', near);
  let skipped = before.slice(0, space >= far ? space + 1 : near).join('').length;
  const [first, ...rest] = spans.flatMap((span) => {
    const text = span.text.slice(skipped);
    skipped = Math.max(0, skipped - span.text.length);
    return text === '' ? [] : [{ ...span, text }];
  });
  return first ? [{ ...first, text: `…${first.text}` }, ...rest] : spans;
}

/** Splits a text into spans, with the first occurrence of each term marked. */
export function firstHits(text: string, terms: readonly string[]): Span[] {
  const left = new Set(terms.map((word) => word.toLowerCase()));
  return spansOf(text, terms).map((span) => ({ ...span, found: span.found && left.delete(span.text.toLowerCase()) }));
}

/** Whether an item contains any of the terms. */
export function matches(item: Pick<ItemView, 'actor' | 'title' | 'body' | 'html'>, terms: readonly string[]): boolean {
  const find = pattern(terms);
  // Tags and their attributes are not searched.
  const body = item.html ? item.body.replaceAll(/<[^>]*>/g, ' ') : item.body;
  return find !== null && [item.actor, item.title, body].some((text) => text.search(find) >= 0);
}

/** Wraps the terms found in an element into `mark`. */
export function markFound(root: HTMLElement, terms: readonly string[]): void {
  if (terms.length === 0) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement?.closest('button, mark')) texts.push(node as Text);
  }
  for (const node of texts) {
    const spans = spansOf(node.data, terms);
    if (!spans.some((span) => span.found)) continue;
    node.replaceWith(
      ...spans.map((span) => {
        if (!span.found) return span.text;
        const mark = document.createElement('mark');
        mark.textContent = span.text;
        return mark;
      }),
    );
  }
}
