// Moving the focus between panes, and paging them.
import { move } from '../../state/acts';
import type { Page } from '../../state/page.svelte';

type Pane = 'places' | 'list' | 'read';

const stops: Record<Pane, string> = {
  places: '.places [aria-current], .places [data-place]',
  list: '.list [role="listbox"]',
  read: '.read .scroll',
};

function stop(pane: Pane): HTMLElement | null {
  const found = document.querySelector<HTMLElement>(stops[pane]);
  return found?.checkVisibility?.() === false ? null : found;
}

export function focusPane(pane: Pane): void {
  requestAnimationFrame(() => stop(pane)?.focus({ preventScroll: true }));
}

/** Where one writes to the open conversation; false where nothing can be written. */
export function focusComposer(): boolean {
  const field = document.querySelector<HTMLElement>('.composer textarea');
  field?.focus();
  return field !== null;
}

export function nextPane(by: 1 | -1): void {
  const panes: Pane[] = ['places', 'list', 'read'];
  const at = panes.findIndex((pane) => document.activeElement?.closest(`.${pane}`));
  for (let step = 1; step <= panes.length; step += 1) {
    const pane = panes[(at + by * step + panes.length * 2) % panes.length];
    const found = pane && stop(pane);
    if (found) {
      found.focus({ preventScroll: true });
      return;
    }
  }
}

/** Pages the reading pane down; false at its end. */
export function scrollReading(): boolean {
  const pane = document.querySelector<HTMLElement>('.read .scroll');
  if (!pane) return false;
  const before = pane.scrollTop;
  pane.scrollTop += pane.clientHeight * 0.9;
  return Math.abs(pane.scrollTop - before) > 1;
}

/** Moves the choice by as many rows as the list shows. */
export function pageDown(page: Page, by: 1 | -1): boolean {
  const list = document.querySelector<HTMLElement>('.list [role="listbox"]');
  const row = list?.querySelector<HTMLElement>('[role="option"]');
  if (!list || !row) return false;
  return move(page, by * Math.max(1, Math.floor(list.clientHeight / row.offsetHeight) - 1));
}
