// File sizes as text: 640 KB, 9.6 MB, 412 MB. In powers of 1,000, as file managers count.
import type { Lang } from '../generated/Lang';
import { i18n } from './i18n.svelte';

const units = ['KB', 'MB', 'GB', 'TB'];

/** The size with one decimal below ten, none above. */
export function formatSize(bytes: number, lang: Lang): string {
  if (bytes < 1000) return i18n.in(lang).bytes(bytes);
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`;
}
