// The texts in the current language: `i18n.t`. A change of `i18n.lang` updates every component at once.
import type { Lang } from '../generated/Lang';
import { en, type Strings } from './en';

/** The languages whose texts are not part of the page's first code. */
const others: Record<Exclude<Lang, 'en'>, () => Promise<Strings>> = {
  'zh-CN': async () => (await import('./zh-CN')).zhCN,
};

class I18n {
  lang: Lang = $state('en');
  #loaded: Partial<Record<Lang, Strings>> = $state.raw({ en });
  /** English while the texts of a language are loaded. */
  readonly t: Strings = $derived(this.#loaded[this.lang] ?? en);

  /** The texts of a language, if they are loaded. */
  in(lang: Lang): Strings {
    return this.#loaded[lang] ?? en;
  }

  /** Loads the texts of a language, once. */
  async load(lang: Lang): Promise<void> {
    if (lang === 'en' || this.#loaded[lang]) return;
    this.#loaded = { ...this.#loaded, [lang]: await others[lang]() };
  }
}

export const i18n = new I18n();
