// What a document without a layout lacks: sizes, so that lists have rows, and a few newer functions.
import { afterEach, vi } from 'vitest';

const HEIGHT = 800;

Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { configurable: true, get: () => HEIGHT });
Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, get: () => 400 });
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => HEIGHT });
Element.prototype.scrollTo = function scrollTo(this: Element, to?: ScrollToOptions | number) {
  if (typeof to === 'object') this.scrollTop = to.top ?? 0;
};

class Sizes implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
vi.stubGlobal('ResizeObserver', Sizes);

/** Which media queries hold; tests add to it. */
export const media = new Set<string>();
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: media.has(query),
  media: query,
  addEventListener: () => {},
  removeEventListener: () => {},
}));

HTMLCanvasElement.prototype.getContext = () => null;

afterEach(async () => {
  // What was put off to the next frame finds its document still there.
  await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
  vi.restoreAllMocks();
  media.clear();
  document.documentElement.removeAttribute('data-ready');
});
