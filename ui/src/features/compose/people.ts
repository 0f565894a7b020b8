// Finds the person for a typed text: by id, by name, or by a word of the name.
import type { Person } from '../../generated/Person';
import type { Recipient } from './new-conversation-draft';

/** The bound of completions. */
const MOST = 6;

const fold = (text: string) => text.trim().toLowerCase();

/** The person with exactly this id or name. */
export function called(typed: string, known: readonly Person[]): Person | undefined {
  const word = fold(typed);
  return known.find((one) => fold(one.id) === word) ?? known.find((one) => fold(one.name) === word);
}

/** The people who fit the typed text and are not in `there`. */
export function fitting(typed: string, known: readonly Person[], there: readonly Recipient[]): Person[] {
  const word = fold(typed);
  const fits = ({ id, name }: Person) =>
    fold(id).startsWith(word) ||
    fold(name).startsWith(word) ||
    fold(name)
      .split(/\s+/)
      .some((one) => one.startsWith(word));
  const found = known.filter((one) => fits(one) && !there.some(({ id }) => id === one.id));
  const exact = called(typed, found);
  return (exact ? [exact, ...found.filter((one) => one !== exact)] : found).slice(0, MOST);
}
