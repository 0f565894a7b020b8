// Applies theme, density, size of text, language and pane widths as attributes and properties of the root element.
import { defaultSettings } from '../../generated/defaults';
import type { Settings } from '../../generated/Settings';

/** The default widths of panes, px. The stylesheet sets them itself, as they depend on the density. */
export const DEFAULT_WIDTHS = { places: defaultSettings.places_width, list: defaultSettings.list_width };

export function applyAppearance(settings: Settings): void {
  const root = document.documentElement;
  root.lang = settings.lang_now;
  if (settings.theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  root.dataset.density = settings.density;
  if (settings.scale.text === 100) root.style.removeProperty('--text-scale');
  else root.style.setProperty('--text-scale', String(settings.scale.text / 100));
  setWidth(root, '--places-set', settings.places_width, DEFAULT_WIDTHS.places);
  setWidth(root, '--list-set', settings.list_width, DEFAULT_WIDTHS.list);
}

/** Writes in the desktop's font by its name: `system-ui` is looked up for every size and weight, which makes the first list
 * 40 ms later. */
export function applyFont(family: string | null): void {
  const root = document.documentElement;
  if (family === null) root.style.removeProperty('--font-desktop');
  else root.style.setProperty('--font-desktop', JSON.stringify(family));
}

/** Applies a width while it is dragged. */
export function previewWidth(pane: 'places' | 'list', px: number): void {
  setWidth(document.documentElement, `--${pane}-set`, px, DEFAULT_WIDTHS[pane]);
}

function setWidth(root: HTMLElement, name: string, px: number, initial: number): void {
  if (px === initial) root.style.removeProperty(name);
  else root.style.setProperty(name, `${px}px`);
}
