// Tracks what is on screen for 600 ms: rows become seen, an open thread becomes read.
import type { Platform } from '../../platform/platform';
import type { ThreadList } from '../list/thread-list.svelte';

const MOMENT = 600;

export class ReadTracker {
  readonly #visible = new Set<number>();
  #seeing: ReturnType<typeof setTimeout> | undefined;
  #reading: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly list: ThreadList,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** Records the rows on screen. */
  rowsVisible(rows: readonly number[]): void {
    for (const id of rows) this.#visible.add(id);
    this.#seeing ??= setTimeout(() => this.#markSeen(), MOMENT);
  }

  /** Calls `read` after a moment, unless the reader moves on first. */
  threadVisible(read: () => void): void {
    clearTimeout(this.#reading);
    this.#reading = setTimeout(read, MOMENT);
  }

  /** The reader moved to another thread. */
  cancel(): void {
    clearTimeout(this.#reading);
  }

  /** Forgets what was on screen when another list is shown. */
  reset(): void {
    this.cancel();
    this.#visible.clear();
  }

  stop(): void {
    this.reset();
    clearTimeout(this.#seeing);
  }

  #markSeen(): void {
    this.#seeing = undefined;
    if (!document.hasFocus()) return;
    const seen = this.list.see([...this.#visible]);
    this.#visible.clear();
    if (seen.length > 0) this.platform.mark(seen, { op: 'seen' }).catch(this.fail);
  }
}
