// The position of a menu or popover: beside its anchor, towards free space, inside the window.

/** The least distance to the edges of the window, px. */
const MARGIN = 8;

export interface Placement {
  /** The side that is preferred if there is room on it. */
  readonly first?: 'above' | 'below';
  readonly align?: 'start' | 'end';
  /** The distance by which the box begins before its anchor, px. */
  readonly before?: number;
  /** The distance between box and anchor, px. */
  readonly gap?: number;
}

/** Positions `box`, which is `position: fixed`, above or below all of `what`. */
export function placeBeside(box: HTMLElement, what: readonly HTMLElement[], place: Placement = {}): void {
  const { first = 'below', align = 'start', before = 0, gap = 8 } = place;
  const own = box.getBoundingClientRect();
  const all = what.map((one) => one.getBoundingClientRect());
  const left = Math.min(...all.map((one) => one.left));
  const right = Math.max(...all.map((one) => one.right));
  const above = Math.min(...all.map((one) => one.top)) - own.height - gap;
  const below = Math.max(...all.map((one) => one.bottom)) + gap;
  const fits = { above: above >= MARGIN, below: below + own.height <= innerHeight - MARGIN };
  const up = first === 'above' ? fits.above || !fits.below : !fits.below && fits.above;
  const start = left - before;
  const most = innerWidth - own.width - MARGIN;
  const x = align === 'end' || start > most ? right - own.width : start;
  box.style.left = `${Math.max(MARGIN, Math.min(x, most))}px`;
  box.style.top = `${Math.max(MARGIN, Math.min(up ? above : below, innerHeight - own.height - MARGIN))}px`;
}

/** Whether an element is scrolled out of sight in its scrolling container. */
function isOutOf(scroller: EventTarget | null, one: HTMLElement): boolean {
  if (!(scroller instanceof Element) || !scroller.contains(one)) return false;
  const view = scroller.getBoundingClientRect();
  const { top, bottom } = one.getBoundingClientRect();
  return bottom <= view.top || top >= view.bottom;
}

/** Keeps `box` beside `one` while that scrolls or the window changes its size; `gone` is called when it scrolls out of
 * sight. Returns the function that ends this. */
export function keepBeside(box: HTMLElement, one: HTMLElement, place: Placement, gone: () => void): () => void {
  const stand = () => placeBeside(box, [one], place);
  const off = new AbortController();
  const { signal } = off;
  addEventListener('resize', stand, { signal });
  addEventListener('scroll', ({ target }) => (isOutOf(target, one) ? gone() : stand()), { signal, capture: true });
  stand();
  return () => off.abort();
}
