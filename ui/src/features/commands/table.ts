// Every command of the page: the key handler, the list of keys, the palette and the menus are made from this table.
import type { Strings } from '../../i18n/en';
import type { Stores } from '../../state/stores';
import { type Command, shortcutOf } from './command';
import { allRead, filterCommands, groupCommands, listCommands } from './list-commands';
import { placeCommands, savedCommands } from './place-commands';
import { threadCommands } from './thread-commands';
import { dynamicCommands, windowCommands } from './window-commands';

const table: readonly Command[] = [
  ...listCommands.filter((one) => ['next', 'previous'].includes(one.id)),
  ...threadCommands,
  ...listCommands.filter((one) => !['next', 'previous'].includes(one.id)),
  allRead,
  ...placeCommands,
  ...savedCommands,
  ...windowCommands,
];

/** Those with a key, in the order of the list of keys. */
export const keyBindings: readonly Command[] = table.filter((one) => shortcutOf(one) !== null);

/** All commands, in the order in which they are offered. */
export function allCommands(stores: Stores, t: Strings): Command[] {
  return [
    allRead,
    ...threadCommands,
    ...filterCommands(stores, t),
    ...windowCommands,
    ...dynamicCommands(stores, t),
    ...groupCommands,
    ...savedCommands,
    ...listCommands,
  ];
}
