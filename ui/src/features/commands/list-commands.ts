// Commands for the list: movement, selection, grouping, filters, and undo.
import type { Grouping } from '../../generated/Grouping';
import type { Strings } from '../../i18n/en';
import { i18n } from '../../i18n/i18n.svelte';
import type { Stores } from '../../state/stores';
import { filters } from '../list/filters';
import { placeTitle } from '../list/place-names';
import type { Command, Offer } from './command';
import { inPane, moveInPlaces, onControl } from './key-target';
import { freshButton, pageDown, scrollReading } from './pane-focus';
import { listed, subjectName } from './thread-commands';

/** Whether what a search found is listed, instead of a place. */
const isFound = ({ list }: Stores) => list.search !== null && !list.within;
/** Whether the list has unread items that can be marked read as a whole. */
const counted = (stores: Stores) =>
  isFound(stores) || !['pinned', 'snoozed', 'done'].includes(stores.scope.place.place);

/** An offer while a list is shown. */
const inList =
  (icon: Offer['icon'], label: (t: Strings) => string) =>
  (stores: Stores, t: Strings): Offer | null =>
    listed(stores) ? { icon, label: label(t) } : null;

/** An offer while the list has rows. */
const withRows =
  (icon: Offer['icon'], label: (t: Strings) => string) =>
  (stores: Stores, t: Strings): Offer | null =>
    listed(stores) && stores.list.ids.length > 0 ? { icon, label: label(t) } : null;

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
  {
    id: 'next',
    group: 'threads',
    inSettings: true,
    description: (t) => t.keyNext,
    offer: inList('chevron-down', (t) => t.keyNext),
    run: step(1),
  },
  {
    id: 'previous',
    group: 'threads',
    inSettings: true,
    description: (t) => t.keyPrevious,
    offer: inList('chevron-up', (t) => t.keyPrevious),
    run: step(-1),
  },
  {
    id: 'next-unread',
    group: 'threads',
    description: (t) => t.keyNextUnread,
    offer: inList('chevron-down', (t) => t.keyNextUnread),
    run: (stores) => stores.movement.toUnread(1),
  },
  {
    id: 'previous-unread',
    group: 'threads',
    description: (t) => t.keyPreviousUnread,
    offer: inList('chevron-up', (t) => t.keyPreviousUnread),
    run: (stores) => stores.movement.toUnread(-1),
  },
  {
    id: 'fresh',
    group: 'threads',
    description: (t) => t.keyFresh,
    offer: inList('arrow-up', (t) => t.keyFresh),
    run: fresh,
  },
  { id: 'space', group: 'threads', description: (t) => t.keyPage, run: space },
  {
    id: 'first',
    group: 'threads',
    description: (t) => t.keyFirst,
    offer: inList('arrow-up', (t) => t.keyFirst),
    run: toEnd('top'),
  },
  {
    id: 'last',
    group: 'threads',
    description: (t) => t.keyLast,
    offer: inList('arrow-down', (t) => t.keyLast),
    run: toEnd('bottom'),
  },
  { id: 'page-down', group: 'threads', description: (t) => t.keyPageDown, run: turn(1) },
  { id: 'page-up', group: 'threads', description: (t) => t.keyPageUp, run: turn(-1) },
];

const selecting: readonly Command[] = [
  {
    id: 'select',
    group: 'threads',
    description: (t) => t.keySelect,
    offer: withRows('list-checks', (t) => t.keySelect),
    about: subjectName,
    run: (stores) => {
      stores.selection.toggle();
      return true;
    },
  },
  {
    id: 'extend',
    group: 'threads',
    description: (t) => t.keyExtend,
    offer: withRows('list-checks', (t) => t.keyExtend),
    run: extend(1),
  },
  {
    id: 'extend-up',
    group: 'threads',
    description: (t) => t.keyExtendUp,
    run: extend(-1),
  },
  {
    id: 'select-all',
    group: 'threads',
    description: (t) => t.keySelectAll,
    offer: inList('list-checks', (t) => t.keySelectAll),
    run: (stores, event) => {
      // In the reading pane the key selects text.
      if (event && inPane(event, '.reading-pane')) return false;
      stores.selection.selectAll();
      return true;
    },
  },
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

function groupCommand(group: Grouping, label: (t: Strings) => string, short: (t: Strings) => string): Command {
  return {
    id: `group-${group}`,
    group: 'window',
    description: label,
    offer: (stores, t) =>
      listed(stores)
        ? { icon: 'layers', label: label(t), short: short(t), checked: stores.settings.current.group === group }
        : null,
    run: (stores) => stores.settings.change({ group }),
  };
}

export const groupCommands: readonly Command[] = [
  groupCommand(
    'day',
    (t) => t.groupByDay,
    (t) => t.byDay,
  ),
  groupCommand(
    'source',
    (t) => t.groupBySource,
    (t) => t.bySource,
  ),
  groupCommand(
    'thread',
    (t) => t.groupByThread,
    (t) => t.notAtAll,
  ),
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
