// Commands that lead somewhere, and those for the searches that are kept.
import type { Place } from '../../generated/Place';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { Page } from '../../state/page.svelte';
import type { Command } from './command';
import { focusPlace } from './pane-focus';

const goTo = (key: string, description: Command['description'], place: Place): Command => ({
  id: `go-${key.at(-1)}`,
  keys: [key],
  group: 'places',
  description,
  place,
  run: (page) => {
    void page.go(place);
    return true;
  },
});

/** The palette and the menus offer the places themselves. */
export const placeCommands: readonly Command[] = [
  goTo('g i', (t) => t.inbox, { place: 'inbox' }),
  goTo('g u', (t) => t.unread, { place: 'unread' }),
  goTo('g p', (t) => t.pinned, { place: 'pinned' }),
  goTo('g s', (t) => t.snoozed, { place: 'snoozed' }),
  goTo('g d', (t) => t.done, { place: 'done' }),
  goTo('g a', (t) => t.announcements, { place: 'kind', kind: 'announcement' }),
  goTo('g c', (t) => t.conversations, { place: 'kind', kind: 'message' }),
];

/** The kept search that has the focus; without a key the one that is shown. */
function saved(page: Page, event?: KeyboardEvent): SavedSearch | undefined {
  const focused = event?.target instanceof Element ? event.target.closest<HTMLElement>('[data-place]') : null;
  const { place } = page;
  const shown = !event && place.place === 'saved' ? `saved-${place.id}` : undefined;
  return page.finding.saved.find((one) => `saved-${one.id}` === (focused?.dataset.place ?? shown));
}

function withSaved(run: (page: Page, search: SavedSearch) => unknown): Command['run'] {
  return (page, event) => {
    const search = saved(page, event);
    if (!search) return false;
    void run(page, search);
    return true;
  };
}

const move = (by: 1 | -1) =>
  withSaved((page, search) => page.finding.move(search, by).then(() => focusPlace({ place: 'saved', id: search.id })));

export const savedCommands: readonly Command[] = [
  {
    id: 'rename-search',
    keys: ['F2'],
    group: 'places',
    description: (t) => t.keyRename,
    offer: (page, t) => {
      const search = page.view === 'threads' ? saved(page) : undefined;
      return search ? { icon: 'pencil', label: t.renameSearch(search.name) } : null;
    },
    run: withSaved((page, search) => page.finding.rename(search.id)),
  },
  {
    id: 'remove-search',
    keys: ['Delete'],
    shown: [['Del']],
    group: 'places',
    description: (t) => t.keyRemoveSaved,
    offer: (page, t) => {
      const search = page.view === 'threads' ? saved(page) : undefined;
      return search ? { icon: 'trash-2', label: t.removeSearchOf(search.name) } : null;
    },
    run: withSaved((page, search) => page.finding.remove(search)),
  },
  {
    id: 'move-search',
    keys: ['Alt+ArrowDown'],
    shown: [
      ['Alt', '↓'],
      ['Alt', '↑'],
    ],
    group: 'places',
    description: (t) => t.keyMoveSaved,
    run: move(1),
  },
  {
    id: 'move-search-up',
    keys: ['Alt+ArrowUp'],
    shown: [],
    group: 'places',
    description: (t) => t.keyMoveSaved,
    run: move(-1),
  },
];
