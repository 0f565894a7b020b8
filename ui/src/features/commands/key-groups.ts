// The shortcuts in their groups, as the list of keys and the settings show them.
import type { Strings } from '../../i18n/en';
import { changeable, keysOf, listedKeys, type Shortcut, stepsOf } from '../../shortcuts';
import { clashes } from '../settings/keys/key-changes';
import { shortcutOf } from './command';
import { keyBindings, shortcutName } from './table';

export interface KeyLine {
  shortcut: Shortcut;
  text: string;
  /** Each way with its keys in sequence. */
  ways: string[][][];
  /** The other commands that have a key of this one, as an imported file may bring. */
  also: string[];
}

export interface KeyGroup {
  group: 'threads' | 'places' | 'window';
  name: string;
  lines: KeyLine[];
}

function alsoOf(shortcut: Shortcut, t: Strings): string[] {
  const found = keysOf(shortcut).flatMap((key) => clashes(key, shortcut));
  return [...new Set(found.map((one) => shortcutName(one.shortcut, t)))];
}

/** All groups; if the keys can be changed, every command has a line of its own. */
export function keyGroups(t: Strings, change: boolean): KeyGroup[] {
  const names = { threads: t.keyThreads, places: t.keyPlaces, window: t.keyWindow };
  return (['threads', 'places', 'window'] as const).map((group) => ({
    group,
    name: names[group],
    lines: keyBindings.flatMap((command) => {
      const shortcut = shortcutOf(command);
      if (!shortcut || command.group !== group) return [];
      const steps = (change ? keysOf(shortcut) : listedKeys(shortcut)).map(stepsOf);
      const ways = command.numbered ? steps.map((keys) => [...keys, ['1–8']]) : steps;
      if (ways.length === 0 && !(change && changeable.includes(shortcut))) return [];
      return [{ shortcut, text: command.description(t), ways, also: change ? alsoOf(shortcut, t) : [] }];
    }),
  }));
}
