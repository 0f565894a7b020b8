// The table of all commands, from which the key handler, the list of shortcuts, the palette and the menus are made.
import type { Strings } from '../../i18n/en';
import type { Shortcut } from '../../shortcuts';
import type { Stores } from '../../state/stores';
import { answerCommand, answerCommands } from './answer-commands';
import { type Command, shortcutOf } from './command';
import { itemCommands } from './item-commands';
import { allRead, filterCommands, groupCommands, listCommands } from './list-commands';
import { muteCommands } from './mute-commands';
import { placeCommands, savedCommands } from './place-commands';
import { threadCommands } from './thread-commands';
import { dynamicCommands, windowCommands } from './window-commands';

const table: readonly Command[] = [
  ...listCommands.filter((one) => ['next', 'previous'].includes(one.id)),
  ...threadCommands,
  answerCommand,
  ...itemCommands,
  ...listCommands.filter((one) => !['next', 'previous'].includes(one.id)),
  allRead,
  ...placeCommands,
  ...savedCommands,
  ...windowCommands,
];

/** The commands with a shortcut, in the order of the list of shortcuts. */
export const keyBindings: readonly Command[] = table.filter((one) => shortcutOf(one) !== null);

/** The name of a command by its shortcut. */
export function shortcutName(shortcut: Shortcut, t: Strings): string {
  return keyBindings.find((one) => one.id === shortcut)?.description(t) ?? shortcut;
}

/** All commands, in the order in which they are offered. */
export function allCommands(stores: Stores, t: Strings): Command[] {
  return [
    ...answerCommands(stores),
    ...threadCommands,
    ...muteCommands(stores, t),
    ...itemCommands,
    ...filterCommands(stores, t),
    ...windowCommands,
    ...dynamicCommands(stores, t),
    ...groupCommands,
    ...savedCommands,
    ...listCommands,
    allRead,
  ];
}
