// Where a menu or a popover stands: beside what it belongs to, towards free space, inside the window.

/** To its edges, px. */
const MARGIN = 8;
const GAP = 8;

/** Sets `box`, which is `position: fixed`, above or below all of `what`: `first` where it has the room there. */
export function standBeside(
  box: HTMLElement,
  what: readonly HTMLElement[],
  first: 'above' | 'below' = 'below',
  align: 'start' | 'end' = 'start',
): void {
  const own = box.getBoundingClientRect();
  const all = what.map((one) => one.getBoundingClientRect());
  const left = Math.min(...all.map((one) => one.left));
  const right = Math.max(...all.map((one) => one.right));
  const above = Math.min(...all.map((one) => one.top)) - own.height - GAP;
  const below = Math.max(...all.map((one) => one.bottom)) + GAP;
  const fits = { above: above >= MARGIN, below: below + own.height <= innerHeight - MARGIN };
  const up = first === 'above' ? fits.above || !fits.below : !fits.below && fits.above;
  const x = align === 'end' || left + own.width > innerWidth - MARGIN ? right - own.width : left;
  box.style.left = `${Math.max(MARGIN, x)}px`;
  box.style.top = `${Math.max(MARGIN, Math.min(up ? above : below, innerHeight - own.height - MARGIN))}px`;
}
