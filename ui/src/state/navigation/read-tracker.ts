// Tracks the rows that are on screen for 600 ms, which become seen.
import type { Platform } from '../../platform/platform';
import type { ThreadList } from '../list/thread-list.svelte';

const MOMENT = 600;

export class ReadTracker {
  readonly #visible = new Set<number>();
  #seeing: ReturnType<typeof setTimeout> | undefined;

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

  /** Forgets what was on screen when another list is shown. */
  reset(): void {
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
