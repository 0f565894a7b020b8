// The entries of the palette: commands with their keys, places, and threads.

import type { Avatar } from '../../generated/Avatar';
import type { ThreadRow } from '../../generated/ThreadRow';
import { en, type Strings } from '../../i18n/en';
import { i18n } from '../../i18n/i18n.svelte';
import { clockTime, dayOf, longDay, shortDate } from '../../i18n/times';
import type { IconName } from '../../icons';
import { keyLabels } from '../../shortcuts';
import { threadName } from '../../state/list/thread-name';
import { placeName, samePlace } from '../../state/marks/marks';
import type { Stores } from '../../state/stores';
import { type Command, shortcutOf } from '../commands/command';
import { focusPane, focusThread } from '../commands/pane-focus';
import { keyBindings } from '../commands/table';
import { type PlaceLine, placeLines } from '../places/place-lines';

export interface Entry {
  /** The entry's id: `command-archive`, `place-inbox`, `thread-5`. */
  readonly id: string;
  readonly icon: IconName | Avatar;
  /** The name whose letter stands for a missing icon. */
  readonly who?: string;
  readonly label: string;
  /** Another name by which the entry is found. */
  readonly also?: string;
  /** Text after the label, in a weaker colour. */
  readonly more?: string;
  /** Text at the end that says what the entry is. */
  readonly hint?: string;
  /** Whether it changes everything in a place at once. */
  readonly sweeping?: boolean;
  /** The labels of the keys that do the same, at the end. */
  readonly keys?: readonly string[];
  readonly run: (stores: Stores) => unknown;
}

/** The labels of the keys that run a command. */
export function keysOf(command: Command | undefined): readonly string[] {
  const shortcut = command && shortcutOf(command);
  if (command?.keys) return command.keys;
  return shortcut ? keyLabels(shortcut) : [];
}

function allPlaces(stores: Stores, t: Strings): PlaceLine[] {
  const { views, sources, saved } = placeLines(stores, t);
  return [...views, ...sources, ...saved];
}

export function placeEntries(stores: Stores, t: Strings): Entry[] {
  const english = t === en ? [] : allPlaces(stores, en);
  return allPlaces(stores, t).map(({ place, icon, name, said, unread, source }, at) => {
    const command = keyBindings.find((one) => one.place && samePlace(one.place, place));
    const numbers = unread && said ? said : '';
    return {
      id: `place-${placeName(place)}`,
      icon,
      label: name,
      also: english[at]?.name ?? '',
      hint: [source ? t.source : place.place === 'saved' ? t.savedSearch : '', numbers].filter(Boolean).join(' · '),
      keys: keysOf(command),
      run: (stores) => stores.router.go(place).then(() => focusPane('list')),
    };
  });
}

function when(time: number, today: number): string {
  switch (dayOf(time, today)) {
    case 'today':
      return clockTime(time, i18n.lang);
    case 'earlier':
      return shortDate(time, today, i18n.lang);
    default:
      return longDay(time, i18n.lang);
  }
}

/** The entry of a thread. `found` says whether a text matches the typed one; if the label does not, the thread's
 * snippet is shown beside it. */
export function threadEntry(stores: Stores, row: ThreadRow, t: Strings, found: (text: string) => boolean): Entry {
  const talk = row.kind === 'message';
  const name = threadName(row);
  const label = !found(name) && found(row.sentence) ? row.sentence : name;
  return {
    id: `thread-${row.id}`,
    icon: row.avatar,
    who: row.who,
    label,
    ...(found(label) ? {} : { more: row.snippet }),
    hint: talk
      ? t.conversationWith(row.unread)
      : t.sourceAndDay(stores.places.nameOf(row.source), when(row.time, stores.clock.today)),
    run: (stores) => {
      void stores.router.openThread(row.id);
      focusThread(stores, row.id, talk);
    },
  };
}
