// The English texts of the first picture, and the type of these texts in every language.
import type { Texts } from '../generated/texts';

export type { Texts as Strings };

const files = import.meta.glob<Partial<Texts>>('../../../i18n/en/first/*.ftl', { eager: true, import: 'default' });
export const en = Object.assign({}, ...Object.values(files)) as Texts;
