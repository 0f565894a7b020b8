// Where the list is scrolled to: what stays in place while rows come and go, and what is brought into view.
import { untrack } from 'svelte';
import type { Stores } from '../../../state/stores';
import type { Rows } from './geometry';

/** The distance from the top within which the list counts as scrolled to its top, px. */
const TOP = 8;

/** The list as it is drawn. */
interface Drawn {
  /** The distance from the top, px. It is stored, as is the height: reading either from the document would force a
   * layout. */
  scrolled: number;
  readonly place: Rows;
  /** The indices of the first and the last row in the document. */
  readonly first: number;
  readonly last: number;
}

export class RowsScroll {
  box: HTMLDivElement | null = $state(null);
  /** The visible height, px, once it is known. */
  height = $state(0);
  /** Whether the list is on screen. In one pane it is not while a thread is read, and loses its scroll position. */
  readonly #visible = $derived(this.height > 0);
  /** The uppermost row that is wholly visible, and its distance from the upper edge, px. */
  #anchor: { id: number; from: number } | null = null;
  /** Whether the list continued above when its rows last changed. */
  #above = false;
  /** The rows at the last update of the document. */
  #inDocument: readonly number[] | null = null;

  constructor(
    private readonly stores: Stores,
    private readonly drawn: Drawn,
  ) {
    const { list, navigation } = stores;
    /** The height at the upper edge that headings cover, px. */
    const head = $derived(drawn.place.head);

    // A row of which less than half can be seen is not on screen.
    $effect(() => {
      const { place, scrolled } = drawn;
      const half = place.height / 2;
      list.firstOnScreen = place.from(scrolled + place.head - half);
      list.lastOnScreen = place.at(scrolled + this.height - half);
    });

    // Rows and headings that come or leave further up do not move the visible rows.
    $effect(() => {
      void [list.ids, head];
      untrack(() => this.#stay());
    });

    // A new list starts at its top, or at its end after a jump there.
    $effect(() => {
      void list.shown;
      this.#anchor = null;
      untrack(() => {
        const to = list.above && !list.below ? drawn.place.whole : 0;
        this.moveTo(to);
        // It is at its top before its first layout, and while it is not on screen. A list that stays at its top is not
        // asked where it is, since that would force a layout.
        if (to > 0 || drawn.scrolled > 0) drawn.scrolled = this.#visible ? (this.box?.scrollTop ?? 0) : 0;
      });
    });

    // The current row is scrolled into view when another thread becomes current, not when rows move. If nothing else
    // changed, this happens before the document is updated, as scrolling an updated one would lay it out twice.
    $effect.pre(() => {
      const id = navigation.threadId;
      untrack(() => {
        if (list.ids === this.#inDocument) this.#bringIntoSight(id);
      });
    });
    $effect(() => {
      if (this.#visible && this.box) this.box.scrollTop = untrack(() => drawn.scrolled);
    });
    $effect(() => {
      const id = navigation.threadId;
      void [list.shown, this.#visible];
      untrack(() => this.#bringIntoSight(id));
    });
    $effect(() => {
      this.#inDocument = list.ids;
    });

    // Loads more before an end of the loaded rows comes into view.
    $effect(() => {
      void [drawn.first, drawn.last, list.ids];
      untrack(() => this.#loadMore());
    });
  }

  /** Keeps the height, which the document tells after it was laid out. */
  readonly watchHeight = (element: HTMLElement): (() => void) => {
    const sizes = new ResizeObserver(() => {
      this.height = element.clientHeight;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  };

  /** Scrolls, and notifies all listeners at once, so that no frame shows rows at a former position. */
  moveTo(px: number): void {
    const { place, scrolled } = this.drawn;
    const to = Math.max(0, Math.min(px, place.whole - this.height));
    if (!this.box || Math.abs(scrolled - to) < 0.5) return;
    this.box.scrollTop = to;
    this.box.dispatchEvent(new Event('scroll'));
  }

  /** Keeps the position to which the list was scrolled. */
  readonly onScroll = (): void => {
    if (!this.box || !this.#visible) return;
    const { drawn } = this;
    const { feedback, list } = this.stores;
    drawn.scrolled = this.box.scrollTop;
    const wasAtTop = list.atTop;
    list.atTop = drawn.scrolled < TOP;
    const first = drawn.place.from(drawn.scrolled + drawn.place.head);
    const id = list.ids[first];
    list.topVisible = id ?? null;
    this.#anchor = id === undefined ? null : { id, from: drawn.place.topOf(first) - drawn.scrolled };
    if (list.atTop && !wasAtTop && list.hasPending && !list.above) void list.admitPending().catch(feedback.fail);
  };

  /** The id of the row at this height of the window, or of the nearest one. */
  idNear(clientY: number): number | null {
    if (!this.box) return null;
    const px = clientY - this.box.getBoundingClientRect().top + this.box.scrollTop;
    return this.stores.list.ids[this.drawn.place.at(px)] ?? null;
  }

  /** Scrolls a bit if the pointer is near an edge or beyond it. */
  scrollTowards(clientY: number): void {
    if (!this.box) return;
    const { top, bottom } = this.box.getBoundingClientRect();
    const half = this.drawn.place.height / 2;
    this.box.scrollTop += Math.min(0, clientY - top - half) / 4 + Math.max(0, clientY - bottom + half) / 4;
  }

  #stay(): void {
    const { list } = this.stores;
    const first = !this.#above && !list.above;
    this.#above = list.above;
    if (this.#anchor === null || (first && this.drawn.scrolled < TOP)) return;
    const index = list.indexOf(this.#anchor.id);
    if (index >= 0) this.moveTo(this.drawn.place.topOf(index) - this.#anchor.from);
  }

  #bringIntoSight(id: number | null): void {
    const index = this.stores.list.indexOf(id);
    if (index < 0 || !this.#visible) return;
    const { place, scrolled } = this.drawn;
    const top = place.topOf(index);
    if (top - place.head < scrolled) this.moveTo(index === 0 ? 0 : top - place.head);
    else if (top + place.height > scrolled + this.height) this.moveTo(top + place.height - this.height + 8);
  }

  #loadMore(): void {
    const { feedback, list } = this.stores;
    const { place, scrolled } = this.drawn;
    list.loadNear(place.at(scrolled), place.at(scrolled + this.height)).catch(feedback.fail);
  }
}
