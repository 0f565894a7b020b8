// The marks that commands and buttons toggle: in which direction, and its icon and name.
import type { IconName } from '../../components/icons/icons';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { Strings } from '../../i18n/en';
import type { ThreadActions } from '../../state/marks/thread-actions';
import type { Offer } from './command';

interface MarkToggle {
  readonly isOn: (row: ThreadRow) => boolean;
  /** Where it is not on for all threads. */
  readonly set: readonly [IconName, (t: Strings) => string];
  readonly unset: readonly [IconName, (t: Strings) => string];
  readonly run: (actions: ThreadActions, ids?: readonly number[]) => Promise<void>;
}

export type Toggle = 'unread' | 'archive' | 'pin' | 'mute';

export const toggles: Record<Toggle, MarkToggle> = {
  unread: {
    isOn: (row) => row.unread === 0,
    set: ['mail-open', (t) => t.markRead],
    unset: ['mail', (t) => t.markUnread],
    run: (actions, ids) => actions.toggleRead(ids),
  },
  archive: {
    isOn: (row) => row.archived,
    set: ['archive', (t) => t.archive],
    unset: ['archive-restore', (t) => t.unarchive],
    run: (actions, ids) => actions.archive(ids),
  },
  pin: {
    isOn: (row) => row.pinned,
    set: ['pin', (t) => t.pin],
    unset: ['pin-off', (t) => t.unpin],
    run: (actions, ids) => actions.pin(ids),
  },
  mute: {
    isOn: (row) => row.muted,
    set: ['bell-off', (t) => t.mute],
    unset: ['bell', (t) => t.unmute],
    run: (actions, ids) => actions.mute(ids),
  },
};

export function toggleOffer(toggle: Toggle, rows: readonly ThreadRow[], t: Strings): Offer {
  const { isOn, set, unset } = toggles[toggle];
  const [icon, label] = rows.every(isOn) ? unset : set;
  return { icon, label: label(t) };
}
