// What the page adds to a sanitised body. Adds elements of its own only; never parses text as HTML.
import { markFound } from '../../../components/text/highlight';
import { copyText } from '../../../dom/clipboard';
import type { Strings } from '../../../i18n/en';
import { leadsElsewhere } from '../item/links';
import { icon } from './icon';
import { type LoadImage, offerImages } from './images';
import { languageOf } from './languages';

function copyCode(root: HTMLElement, t: Strings): void {
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

/** Code that is longer, in characters, stays plain: colouring it would hold the page up. */
const LONGEST_COLOURED = 20_000;
/** Characters of code that are coloured in one body. */
const MOST_COLOURED = 60_000;
/** A block counts as at least so many characters. */
const LEAST_COUNTED = 400;
/** Grammars search a line again and again: code with a longer one, in characters, stays plain. */
const LONGEST_LINE = 2_000;

/** Colours code whose language is named and known. What colours it is fetched only when there is such code. */
async function colourCode(code: HTMLElement, terms: readonly string[]): Promise<void> {
  const language = languageOf(code.dataset.language ?? '');
  const text = code.textContent;
  if (!language) return;
  if (text.split('\n').some((line) => line.length > LONGEST_LINE)) return;
  const { coloured } = await import('./highlight-code');
  code.replaceChildren(...(await coloured(text, language)));
  markFound(code, terms);
}

/** Whether a cell is a figure: a number, perhaps with a unit. */
function isFigure(text: string): boolean {
  return /^[-−+±~≈<>]?\s?\p{Sc}?\s?\d/u.test(text) && text.length <= 16;
}

/** Columns of figures stand on the right, unless their writer said otherwise. */
function alignFigures(table: HTMLTableElement): void {
  const [head, ...rows] = [...table.rows];
  if (!head || rows.length === 0) return;
  for (const [at, cell] of [...head.cells].entries()) {
    const column = rows.flatMap((row) => row.cells[at] ?? []);
    if (!column.every((one) => isFigure(one.textContent.trim()))) continue;
    for (const one of [cell, ...column]) one.classList.add('is-figure');
  }
}

/** Wide tables scroll sideways on their own. */
function boxTables(root: HTMLElement): void {
  for (const table of root.querySelectorAll('table')) {
    alignFigures(table);
    const box = document.createElement('div');
    box.className = 'table';
    table.replaceWith(box);
    box.append(table);
  }
}

/** Where a link leads is seen before it is followed, and told beside one whose text names another place. */
function nameLinks(root: HTMLElement, t: Strings): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    const url = link.getAttribute('href') ?? '';
    link.title = url;
    const elsewhere = leadsElsewhere(link.textContent, url);
    if (elsewhere === null) continue;
    const told = document.createElement('span');
    told.className = 'leads-to';
    told.textContent = ` ${t.leadsTo(elsewhere)}`;
    link.after(told);
  }
}

/** What is wider than its place can be scrolled with the keys too; the rest is no stop on their way. */
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

/** Answers what takes back what it began. */
export function enhanceBody(root: HTMLElement, terms: readonly string[], t: Strings, image: LoadImage): () => void {
  copyCode(root, t);
  nameLinks(root, t);
  offerImages(root, t, image);
  boxTables(root);
  markFound(root, terms);
  let left = MOST_COLOURED;
  for (const code of root.querySelectorAll<HTMLElement>('code[data-language]')) {
    // A block costs something by itself, however short it is.
    const { length } = code.textContent;
    if (length > LONGEST_COLOURED) continue;
    left -= Math.max(length, LEAST_COUNTED);
    if (left < 0) break;
    // Where the grammar cannot be had the code stays as it is, which reads as well.
    colourCode(code, terms).catch(() => {});
  }
  return stopWhereItScrolls(root);
}
