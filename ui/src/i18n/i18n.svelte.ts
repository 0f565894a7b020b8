// The texts in the current language: `i18n.t`. A change of `i18n.lang` updates every component at once.
import type { Lang } from '../generated/Lang';
import { en, type Strings } from './en';
import { zhCN } from './zh-CN';

class I18n {
  lang: Lang = $state('en');
  readonly t: Strings = $derived(this.lang === 'zh-CN' ? zhCN : en);
}

export const i18n = new I18n();
