// Highlights searched terms in texts and elements. Which items a search finds is decided by the program.
import type { ItemView } from '../../generated/ItemView';
import type { Span } from '../../generated/Span';
import { termsOf } from '../../state/search/query-text';

/** The terms of a query, longest first, without conditions such as `from:bo`. */
export function searchTerms(search: string | null): string[] {
  return search === null ? [] : termsOf(search);
}

function pattern(terms: readonly string[]): RegExp | null {
  if (terms.length === 0) return null;
  return new RegExp(terms.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'giu');
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

/** The number of characters that are shown before a term that was found further on in a text. */
const BEFORE = 16;

/** A text from shortly before the first found term on, if the beginning may leave no room for it. */
export function fromHit(text: string, terms: readonly string[]): string {
  const find = pattern(terms);
  const at = find ? text.search(find) : -1;
  if (at <= 2 * BEFORE) return text;
  const start = text.lastIndexOf(' ', at - BEFORE);
  return `…${text.slice(start > at - 2 * BEFORE ? start + 1 : at - BEFORE)}`;
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
