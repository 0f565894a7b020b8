// The words in force: one language at a time, changed at once everywhere.
import type { Lang } from '../generated/Lang';
import { en, type Words } from './en';
import { zhCN } from './zh-CN';

class Say {
  lang: Lang = $state('en');
  readonly t: Words = $derived(this.lang === 'zh-CN' ? zhCN : en);
}

export const say = new Say();
