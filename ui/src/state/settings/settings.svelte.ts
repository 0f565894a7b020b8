// The current settings: applied to the page at once, then stored by the program, whose answer is final.
import { customKeys } from '../../custom-keys.svelte';
import type { Settings as Values } from '../../generated/Settings';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import { applyAppearance } from './appearance';

/** The requests that repeat after a change of settings. */
interface Reload {
  /** Requests texts again that the program writes in the page's language, such as names and sentences of rows. */
  readonly texts: () => Promise<unknown>;
  /** Requests the list again, which may be sorted by another key. */
  readonly grouping: () => Promise<unknown>;
}

export class Settings {
  current: Values | null = $state.raw(null);

  constructor(
    private readonly platform: Platform,
    private readonly feedback: Feedback,
    private readonly reload: Reload,
  ) {}

  /** Applies settings to the page only. */
  apply(settings: Values): void {
    this.current = settings;
    i18n.lang = settings.lang_now;
    customKeys.current = settings.keys;
    applyAppearance(settings);
  }

  /** Applies settings that were changed elsewhere. */
  async adopt(settings: Values): Promise<void> {
    const before = i18n.lang;
    this.apply(settings);
    await Promise.all([i18n.lang !== before && this.reload.texts(), this.reload.grouping()]);
  }

  /** Applies a change at once, and takes it back where the program refuses it. */
  async change(part: Partial<Values>): Promise<void> {
    const before = this.current;
    if (!before) return;
    this.apply({ ...before, ...part });
    try {
      this.apply(await this.platform.settings({ ...before, ...part }));
      if (part.lang !== undefined) await this.reload.texts();
      if (part.group !== undefined) await this.reload.grouping();
    } catch (error) {
      this.apply(before);
      this.feedback.fail(error);
    }
  }
}
