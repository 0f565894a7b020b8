// A layout for the reading pane, which a test's document lacks: its items, one below the other.
import { vi } from 'vitest';
import { find } from './page';

/** The height of the pane, px. */
export const PANE = 600;

export const pane = () => find('.reading-pane .scroll');

class Rect {
  constructor(
    readonly left = 0,
    readonly top = 0,
    readonly width = 0,
    readonly height = 0,
  ) {}
  get bottom() {
    return this.top + this.height;
  }
  get right() {
    return this.left + this.width;
  }
}
vi.stubGlobal('DOMRect', Rect);

/** Gives the items of the open thread a height each. In a conversation the scroll position counts `fromEnd`, and up is
 * negative. */
export function layOut(heightOf: (msgid: string) => number, fromEnd = false): void {
  const heights = (items: readonly HTMLElement[]) =>
    items.reduce((sum, item) => sum + heightOf(item.dataset.itemMsgid ?? ''), 0);
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    if (this.matches('.reading-pane .scroll')) return new DOMRect(0, 0, 400, PANE);
    const { itemMsgid } = (this as HTMLElement).dataset;
    if (itemMsgid === undefined) return new DOMRect();
    const all = [...document.querySelectorAll<HTMLElement>('.reading-pane [data-item-msgid]')];
    const start = fromEnd ? heights(all) - PANE : 0;
    const top = heights(all.slice(0, all.indexOf(this as HTMLElement)));
    return new DOMRect(0, top - start - pane().scrollTop, 400, heightOf(itemMsgid));
  });
}

export function scrollTo(px: number): void {
  pane().scrollTop = px;
  pane().dispatchEvent(new Event('scroll'));
}
