// The current settings: applied to the page at once, then stored by the program, whose answer is final.
import { customKeys } from '../../custom-keys.svelte';
import { defaultSettings } from '../../generated/defaults';
import type { Settings as Values } from '../../generated/Settings';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import { MarkQueue } from '../marks/mark-queue';
import { applyAppearance } from './appearance';

/** The requests that repeat after a change of settings. */
interface Reload {
  /** Requests texts again that the program writes in the page's language, such as names and sentences of rows. */
  readonly texts: () => Promise<unknown>;
  /** Requests the list again, which may be sorted by another key. */
  readonly grouping: () => Promise<unknown>;
}

export class Settings {
  /** The defaults until the program has said what is stored. */
  current: Values = $state.raw(defaultSettings);
  /** The settings as the program has them. */
  #stored: Values | null = null;
  /** The changes that the program has not answered, oldest first. */
  #waiting: readonly Partial<Values>[] = [];
  readonly #queue = new MarkQueue();

  constructor(
    private readonly platform: Platform,
    private readonly feedback: Feedback,
    private readonly reload: Reload,
  ) {}

  /** Applies the program's settings to the page, under the changes that it has not answered. */
  apply(stored: Values): void {
    this.#stored = stored;
    const settings = Object.assign({ ...stored }, ...this.#waiting) as Values;
    this.current = settings;
    i18n.lang = settings.lang_now;
    i18n.load(i18n.lang).catch(this.feedback.fail);
    customKeys.current = settings.keys;
    applyAppearance(settings);
  }

  /** Applies settings that were changed elsewhere. */
  async adopt(settings: Values): Promise<void> {
    const before = i18n.lang;
    this.apply(settings);
    await Promise.all([i18n.lang !== before && this.reload.texts(), this.reload.grouping()]);
  }

  /** Applies a change at once, and takes it back if the program refuses it. */
  async change(part: Partial<Values>): Promise<void> {
    if (!this.#stored) return;
    this.#waiting = [...this.#waiting, part];
    this.apply(this.#stored);
    await this.feedback.attempt(async () => {
      await this.#queue.send(() => this.#store(part));
      if (part.lang !== undefined) await this.reload.texts();
      if (part.group !== undefined) await this.reload.grouping();
    });
  }

  /** Sends all settings; one after the other, each change has those before it. */
  async #store(part: Partial<Values>): Promise<void> {
    const before = this.#stored as Values;
    let stored = before;
    try {
      stored = await this.platform.settings({ ...before, ...part });
    } finally {
      this.#answered(part, stored);
    }
  }

  #answered(part: Partial<Values>, stored: Values): void {
    this.#waiting = this.#waiting.filter((one) => one !== part);
    this.apply(stored);
  }
}
