// The type of a line in a menu of actions.

import type { IconName } from '../../icons';
import type { Shortcut } from '../../shortcuts';

export interface MenuAction {
  readonly id?: string;
  readonly icon?: IconName;
  readonly label: string;
  readonly hint?: string;
  readonly shortcut?: Shortcut;
  readonly disabled?: boolean;
  readonly danger?: boolean;
  readonly run: () => unknown;
}
