// The Simplified Chinese texts.
import type { Texts } from '../generated/texts';

const files = import.meta.glob<Partial<Texts>>(['../../../i18n/zh-CN/*.ftl', '../../../i18n/zh-CN/first/*.ftl'], {
  eager: true,
  import: 'default',
});
export const zhCN = Object.assign({}, ...Object.values(files)) as Texts;
