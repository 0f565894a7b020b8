// The people who can be written to, and the person for a typed text: by id, by name, or by a word of the name.
import { tintOf } from '../../components/icons/tint';
import type { Person } from '../../generated/Person';
import type { SourceRow } from '../../generated/SourceRow';
import type { Platform } from '../../platform/platform';
import type { Recipient } from './new-conversation-draft';

/** The bound of completions. */
const MOST = 6;

/** The people whom a source knows: at the own server all of its users, those who were written to first. */
export async function peopleAt(platform: Platform, { id, own }: SourceRow): Promise<Person[]> {
  // Without either answer, names can still be typed.
  const [known, users] = await Promise.all([
    platform.people(id).catch(() => []),
    own
      ? platform.server().then(
          (server) => server.users,
          () => [],
        )
      : [],
  ]);
  const others = users.filter((user) => !user.me && !known.some((one) => one.id === user.id));
  return [
    ...known,
    ...others.map(({ id, name }) => ({ id, name, face: { initials: initials(name), tint: tintOf(id) } })),
  ];
}

/** The initials of a name, as the program writes them: of its first and last word, or one ideograph. */
function initials(name: string): string {
  const firsts = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? []);
  const [first = '?', ...others] = firsts;
  const isIdeograph = (letter: string) => /\p{Script=Han}/u.test(letter);
  if (isIdeograph(first)) return first;
  const last = others.at(-1) ?? '';
  return `${first}${isIdeograph(last) ? '' : last}`.toUpperCase();
}

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
