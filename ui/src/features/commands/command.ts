// A command: everything one can do, as a line of the palette, of the menus and of the list of keys.
import type { IconName } from '../../components/icons/icons';
import type { Place } from '../../generated/Place';
import type { Strings } from '../../i18n/en';
import { type Shortcut, shortcuts } from '../../shortcuts';
import type { Stores } from '../../state/stores';

/** How a command is offered right now. */
export interface Offer {
  readonly icon: IconName;
  readonly label: string;
  /** A shorter label, under a heading that says the rest. */
  readonly short?: string;
  /** It is in force. */
  readonly checked?: boolean;
}

export interface Command {
  /** Commands with a key are called as their shortcut. */
  readonly id: string;
  readonly group: 'threads' | 'places' | 'window';
  /** Its key works in the settings too; commands of other groups always do. */
  readonly inSettings?: boolean;
  /** What the list of keys calls it. */
  readonly description: (t: Strings) => string;
  /** The place it leads to. */
  readonly place?: Place;
  /** How menus and the palette offer it; null where it is not available now. Without it only its key runs it. */
  readonly offer?: (stores: Stores, t: Strings) => Offer | null;
  /** Returns false where the key keeps its usual meaning. `event` is missing from a menu or the palette. */
  readonly run: (stores: Stores, event?: KeyboardEvent) => unknown;
}

export function shortcutOf({ id }: Command): Shortcut | null {
  return Object.hasOwn(shortcuts, id) ? (id as Shortcut) : null;
}
