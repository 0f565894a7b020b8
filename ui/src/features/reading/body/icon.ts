// Creates an icon of the page's set, for elements that are not made by Svelte.

import { symbol } from '../../../components/icons/symbols';
import type { IconName } from '../../../icons';

const SVG = 'http://www.w3.org/2000/svg';

export function icon(name: IconName): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', symbol(name));
  svg.append(use);
  return svg;
}
