// Commands that lead to a place, and commands for saved searches.
import type { Place } from '../../generated/Place';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { Shortcut } from '../../shortcuts';
import type { Stores } from '../../state/stores';
import type { Command } from './command';
import { focusPlace } from './pane-focus';

const goTo = (id: Shortcut, description: Command['description'], place: Place): Command => ({
  id,
  group: 'places',
  description,
  place,
  run: (stores) => {
    void stores.router.go(place);
    return true;
  },
});

/** Commands for the fixed places; the palette and the menus offer the places themselves. */
export const placeCommands: readonly Command[] = [
  goTo('go-inbox', (t) => t.inbox, { place: 'inbox' }),
  goTo('go-unread', (t) => t.unread, { place: 'unread' }),
  goTo('go-pinned', (t) => t.pinned, { place: 'pinned' }),
  goTo('go-snoozed', (t) => t.snoozed, { place: 'snoozed' }),
  goTo('go-done', (t) => t.done, { place: 'done' }),
  goTo('go-announcements', (t) => t.announcements, { place: 'kind', kind: 'announcement' }),
  goTo('go-conversations', (t) => t.conversations, { place: 'kind', kind: 'message' }),
];

/** The saved search that has the focus; without a key event, the one that is shown. */
function saved(stores: Stores, event?: KeyboardEvent): SavedSearch | undefined {
  const focused = event?.target instanceof Element ? event.target.closest<HTMLElement>('[data-place]') : null;
  const { place } = stores.scope;
  const shown = !event && place.place === 'saved' ? `saved-${place.id}` : undefined;
  return stores.savedSearches.all.find((one) => `saved-${one.id}` === (focused?.dataset.place ?? shown));
}

function withSaved(run: (stores: Stores, search: SavedSearch) => unknown): Command['run'] {
  return (stores, event) => {
    const search = saved(stores, event);
    if (!search) return false;
    void run(stores, search);
    return true;
  };
}

const move = (by: 1 | -1) =>
  withSaved((stores, search) =>
    stores.savedSearches.move(search, by).then(() => focusPlace({ place: 'saved', id: search.id })),
  );

export const savedCommands: readonly Command[] = [
  {
    id: 'rename-search',
    group: 'places',
    description: (t) => t.keyRename,
    offer: (stores, t) => {
      const search = stores.navigation.view === 'threads' ? saved(stores) : undefined;
      return search ? { icon: 'pencil', label: t.renameSearch(search.name) } : null;
    },
    run: withSaved((stores, search) => (stores.savedSearches.renaming = search.id)),
  },
  {
    id: 'remove-search',
    group: 'places',
    description: (t) => t.keyRemoveSaved,
    offer: (stores, t) => {
      const search = stores.navigation.view === 'threads' ? saved(stores) : undefined;
      return search ? { icon: 'trash-2', label: t.removeSearchOf(search.name) } : null;
    },
    run: withSaved((stores, search) => stores.savedSearches.remove(search)),
  },
  { id: 'move-search', group: 'places', description: (t) => t.keyMoveSaved, run: move(1) },
  { id: 'move-search-up', group: 'places', description: (t) => t.keyMoveSavedUp, run: move(-1) },
];
