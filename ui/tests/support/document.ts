// Stubs for what a document without a layout lacks: sizes, so that lists have rows, and a few newer functions. They are
// made once for all files of tests in a process, as the page's own modules are.
import { vi } from 'vitest';
import { answer, type HighlightRequest } from '../../src/features/reading/body/highlight-code';
import type { HighlightWorker } from '../../src/features/reading/body/highlighter';

const HEIGHT = 800;

Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { configurable: true, get: () => HEIGHT });
Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, get: () => 400 });
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => HEIGHT });
Element.prototype.scrollTo = function scrollTo(this: Element, to?: ScrollToOptions | number) {
  if (typeof to === 'object') this.scrollTop = to.top ?? 0;
};

class Sizes implements ResizeObserver {
  static readonly all = new Set<Sizes>();
  readonly #watched = new Set<Element>();
  readonly #tell: ResizeObserverCallback;
  constructor(tell: ResizeObserverCallback) {
    this.#tell = tell;
  }
  observe(element: Element): void {
    Sizes.all.add(this);
    this.#watched.add(element);
    // As in a document, its first size is told later.
    queueMicrotask(() => this.tell(element));
  }
  unobserve(element: Element): void {
    this.#watched.delete(element);
  }
  disconnect(): void {
    Sizes.all.delete(this);
    this.#watched.clear();
  }
  tell(target: Element): void {
    if (this.#watched.has(target)) this.#tell([{ target } as ResizeObserverEntry], this);
  }
}
vi.stubGlobal('ResizeObserver', Sizes);

/** Gives an element another height, and notifies its resize observers. */
export function resize(element: Element, height: number): void {
  Object.defineProperty(element, 'clientHeight', { configurable: true, get: () => height });
  for (const sizes of Sizes.all) sizes.tell(element);
}

/** The page's one worker, which answers on the same thread. */
class SameThread {
  onmessage: HighlightWorker['onmessage'] = null;
  onerror: HighlightWorker['onerror'] = null;
  postMessage(question: HighlightRequest): void {
    void answer(question, (data) => this.onmessage?.(new MessageEvent('message', { data })));
  }
  terminate(): void {
    this.onmessage = null;
  }
}
vi.stubGlobal('Worker', SameThread);

/** The media queries that match; tests add to it. */
export const media = new Set<string>();
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: media.has(query),
  media: query,
  addEventListener: () => {},
  removeEventListener: () => {},
}));

// A document without a window has the focus only if an element has it.
Document.prototype.hasFocus = () => true;

HTMLCanvasElement.prototype.getContext = () => null;
