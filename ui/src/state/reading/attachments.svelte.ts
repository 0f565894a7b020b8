// The files that came with items: how far each one is, and what of it is shown. Fetches nothing that was not asked for.
import { SvelteMap } from 'svelte/reactivity';
import type { FileState } from '../../generated/FileState';
import type { Preview } from '../../generated/Preview';
import type { Platform } from '../../platform/platform';

/** What is done with a file once it is here. */
type Wish = 'show' | 'save';

export interface Held {
  /** None before it was asked for. */
  readonly state: FileState | null;
  /** What is shown of it. */
  readonly preview: Preview | null;
}

const NOTHING: Held = { state: null, preview: null };

export class Files {
  readonly #held = new SvelteMap<string, Held>();
  readonly #wishes = new Map<string, Wish>();
  readonly #platform: Platform;
  /** Says what was done, or what went wrong. */
  readonly #tell: (text: string) => void;
  readonly #fail: (error: unknown) => void;

  constructor(platform: Platform, tell: (text: string) => void, fail: (error: unknown) => void) {
    this.#platform = platform;
    this.#tell = tell;
    this.#fail = fail;
  }

  of(thread: number, msgid: string): Held {
    return this.#held.get(key(thread, msgid)) ?? NOTHING;
  }

  /** Fetches it where it is not here yet, then shows it under its name. */
  show(thread: number, msgid: string): Promise<void> {
    return this.#want(thread, msgid, 'show');
  }

  hide(thread: number, msgid: string): void {
    this.#change(thread, msgid, { preview: null });
  }

  /** Fetches it where it is not here yet, then asks where to put it. */
  save(thread: number, msgid: string): Promise<void> {
    return this.#want(thread, msgid, 'save');
  }

  async cancel(thread: number, msgid: string): Promise<void> {
    this.#wishes.delete(key(thread, msgid));
    try {
      await this.#platform.cancelFile(thread, msgid);
      this.#change(thread, msgid, { state: null });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The program says how far a file is. */
  hear(thread: number, msgid: string, state: FileState): void {
    const name = key(thread, msgid);
    const wish = this.#wishes.get(name);
    // What was given up in the meantime is not heard of any more.
    if (wish === undefined && state.state !== 'here') return;
    this.#change(thread, msgid, { state });
    if (state.state === 'fetching') return;
    this.#wishes.delete(name);
    if (wish !== undefined && state.state === 'here') void this.#fulfil(thread, msgid, wish);
  }

  async #want(thread: number, msgid: string, wish: Wish): Promise<void> {
    const name = key(thread, msgid);
    const waits = this.#wishes.has(name);
    this.#wishes.set(name, wish);
    if (waits) return;
    try {
      const state = await this.#platform.fetchFile(thread, msgid);
      // It may have been heard of already, or given up.
      if (this.#wishes.has(name)) this.hear(thread, msgid, state);
    } catch (error) {
      this.#wishes.delete(name);
      this.#fail(error);
    }
  }

  async #fulfil(thread: number, msgid: string, wish: Wish): Promise<void> {
    try {
      if (wish === 'show') {
        this.#change(thread, msgid, { preview: await this.#platform.previewFile(thread, msgid) });
        return;
      }
      const done = await this.#platform.saveFile(thread, msgid);
      if (done) this.#tell(done.text);
    } catch (error) {
      this.#fail(error);
    }
  }

  #change(thread: number, msgid: string, change: Partial<Held>): void {
    this.#held.set(key(thread, msgid), { ...this.of(thread, msgid), ...change });
  }
}

function key(thread: number, msgid: string): string {
  return `${thread}/${msgid}`;
}
