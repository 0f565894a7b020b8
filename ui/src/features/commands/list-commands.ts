// Commands for the list: moving in it, selecting, grouping, filtering, and what was done last.
import type { Grouping } from '../../generated/Grouping';
import type { Strings } from '../../i18n/en';
import * as acts from '../../state/marks/thread-actions';
import * as choice from '../../state/navigation/moving';
import type { Page } from '../../state/page.svelte';
import { filters } from '../list/filters';
import { placeTitle } from '../list/place-names';
import type { Command, Offer } from './command';
import { inPane, moveInPlaces, onControl } from './key-target';
import { pageDown, scrollReading } from './pane-focus';

const listed = (page: Page) => page.view === 'threads' && !page.welcome;
const counted = (page: Page) => !['pinned', 'snoozed', 'done'].includes(page.place.place);

/** Offered while a list is shown. */
const inList =
  (icon: Offer['icon'], label: (t: Strings) => string) =>
  (page: Page, t: Strings): Offer | null =>
    listed(page) ? { icon, label: label(t) } : null;

/** Offered while a thread is chosen. */
const withChosen =
  (icon: Offer['icon'], label: (t: Strings) => string) =>
  (page: Page, t: Strings): Offer | null =>
    listed(page) && page.chosen !== null ? { icon, label: label(t) } : null;

function step(by: 1 | -1) {
  return (page: Page, event?: KeyboardEvent) => {
    const arrow = event?.key.startsWith('Arrow') ?? false;
    if (event && arrow && inPane(event, '.places')) return moveInPlaces(event, by);
    if (page.view === 'settings') return false;
    if (event && arrow && (inPane(event, '.reading-pane') || onControl(event))) return false;
    choice.move(page, by);
    return true;
  };
}

function space(page: Page, event?: KeyboardEvent): boolean {
  if (event && onControl(event)) return false;
  if (page.chosen === null || !scrollReading()) choice.move(page, 1);
  return true;
}

function toEnd(end: 'top' | 'bottom') {
  return (page: Page, event?: KeyboardEvent) => {
    if (event && (inPane(event, '.reading-pane') || inPane(event, '.places'))) return false;
    void choice.moveToEnd(page, end);
    return true;
  };
}

/** Does nothing where no thread is chosen. */
const some = (run: (page: Page) => void) => (page: Page) => {
  if (page.chosen === null) return false;
  run(page);
  return true;
};
const extend = (by: 1 | -1) => (page: Page, event?: KeyboardEvent) => {
  // In the reading pane it selects text, as everywhere.
  if (page.chosen === null || (event?.key.startsWith('Arrow') && !inPane(event, '.list'))) return false;
  choice.extend(page, by);
  return true;
};
const turn = (by: 1 | -1) => (page: Page, event?: KeyboardEvent) =>
  !(event && inPane(event, '.reading-pane')) && pageDown(page, by);

const moving: readonly Command[] = [
  {
    id: 'next',
    keys: ['j', 'ArrowDown'],
    shown: [['j'], ['↓']],
    group: 'threads',
    inSettings: true,
    description: (t) => t.keyNext,
    offer: inList('chevron-down', (t) => t.keyNext),
    run: step(1),
  },
  {
    id: 'previous',
    keys: ['k', 'ArrowUp'],
    shown: [['k'], ['↑']],
    group: 'threads',
    inSettings: true,
    description: (t) => t.keyPrevious,
    offer: inList('chevron-up', (t) => t.keyPrevious),
    run: step(-1),
  },
  {
    id: 'next-unread',
    keys: ['n'],
    group: 'threads',
    description: (t) => t.keyNextUnread,
    offer: inList('chevron-down', (t) => t.keyNextUnread),
    run: (page) => choice.moveToUnread(page, 1),
  },
  {
    id: 'previous-unread',
    keys: ['Shift+N'],
    shown: [['Shift', 'N']],
    group: 'threads',
    description: (t) => t.keyPreviousUnread,
    offer: inList('chevron-up', (t) => t.keyPreviousUnread),
    run: (page) => choice.moveToUnread(page, -1),
  },
  { id: 'space', keys: [' '], shown: [['Space']], group: 'threads', description: (t) => t.keyPage, run: space },
  {
    id: 'first',
    keys: ['Home'],
    group: 'threads',
    description: (t) => t.keyFirst,
    offer: inList('arrow-up', (t) => t.keyFirst),
    run: toEnd('top'),
  },
  {
    id: 'last',
    keys: ['End'],
    group: 'threads',
    description: (t) => t.keyLast,
    offer: inList('arrow-down', (t) => t.keyLast),
    run: toEnd('bottom'),
  },
  { id: 'page-down', keys: ['PageDown'], shown: [], group: 'threads', description: (t) => t.keyPage, run: turn(1) },
  { id: 'page-up', keys: ['PageUp'], shown: [], group: 'threads', description: (t) => t.keyPage, run: turn(-1) },
];

const selecting: readonly Command[] = [
  {
    id: 'select',
    keys: ['x'],
    group: 'threads',
    description: (t) => t.keySelect,
    offer: withChosen('list-checks', (t) => t.keySelect),
    run: some((page) => choice.toggleSelected(page)),
  },
  {
    id: 'extend',
    keys: ['Shift+J', 'Shift+ArrowDown'],
    shown: [
      ['Shift', 'J'],
      ['Shift', 'K'],
    ],
    group: 'threads',
    description: (t) => t.keyExtend,
    offer: withChosen('list-checks', (t) => t.keyExtend),
    run: extend(1),
  },
  {
    id: 'extend-up',
    keys: ['Shift+K', 'Shift+ArrowUp'],
    shown: [],
    group: 'threads',
    description: (t) => t.keyExtend,
    run: extend(-1),
  },
  {
    id: 'select-all',
    keys: ['Mod+a'],
    shown: [['Ctrl', 'A']],
    group: 'threads',
    description: (t) => t.keySelectAll,
    offer: inList('list-checks', (t) => t.keySelectAll),
    run: (page, event) => {
      // In the reading pane it selects text, as everywhere.
      if (event && inPane(event, '.reading-pane')) return false;
      choice.selectAll(page);
      return true;
    },
  },
];

const doing: readonly Command[] = [
  {
    id: 'undo',
    keys: ['z', 'Mod+z'],
    shown: [['z'], ['Ctrl', 'Z']],
    group: 'threads',
    inSettings: true,
    description: (t) => t.keyUndo,
    offer: (_page, t) => ({ icon: 'undo', label: t.undo }),
    run: (page) => acts.undo(page),
  },
  {
    id: 'show-all',
    keys: [],
    group: 'places',
    description: (t) => t.showAll,
    offer: (page, t) =>
      listed(page) && page.search.query === null && page.finding.filters.length > 0
        ? { icon: 'list-filter', label: t.showAll }
        : null,
    run: (page) => page.finding.clearFilters(),
  },
  {
    id: 'save-search',
    keys: [],
    group: 'places',
    description: (t) => t.saveSearch,
    offer: (page, t) => (page.search.query?.trim() ? { icon: 'bookmark', label: t.saveSearch } : null),
    run: (page) => {
      page.finding.naming = true;
    },
  },
];

export const allRead: Command = {
  id: 'all-read',
  keys: ['Shift+I'],
  shown: [['Shift', 'I']],
  group: 'threads',
  description: (t) => t.keyAllRead,
  offer: (page, t) => {
    const here = placeTitle(page.place, page.sources, t, page.finding.saved);
    return listed(page) && counted(page) ? { icon: 'check-check', label: t.markAllReadIn(here) } : null;
  },
  run: (page) => {
    if (!counted(page)) return false;
    void acts.markAllRead(page);
    return true;
  },
};

function groupCommand(group: Grouping, label: (t: Strings) => string, short: (t: Strings) => string): Command {
  return {
    id: `group-${group}`,
    keys: [],
    group: 'window',
    description: label,
    offer: (page, t) =>
      listed(page) && page.settings
        ? { icon: 'layers', label: label(t), short: short(t), checked: page.settings.group === group }
        : null,
    run: (page) => page.set({ group }),
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

/** Filters that have a meaning here. */
export function filterCommands(page: Page, t: Strings): Command[] {
  if (!listed(page) || page.search.query !== null) return [];
  return filters(page, t).map(({ id, token, label, short }) => ({
    id: `filter-${id}`,
    keys: [],
    group: 'window',
    description: () => label,
    offer: () => ({ icon: 'list-filter', label, short, checked: page.finding.filters.includes(token) }),
    run: (page) => page.finding.filter(token),
  }));
}

export const listCommands: readonly Command[] = [...moving, ...selecting, ...doing];
