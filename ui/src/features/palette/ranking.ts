// Selects the entries to offer: a match at the beginning of a word ranks above one inside a word, and what changes
// everything at once never comes first.
import type { Entry } from './entries';

function begins(text: string, word: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower.charAt(at - 1))) return true;
  }
  return false;
}

/** At most `most` of the found entries: first those in which each word begins one, each in their original order. */
export function best(found: readonly Entry[], terms: readonly string[], most: number): readonly Entry[] {
  const first = found.filter((entry) => terms.every((word) => begins(entry.label, word)));
  return [...new Set([...first, ...found])].slice(0, most);
}

export interface EntryGroup {
  readonly id: string;
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** The groups that have entries, with what changes everything at once last of its group, and no group first for it. */
export function ordered(groups: readonly EntryGroup[]): EntryGroup[] {
  const sorted = groups
    .filter((group) => group.entries.length > 0)
    .map((group) => ({ ...group, entries: [...group.entries].sort((a, b) => sweep(a) - sweep(b)) }));
  const first = ({ entries: [entry] }: EntryGroup) => (entry ? sweep(entry) : 0);
  return sorted.sort((a, b) => first(a) - first(b));
}

const sweep = (entry: Entry) => (entry.sweeping ? 1 : 0);
