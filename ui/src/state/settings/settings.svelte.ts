// The settings in force: put on the page at once, then kept by the program, which has the last word.
import type { Settings } from '../../generated/Settings';
import { i18n } from '../../i18n/i18n.svelte';
import type { Page } from '../page.svelte';
import { dress } from './appearance';

export class Wearing {
  now: Settings | null = $state.raw(null);
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Puts settings in force on the page, without telling the program. */
  wear(settings: Settings): void {
    this.now = settings;
    i18n.lang = settings.lang_now;
    dress(settings);
  }

  /** Settings were changed elsewhere. */
  async adopt(settings: Settings): Promise<void> {
    const before = i18n.lang;
    this.wear(settings);
    await Promise.all([i18n.lang !== before && this.#translate(), this.#regroup()]);
  }

  /** A change of settings holds at once. */
  async set(change: Partial<Settings>): Promise<void> {
    const before = this.now;
    if (!before) return;
    this.wear({ ...before, ...change });
    try {
      this.wear(await this.#page.platform.settings({ ...before, ...change }));
      if (change.lang !== undefined) await this.#translate();
      if (change.group !== undefined) await this.#regroup();
    } catch (error) {
      this.wear(before);
      this.#page.fail(error);
    }
  }

  /** Another order of the list; the choice stays. */
  async #regroup(): Promise<void> {
    const { list, listing } = this.#page;
    if (list.group !== listing.group) await list.show(listing);
  }

  /** What the program worded is asked for again in the language in force. */
  async #translate(): Promise<void> {
    const { list, reading } = this.#page;
    await Promise.all([list.refetch(), reading.refresh()]);
  }
}
