// The marks that can be toggled: the name, icon and result text of each direction.

import type { Mark } from '../../generated/Mark';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { Strings } from '../../i18n/en';
import type { IconName } from '../../icons';

export type Toggle = 'unread' | 'archive' | 'pin' | 'mute';

interface Direction {
  readonly mark: Mark;
  readonly icon: IconName;
  readonly label: (t: Strings) => string;
  /** The result text for threads, which it names. */
  readonly done: (t: Strings) => (what: string) => string;
}

interface Directions<State = ThreadRow> {
  readonly isOn: (row: State) => boolean;
  readonly set: Direction;
  readonly unset: Direction;
}

/** The part of a row that each toggle looks at; an item has some of it, too. */
interface States {
  readonly unread: Pick<ThreadRow, 'unread'>;
  readonly archive: Pick<ThreadRow, 'archived'>;
  readonly pin: Pick<ThreadRow, 'pinned'>;
  readonly mute: Pick<ThreadRow, 'muted'>;
}

export const toggles: { readonly [T in Toggle]: Directions<States[T]> } = {
  unread: {
    isOn: (row) => row.unread === 0,
    set: { mark: { op: 'read' }, icon: 'mail-open', label: (t) => t.markRead, done: (t) => t.didRead },
    unset: { mark: { op: 'unread' }, icon: 'mail', label: (t) => t.markUnread, done: (t) => t.didUnread },
  },
  archive: {
    isOn: (row) => row.archived,
    set: { mark: { op: 'archive' }, icon: 'archive', label: (t) => t.archive, done: (t) => t.didArchive },
    unset: {
      mark: { op: 'unarchive' },
      icon: 'archive-restore',
      label: (t) => t.unarchive,
      done: (t) => t.didUnarchive,
    },
  },
  pin: {
    isOn: (row) => row.pinned,
    set: { mark: { op: 'pin' }, icon: 'pin', label: (t) => t.pin, done: (t) => t.didPin },
    unset: { mark: { op: 'unpin' }, icon: 'pin-off', label: (t) => t.unpin, done: (t) => t.didUnpin },
  },
  mute: {
    isOn: (row) => row.muted,
    set: { mark: { op: 'mute' }, icon: 'bell-off', label: (t) => t.mute, done: (t) => t.didMute },
    unset: { mark: { op: 'unmute' }, icon: 'bell', label: (t) => t.unmute, done: (t) => t.didUnmute },
  },
};

/** The direction in which threads are toggled: off if the mark is set on all of them. */
export function directionOf<T extends Toggle>(toggle: T, rows: readonly States[T][]): Direction {
  const { isOn, set, unset }: Directions<States[T]> = toggles[toggle];
  return rows.every(isOn) ? unset : set;
}
