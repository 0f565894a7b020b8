// What a change of keys means: which keys can be given, whose they are, and the settings that follow.
import type { Keys } from '../../../generated/Keys';
import { changeable, keptKeys, keysOf, reservedKeys, type Shortcut, shortcuts } from '../../../shortcuts';

/** The most ways to press one command; the program keeps no more. */
export const MAX_WAYS = 4;

/** Keys that are held down or that write nothing by themselves. */
const SILENT = new Set([
  'Alt',
  'AltGraph',
  'CapsLock',
  'Compose',
  'Control',
  'Dead',
  'Fn',
  'Hyper',
  'Meta',
  'NumLock',
  'OS',
  'Process',
  'ScrollLock',
  'Shift',
  'Super',
  'Unidentified',
]);

export const isSilent = (event: KeyboardEvent): boolean => SILENT.has(event.key);

/** Whether a key stays with what it does now. */
export function isReserved(key: string, shortcut: Shortcut): boolean {
  const reserved: readonly string[] = reservedKeys;
  return (
    reserved.includes(key) || (Object.hasOwn(keptKeys, key) && keptKeys[key as keyof typeof keptKeys] !== shortcut)
  );
}

/** Whether a way to press a command cannot be taken away from it. */
export function isKept(key: string, shortcut: Shortcut): boolean {
  return Object.hasOwn(keptKeys, key) && keptKeys[key as keyof typeof keptKeys] === shortcut;
}

/** Whether two ways get into each other's way: the same keys, or one begins the other. */
function clash(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
}

/** Another command that has a key, and the way by which it has it. */
export interface Clash {
  readonly shortcut: Shortcut;
  readonly key: string;
}

/** The other commands for which a key, or the beginning of one, stands already. */
export function clashes(key: string, shortcut: Shortcut): Clash[] {
  return changeable
    .filter((other) => other !== shortcut)
    .flatMap((other) =>
      keysOf(other)
        .filter((way) => clash(way, key))
        .map((way) => ({ shortcut: other, key: way })),
    );
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, at) => key === other[at]);
}

/** The settings in which a command has these keys; those of the table are not kept in them. */
export function withKeys(keys: Keys, shortcut: Shortcut, ways: readonly string[]): Keys {
  const { [shortcut]: _, ...rest } = keys;
  return same(ways, shortcuts[shortcut]) ? rest : { ...rest, [shortcut]: [...ways] };
}

/** The settings in which other commands no longer have the ways that clash. */
export function takenFrom(keys: Keys, all: readonly Clash[]): Keys {
  return all.reduce((now, { shortcut }) => {
    const lost = all.filter((one) => one.shortcut === shortcut).map((one) => one.key);
    return withKeys(
      now,
      shortcut,
      keysOf(shortcut).filter((key) => !lost.includes(key)),
    );
  }, keys);
}
