// The order of names in the reader's language: in Chinese by pinyin.
import type { Lang } from '../generated/Lang';
import { i18n } from './i18n.svelte';

const collators = new Map<Lang, Intl.Collator>();

function collator(lang: Lang): Intl.Collator {
  const known = collators.get(lang);
  if (known) return known;
  const made = new Intl.Collator(lang);
  collators.set(lang, made);
  return made;
}

/** Everything that has a name, in the order of the names. */
export function byName<T extends { readonly name: string }>(all: readonly T[]): T[] {
  const { compare } = collator(i18n.lang);
  return [...all].sort((a, b) => compare(a.name, b.name));
}
