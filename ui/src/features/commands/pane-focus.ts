// Moves the focus between panes, and scrolls panes by pages.
import { tick } from 'svelte';
import type { Place } from '../../generated/Place';
import { placeName } from '../../state/marks/marks';
import type { Stores } from '../../state/stores';

type Pane = 'places' | 'list' | 'reading-pane';

/** The elements of each pane that take its focus, in order of preference. */
const stops: Record<Pane, readonly string[]> = {
  places: ['.places [aria-current]', '.places [data-place]'],
  list: ['.list [role="listbox"]', '.list .empty'],
  'reading-pane': ['.reading-pane .scroll', '.has-settings main .scroll', '.digest .scroll'],
};

function stop(pane: Pane): HTMLElement | null {
  const found = stops[pane].map((one) => document.querySelector<HTMLElement>(one));
  return found.find((one) => one !== null && one.checkVisibility?.() !== false) ?? null;
}

/** The pane that has the focus after the next frame; null if it stays. */
let ahead: Pane | null = null;

/** The pane to which the focus is on its way: keys are meant for it already. */
export function paneAhead(): Pane | null {
  return ahead;
}

/** What keeps the focus that it received meanwhile: fields, and what lies over the panes. */
const KEEPS = [
  'input, textarea, select, [contenteditable="true"]',
  '[role="dialog"], [role="dialog"] *',
  '[role="menu"], [role="menu"] *',
].join(', ');

/** Focuses a pane after the next frame, unless a field, a dialog or a menu has received the focus meanwhile. */
export function focusPane(pane: Pane): void {
  const before = document.activeElement;
  ahead = pane;
  requestAnimationFrame(() => {
    ahead = null;
    const now = document.activeElement;
    if (now !== before && now?.matches(KEEPS)) return;
    stop(pane)?.focus({ preventScroll: true });
  });
}

/** Focuses a pane after the next frame, if no visible element has the focus. */
export function regainFocus(pane: Pane): void {
  const before = document.activeElement;
  requestAnimationFrame(() => {
    const at = document.activeElement;
    const none = at === null || at === document.body;
    // What receives the focus meanwhile keeps it, although it may not be laid out yet.
    if (none || (at === before && at.checkVisibility?.() === false)) stop(pane)?.focus({ preventScroll: true });
  });
}

/** Focuses the line of a place. */
export async function focusPlace(place: Place): Promise<void> {
  await tick();
  document.querySelector<HTMLElement>(`[data-place="${placeName(place)}"]`)?.focus();
}

/** Focuses the thread that is being opened: in a conversation the composer, as soon as it is on screen. */
export function focusThread(stores: Stores, id: number, isConversation: boolean): void {
  const { reading, typeAhead } = stores;
  if (!isConversation) {
    focusPane('reading-pane');
    return;
  }
  typeAhead.await(id);
  void reading.loaded.then(() => {
    if (reading.id !== id && typeAhead.thread === id) typeAhead.cancel();
  });
}

/** Focuses the composer of the open conversation; false if there is none. */
export function focusComposer(): boolean {
  const field = document.querySelector<HTMLElement>('.composer textarea');
  field?.focus();
  return field !== null;
}

/** Focuses the next or previous item of the open thread, from outside the first or last one on screen; false at the end. */
export function focusItem(by: 1 | -1): boolean {
  const box = stop('reading-pane');
  const all = [...document.querySelectorAll<HTMLElement>('.reading-pane :is(.earlier, [data-item-msgid])')];
  if (!box || all.length === 0) return false;
  const { top, bottom } = box.getBoundingClientRect();
  const at = all.findIndex((item) => item.contains(document.activeElement));
  const seen = all.filter((item) => {
    const place = item.getBoundingClientRect();
    return place.bottom > top && place.top < bottom;
  });
  const shown = seen.length > 0 ? seen : all;
  const next = at >= 0 ? all[at + by] : shown.at(by > 0 ? 0 : -1);
  if (!next) return by > 0 && focusComposer();
  next.focus({ preventScroll: true });
  next.scrollIntoView?.({ block: 'nearest' });
  return true;
}

export function nextPane(by: 1 | -1): void {
  const panes: Pane[] = ['places', 'list', 'reading-pane'];
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

/** The button that leads to new items: that of the pane with the focus, else of the list. */
export function freshButton(focused?: EventTarget | null): HTMLElement | undefined {
  const reading = focused instanceof Element && focused.closest('.reading-pane') !== null;
  const panes = reading ? ['.reading-pane', '.list'] : ['.list', '.reading-pane'];
  const found = panes.map((pane) => document.querySelector<HTMLElement>(`${pane} [data-fresh]`));
  return found.find((one): one is HTMLElement => one !== null && one.checkVisibility?.() !== false);
}

/** Scrolls the reading pane down by a page; false at its end. */
export function scrollReading(): boolean {
  const pane = document.querySelector<HTMLElement>('.reading-pane .scroll');
  if (!pane) return false;
  const before = pane.scrollTop;
  pane.scrollTop += pane.clientHeight * 0.9;
  return Math.abs(pane.scrollTop - before) > 1;
}

/** Moves the current thread by as many rows as the list shows. */
export function pageDown(stores: Stores, by: 1 | -1): boolean {
  const list = document.querySelector<HTMLElement>('.list [role="listbox"]');
  const row = list?.querySelector<HTMLElement>('[role="option"]');
  if (!list || !row) return false;
  return stores.movement.move(by * Math.max(1, Math.floor(list.clientHeight / row.offsetHeight) - 1));
}
