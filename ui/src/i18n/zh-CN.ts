// The Simplified Chinese texts.
import type { AllTexts } from '../generated/texts';

const files = import.meta.glob<Partial<AllTexts>>(['../../../i18n/zh-CN/*.ftl', '../../../i18n/zh-CN/first/*.ftl'], {
  eager: true,
  import: 'default',
});
export const zhCN = Object.assign({}, ...Object.values(files)) as AllTexts;
