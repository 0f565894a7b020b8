// Which items of a pane are on screen, so that they can be read there.

/** How much an item's end may be below the edge and still be seen, px. */
const SLACK = 1;

/**
 * The items that can be read as they are on screen: their end is, or they fill half of the pane, as long ones do. If the
 * document has no layout, all.
 */
export function itemsOnScreen(box: HTMLElement): string[] {
  const { top, bottom, height } = box.getBoundingClientRect();
  const items = [...box.querySelectorAll<HTMLElement>('[data-item-msgid]')];
  return items.flatMap((item) => {
    const place = item.getBoundingClientRect();
    const ends = place.bottom >= top && place.bottom <= bottom + SLACK;
    const shown = Math.min(place.bottom, bottom) - Math.max(place.top, top);
    const { itemMsgid } = item.dataset;
    return itemMsgid !== undefined && (ends || (height > 0 && shown >= height / 2)) ? [itemMsgid] : [];
  });
}

interface Watch {
  /** Gets the items on screen; none when the element goes. */
  readonly report: (msgids: readonly string[]) => void;
  /** What the element shows: when it changes, the items on screen may have. */
  readonly shown: unknown;
}

/** An action that reports the items on screen whenever they may have changed, with the next frame. */
export function watchItems(box: HTMLElement, { report }: Watch) {
  let asked = 0;
  // It looks once a frame: a scroll event comes for each of many small moves.
  const look = () => {
    if (asked === 0)
      asked = requestAnimationFrame(() => {
        asked = 0;
        report(itemsOnScreen(box));
      });
  };
  box.addEventListener('scroll', look, { passive: true });
  const sizes = new ResizeObserver(look);
  sizes.observe(box);
  if (box.firstElementChild) sizes.observe(box.firstElementChild);
  look();
  const destroy = () => {
    cancelAnimationFrame(asked);
    box.removeEventListener('scroll', look);
    sizes.disconnect();
    report([]);
  };
  return { update: look, destroy };
}
