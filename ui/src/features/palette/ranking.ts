// Selects the entries to offer: a match at the beginning of a word ranks above one inside a word.
import type { Entry } from './entries';

function begins(text: string, word: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower.charAt(at - 1))) return true;
  }
  return false;
}

/** At most `most` of the found entries, in their original order. */
export function best(found: readonly Entry[], terms: readonly string[], most: number): readonly Entry[] {
  if (found.length <= most) return found;
  const first = found.filter((entry) => terms.every((word) => begins(entry.label, word)));
  const kept = new Set([...new Set([...first, ...found])].slice(0, most));
  return found.filter((entry) => kept.has(entry));
}
