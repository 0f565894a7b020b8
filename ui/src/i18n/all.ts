// All texts, for parts of the page that are loaded later: whoever imports this brings the rest of the English texts along.
import type { AllTexts } from '../generated/texts';
import { en } from './en';
import { i18n as first } from './i18n.svelte';

export type { AllTexts as AllStrings };

const files = import.meta.glob<Partial<AllTexts>>('../../../i18n/en/*.ftl', { eager: true, import: 'default' });
export const allEn: AllTexts = Object.assign(en, ...Object.values(files));
export const i18n = first as typeof first & { readonly t: AllTexts };
