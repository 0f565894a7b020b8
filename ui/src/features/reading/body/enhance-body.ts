// Enhances a sanitised body. It only adds elements of its own, and never parses text as HTML.

import { copyText } from '../../../dom/clipboard';
import type { AllStrings } from '../../../i18n/all';
import { markFound } from '../../../text/highlight';
import { leadsElsewhere } from '../item/links';
import type { HighlightRequest, Piece } from './highlight-code';
import { highlighter } from './highlighter';
import { icon } from './icon';
import { type ImageLoading, offerImages } from './images';
import { languageOf } from './languages';

function copyCode(root: HTMLElement, t: AllStrings): void {
  for (const pre of root.querySelectorAll('pre')) {
    const box = document.createElement('div');
    box.className = 'code';
    pre.replaceWith(box);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'icon-btn small';
    button.title = t.copyCode;
    button.setAttribute('aria-label', t.copyCode);
    button.append(icon('copy'));
    button.addEventListener('click', async () => {
      await copyText(pre.textContent);
      button.replaceChildren(icon('check'));
      button.title = t.copied;
      setTimeout(() => {
        button.replaceChildren(icon('copy'));
        button.title = t.copyCode;
      }, 2000);
    });
    box.append(pre, button);
  }
}

/** Longer code, in characters, stays plain, as its tokens would be many elements. */
const LONGEST_COLOURED = 20_000;
/** The bound of highlighted code in one body, in characters. */
const MOST_COLOURED = 60_000;
/** The least number of characters that a block counts, as each has a fixed cost. */
const LEAST_COUNTED = 400;
/** Code with a longer line, in characters, stays plain, as grammars search a line many times. */
const LONGEST_LINE = 2_000;

/** The blocks of code that may be highlighted: their language is named and known, and they are within the bounds. */
function highlightable(root: HTMLElement): { block: HTMLElement; question: HighlightRequest }[] {
  const found = [];
  let left = MOST_COLOURED;
  for (const block of root.querySelectorAll<HTMLElement>('code[data-language]')) {
    const language = languageOf(block.dataset.language ?? '');
    const code = block.textContent;
    if (code.length > LONGEST_COLOURED) continue;
    left -= Math.max(code.length, LEAST_COUNTED);
    if (left < 0) break;
    if (!language || code.split('\n').some((line) => line.length > LONGEST_LINE)) continue;
    found.push({ block, question: { language, code } });
  }
  return found;
}

function elementOf(piece: Piece): Node | string {
  if (typeof piece === 'string') return piece;
  const span = document.createElement('span');
  span.className = piece.classes;
  span.append(...piece.pieces.map(elementOf));
  return span;
}

/**
 * Highlights the code of a body. Code that was shown before has its colours at once. Other code is plain until its
 * tokens are found. If that takes too long, it stays plain, with the code after it.
 */
async function colourCode(root: HTMLElement, terms: readonly string[], ended: AbortSignal): Promise<void> {
  const waiting = [];
  const colour = (block: HTMLElement, pieces: readonly Piece[]) => {
    block.replaceChildren(...pieces.map(elementOf));
    markFound(block, terms);
  };
  for (const one of highlightable(root)) {
    const pieces = highlighter.kept(one.question);
    if (pieces) colour(one.block, pieces);
    else waiting.push(one);
  }
  for (const { block, question } of waiting) {
    const pieces = await highlighter.find(question, ended);
    if (ended.aborted || !pieces) return;
    colour(block, pieces);
  }
}

/** Whether a cell is a figure: a number, perhaps with a unit. */
function isFigure(text: string): boolean {
  return /^[-−+±~≈<>]?\s?\p{Sc}?\s?\d/u.test(text) && text.length <= 16;
}

/** Aligns columns of figures to the right, unless the body sets their alignment. */
function alignFigures(table: HTMLTableElement): void {
  const [head, ...rows] = [...table.rows];
  if (!head || rows.length === 0) return;
  for (const [at, cell] of [...head.cells].entries()) {
    const column = rows.flatMap((row) => row.cells[at] ?? []);
    if (!column.every((one) => isFigure(one.textContent.trim()))) continue;
    for (const one of [cell, ...column]) one.classList.add('is-figure');
  }
}

/** Wraps tables, so that wide ones scroll sideways on their own. */
function boxTables(root: HTMLElement): void {
  for (const table of root.querySelectorAll('table')) {
    alignFigures(table);
    const box = document.createElement('div');
    box.className = 'table';
    table.replaceWith(box);
    box.append(table);
  }
}

/**
 * Puts each link's address into its title, as the program shows it to people, and shows its host if its text names
 * another place.
 */
function nameLinks(root: HTMLElement, t: AllStrings): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    const url = link.getAttribute('href') ?? '';
    link.title = link.dataset.address ?? url;
    const elsewhere = leadsElsewhere(link.textContent, url, link.dataset.host);
    if (elsewhere === null) continue;
    const note = document.createElement('span');
    note.className = 'leads-to';
    note.textContent = ` ${t.leadsTo(elsewhere)}`;
    link.after(note);
  }
}

/** Makes elements that overflow sideways focusable, so that keys scroll them. Returns the function that stops this. */
function stopWhereItScrolls(root: HTMLElement): () => void {
  const sizes = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute('tabindex');
    }
  });
  for (const box of root.querySelectorAll('pre, .table')) sizes.observe(box);
  return () => sizes.disconnect();
}

/** Enhances a body. Returns the function that ends its observers and what it waits for. */
export function enhanceBody(
  root: HTMLElement,
  terms: readonly string[],
  t: AllStrings,
  images: ImageLoading,
): () => void {
  copyCode(root, t);
  nameLinks(root, t);
  offerImages(root, t, images);
  boxTables(root);
  markFound(root, terms);
  const ended = new AbortController();
  void colourCode(root, terms, ended.signal);
  const stop = stopWhereItScrolls(root);
  return () => {
    ended.abort();
    stop();
  };
}
