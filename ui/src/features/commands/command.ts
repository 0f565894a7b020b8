// What a command is: one line of the list of keys, of the palette and of the menus. Everything one can do is one.
import type { IconName } from '../../components/icons/icons';
import type { Place } from '../../generated/Place';
import type { Strings } from '../../i18n/en';
import { type Shortcut, shortcuts } from '../../shortcuts';
import type { Stores } from '../../state/stores';

/** What a command is called right now. */
export interface Offer {
  readonly icon: IconName;
  readonly label: string;
  /** Under a heading that says the rest. */
  readonly short?: string;
  /** It is in force. */
  readonly checked?: boolean;
}

export interface Command {
  /** Commands with a key are called as their shortcut. */
  readonly id: string;
  readonly group: 'threads' | 'places' | 'window';
  /** It means something in the settings, too; what concerns the window or leads somewhere always does. */
  readonly inSettings?: boolean;
  /** What the list of keys calls it. */
  readonly description: (t: Strings) => string;
  /** Where it leads, of the commands that lead to a place. */
  readonly place?: Place;
  /** What menus and the palette call it; null where it means nothing now. Without it only a key does it. */
  readonly offer?: (stores: Stores, t: Strings) => Offer | null;
  /** Answers false when the key meant nothing here, and keeps its usual meaning. No event: a menu or the palette. */
  readonly run: (stores: Stores, event?: KeyboardEvent) => unknown;
}

export function shortcutOf({ id }: Command): Shortcut | null {
  return Object.hasOwn(shortcuts, id) ? (id as Shortcut) : null;
}
