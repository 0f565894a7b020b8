// What settings change on the root of the document: theme, density, language, widths.
import type { Settings } from '../../generated/Settings';

/** Widths as the look has them, px; left to the stylesheet, which knows the density. */
export const USUAL = { places: 224, list: 400 };

export function dress(settings: Settings): void {
  const root = document.documentElement;
  root.lang = settings.lang_now;
  if (settings.theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  root.dataset.density = settings.density;
  width(root, '--places-set', settings.places_width, USUAL.places);
  width(root, '--list-set', settings.list_width, USUAL.list);
}

/** Shows a width while it is dragged. */
export function widen(pane: 'places' | 'list', px: number): void {
  width(document.documentElement, `--${pane}-set`, px, USUAL[pane]);
}

function width(root: HTMLElement, name: string, px: number, usual: number): void {
  if (px === usual) root.style.removeProperty(name);
  else root.style.setProperty(name, `${px}px`);
}
