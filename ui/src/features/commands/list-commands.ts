// Commands for the list: movement, selection, grouping, filters, and undo.

import type { Grouping } from '../../generated/Grouping';
import type { Strings } from '../../i18n/en';
import { i18n } from '../../i18n/i18n.svelte';
import type { IconName } from '../../icons';
import type { Stores } from '../../state/stores';
import { filters } from '../list/filters';
import { placeTitle } from '../list/place-names';
import type { Command, Wording } from './command';
import { inPane, moveInPlaces, onControl } from './key-target';
import { freshButton, pageDown, scrollReading } from './pane-focus';
import { listed, subjectName } from './thread-commands';

/** Whether what a search found is listed, instead of a place. */
const isFound = ({ list }: Stores) => list.search !== null && !list.within;
/** Whether the list has unread items that can be marked read as a whole. */
const counted = (stores: Stores) =>
  isFound(stores) || !['pinned', 'snoozed', 'done'].includes(stores.scope.place.place);

const hasRows = (stores: Stores) => listed(stores) && stores.list.ids.length > 0;

/** A command of the list, offered under its name while `when` holds. */
const command = (
  when: (stores: Stores) => boolean,
  id: string,
  icon: IconName,
  name: Wording,
  run: Command['run'],
  more: Partial<Command> = {},
): Command => ({
  id,
  group: 'threads',
  description: (t) => t[name],
  offer: (stores, t) => (when(stores) ? { icon, label: t[name] } : null),
  run,
  ...more,
});

function step(by: 1 | -1) {
  return (stores: Stores, event?: KeyboardEvent) => {
    const arrow = event?.key.startsWith('Arrow') ?? false;
    if (event && arrow && inPane(event, '.places')) return moveInPlaces(event, by);
    if (stores.navigation.view !== 'threads') return false;
    if (event && arrow && (inPane(event, '.reading-pane') || onControl(event))) return false;
    stores.movement.move(by);
    return true;
  };
}

function space(stores: Stores, event?: KeyboardEvent): boolean {
  if (event && onControl(event)) return false;
  if (stores.navigation.threadId !== null && scrollReading()) stores.itemsSeen.turnTo();
  else stores.movement.move(1);
  return true;
}

function fresh(stores: Stores, event?: KeyboardEvent): void {
  const button = freshButton(event?.target);
  if (button) button.click();
  else stores.feedback.show(i18n.t.nothingNew);
}

function toEnd(end: 'top' | 'bottom') {
  return (stores: Stores, event?: KeyboardEvent) => {
    if (event && (inPane(event, '.reading-pane') || inPane(event, '.places'))) return false;
    void stores.movement.toEnd(end);
    return true;
  };
}

const extend = (by: 1 | -1) => (stores: Stores, event?: KeyboardEvent) => {
  // In the reading pane the key selects text.
  if (event?.key.startsWith('Arrow') && !inPane(event, '.list')) return false;
  stores.selection.extend(by);
  return true;
};
const turn = (by: 1 | -1) => (stores: Stores, event?: KeyboardEvent) =>
  !(event && inPane(event, '.reading-pane')) && pageDown(stores, by);

const moving: readonly Command[] = [
  command(listed, 'next', 'chevron-down', 'keyNext', step(1), { inSettings: true }),
  command(listed, 'previous', 'chevron-up', 'keyPrevious', step(-1), { inSettings: true }),
  command(listed, 'next-unread', 'chevron-down', 'keyNextUnread', (stores) => stores.movement.toUnread(1)),
  command(listed, 'previous-unread', 'chevron-up', 'keyPreviousUnread', (stores) => stores.movement.toUnread(-1)),
  command(listed, 'fresh', 'arrow-up', 'keyFresh', fresh),
  { id: 'space', group: 'threads', description: (t) => t.keyPage, run: space },
  command(listed, 'first', 'arrow-up', 'keyFirst', toEnd('top')),
  command(listed, 'last', 'arrow-down', 'keyLast', toEnd('bottom')),
  { id: 'page-down', group: 'threads', description: (t) => t.keyPageDown, run: turn(1) },
  { id: 'page-up', group: 'threads', description: (t) => t.keyPageUp, run: turn(-1) },
];

function select({ selection }: Stores): boolean {
  selection.toggle();
  return true;
}

function selectAll({ selection }: Stores, event?: KeyboardEvent): boolean {
  // In the reading pane the key selects text.
  if (event && inPane(event, '.reading-pane')) return false;
  selection.selectAll();
  return true;
}

const selecting: readonly Command[] = [
  command(hasRows, 'select', 'list-checks', 'keySelect', select, { about: subjectName }),
  command(hasRows, 'extend', 'list-checks', 'keyExtend', extend(1)),
  { id: 'extend-up', group: 'threads', description: (t) => t.keyExtendUp, run: extend(-1) },
  command(listed, 'select-all', 'list-checks', 'keySelectAll', selectAll),
];

const doing: readonly Command[] = [
  {
    id: 'undo',
    group: 'threads',
    inSettings: true,
    description: (t) => t.keyUndo,
    offer: (_stores, t) => ({ icon: 'undo', label: t.undo }),
    about: ({ feedback }) => feedback.snackbar.newest?.text ?? null,
    run: (stores) => stores.threadActions.undo(),
  },
  {
    id: 'show-all',
    group: 'places',
    description: (t) => t.showAll,
    offer: (stores, t) =>
      listed(stores) && stores.scope.query === null && stores.scope.filters.length > 0
        ? { icon: 'list-filter', label: t.showAll }
        : null,
    run: (stores) => stores.search.clearFilters(),
  },
  {
    id: 'save-search',
    group: 'places',
    description: (t) => t.saveSearch,
    offer: (stores, t) => (stores.scope.query?.trim() ? { icon: 'bookmark', label: t.saveSearch } : null),
    run: (stores) => (stores.search.naming = true),
  },
];

export const allRead: Command = {
  id: 'all-read',
  group: 'threads',
  sweeping: true,
  description: (t) => t.keyAllRead,
  offer: (stores, t) => {
    const { places, savedSearches, scope } = stores;
    const here = isFound(stores) ? t.results : placeTitle(scope.place, places.sources, t, savedSearches.all);
    return listed(stores) && counted(stores) ? { icon: 'check-check', label: t.markAllReadIn(here) } : null;
  },
  run: (stores) => {
    if (!counted(stores)) return false;
    void stores.threadActions.markAllRead();
    return true;
  },
};

const groupCommand = (group: Grouping, label: Wording, short: Wording): Command => ({
  id: `group-${group}`,
  group: 'window',
  description: (t) => t[label],
  offer: (stores, t) =>
    listed(stores)
      ? { icon: 'layers', label: t[label], short: t[short], checked: stores.settings.current.group === group }
      : null,
  run: (stores) => stores.settings.change({ group }),
});

export const groupCommands: readonly Command[] = [
  groupCommand('day', 'groupByDay', 'byDay'),
  groupCommand('source', 'groupBySource', 'bySource'),
  groupCommand('thread', 'groupByThread', 'notAtAll'),
];

/** The filters that apply to the current list. */
export function filterCommands(stores: Stores, t: Strings): Command[] {
  if (!listed(stores) || stores.scope.query !== null) return [];
  return filters(stores, t).map(({ id, token, label, short }) => ({
    id: `filter-${id}`,
    group: 'window',
    description: () => label,
    offer: () => ({ icon: 'list-filter', label, short, checked: stores.scope.filters.includes(token) }),
    run: (stores) => stores.search.filter(token),
  }));
}

export const listCommands: readonly Command[] = [...moving, ...selecting, ...doing];
