// The type of a command: an action for the palette, the menus and the list of shortcuts.

import type { Place } from '../../generated/Place';
import type { Strings } from '../../i18n/en';
import type { IconName } from '../../icons';
import { type Shortcut, shortcuts } from '../../shortcuts';
import type { Stores } from '../../state/stores';

/** The key of a text that stands as it is. */
export type Wording = { [Key in keyof Strings]: Strings[Key] extends string ? Key : never }[keyof Strings];

/** The label and icon under which a command is offered now. */
export interface Offer {
  readonly icon: IconName;
  readonly label: string;
  /** A shorter label, under a heading that names the rest. */
  readonly short?: string;
  /** Whether the command's state is in force. */
  readonly checked?: boolean;
}

export interface Command {
  /** The command's name; for a command with a shortcut, the name of the shortcut. */
  readonly id: string;
  readonly group: 'threads' | 'places' | 'window';
  /** Whether the shortcut also works in the settings; those of the groups `places` and `window` always do. */
  readonly inSettings?: boolean;
  /** Whether a number from 1 to 8 follows the shortcut. */
  readonly numbered?: boolean;
  /** Whether it changes everything in a place at once: the palette never begins with it. */
  readonly sweeping?: boolean;
  /** Whether the shortcut also works while a dialog is open. */
  readonly anywhere?: boolean;
  /** The command's name in the list of shortcuts. */
  readonly description: (t: Strings) => string;
  /** The place to which the command leads. */
  readonly place?: Place;
  /** The offer for menus and the palette; null while unavailable. Without this function only the shortcut runs it. */
  readonly offer?: (stores: Stores, t: Strings) => Offer | null;
  /**
   * The name of the thing that the command acts on now, for menus and the palette; null if it acts on nothing in
   * particular.
   */
  readonly about?: (stores: Stores, t: Strings) => string | null;
  /** The labels of its keys, if no shortcut of its own has them. */
  readonly keys?: readonly string[];
  /** Runs the command; false if the key keeps its usual effect. Menus and the palette pass no `event`. */
  readonly run: (stores: Stores, event?: KeyboardEvent) => unknown;
}

export function shortcutOf({ id }: Command): Shortcut | null {
  return Object.hasOwn(shortcuts, id) ? (id as Shortcut) : null;
}
