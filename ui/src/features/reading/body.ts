// What the page adds to a sanitised body. Adds elements of its own only; never parses text as HTML.
import { markFound } from '../../components/found';
import type { Words } from '../../i18n/en';
import { copyText } from '../../state/acts';
import { languageOf } from './code/languages';

const SVG = 'http://www.w3.org/2000/svg';

function icon(name: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'i');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#icon-${name}`);
  svg.append(use);
  return svg;
}

function copyCode(root: HTMLElement, t: Words): void {
  for (const pre of root.querySelectorAll('pre')) {
    const box = document.createElement('div');
    box.className = 'code';
    pre.replaceWith(box);
    pre.tabIndex = 0;
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

/** Colours code whose language is named and known. What colours it is fetched only when there is such code. */
async function colourCode(code: HTMLElement, words: readonly string[]): Promise<void> {
  const language = languageOf(code.dataset.language ?? '');
  const text = code.textContent;
  if (!language || text.length > LONGEST_COLOURED) return;
  const { coloured } = await import('./code/colour');
  code.replaceChildren(...(await coloured(text, language)));
  markFound(code, words);
}

/** Images from elsewhere are named, and load when asked for. */
function offerImages(root: HTMLElement, t: Words): void {
  for (const span of root.querySelectorAll<HTMLElement>('[data-image]')) {
    const address = span.dataset.image ?? '';
    if (!/^https?:/i.test(address)) continue;
    const box = document.createElement('span');
    box.className = 'remote-image';
    const words = document.createElement('span');
    words.className = 'ell';
    words.textContent = t.imageFrom(span.dataset.host ?? new URL(address).host);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn small';
    button.textContent = t.show;
    button.addEventListener('click', () => {
      const image = document.createElement('img');
      image.referrerPolicy = 'no-referrer';
      image.alt = span.textContent;
      image.src = address;
      box.replaceWith(image);
    });
    box.append(icon('image'), words, button);
    span.replaceWith(box);
  }
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

export function dressBody(root: HTMLElement, words: readonly string[], t: Words): void {
  copyCode(root, t);
  offerImages(root, t);
  boxTables(root);
  markFound(root, words);
  for (const code of root.querySelectorAll<HTMLElement>('code[data-language]')) {
    // Where the grammar cannot be had the code stays as it is, which reads as well.
    colourCode(code, words).catch(() => {});
  }
}
