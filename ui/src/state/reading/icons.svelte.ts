// The icons that publishers named, each asked for once. The program says which are shown.
import { SvelteMap } from 'svelte/reactivity';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';

/** The most icons that are kept; each has at most 256 KiB. */
const MOST = 200;

export class Icons {
  /** The pictures as data URLs; null for an icon that is not shown. */
  readonly #pictures = new SvelteMap<string, string | null>();
  readonly #asked = new Set<string>();

  constructor(
    private readonly platform: Platform,
    private readonly feedback: Feedback,
  ) {}

  /** The picture of an icon; null until it is here, or if it is not shown. */
  of(source: number, address: string): string | null {
    return this.#pictures.get(key(source, address)) ?? null;
  }

  /** Whether it is known what is shown for an icon. */
  has(source: number, address: string): boolean {
    return this.#pictures.has(key(source, address));
  }

  /** Asks the program once whether an icon is shown. */
  async load(source: number, address: string): Promise<void> {
    const name = key(source, address);
    if (this.#asked.has(name)) return;
    this.#asked.add(name);
    try {
      this.#keep(name, await this.#get(source, address, false));
    } catch {
      // The avatar without the icon stands for itself.
      this.#keep(name, null);
    }
  }

  /** Fetches an icon that the reader asked for. */
  fetch(source: number, address: string): Promise<void> {
    return this.feedback.attempt(async () => {
      this.#keep(key(source, address), await this.#get(source, address, true));
    });
  }

  /** Asks again for what was not shown, after a setting changed. */
  reload(): void {
    for (const [name, picture] of this.#pictures) {
      if (picture !== null) continue;
      this.#asked.delete(name);
      this.#pictures.delete(name);
    }
  }

  async #get(source: number, address: string, fetch: boolean): Promise<string | null> {
    const preview = await this.platform.icon(source, address, fetch);
    return preview.preview === 'image' ? preview.src : null;
  }

  #keep(name: string, picture: string | null): void {
    const oldest = this.#pictures.keys().next().value;
    if (this.#pictures.size >= MOST && oldest !== undefined) {
      this.#asked.delete(oldest);
      this.#pictures.delete(oldest);
    }
    this.#pictures.set(name, picture);
  }
}

const key = (source: number, address: string) => `${source} ${address}`;
