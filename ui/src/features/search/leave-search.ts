// Leaving a search: the list has the focus before the next key press, however long it takes to load.
import { tick } from 'svelte';
import type { Stores } from '../../state/stores';
import { focusPane } from '../commands/pane-focus';

export function leaveSearch(stores: Stores): void {
  void stores.search.end();
  void tick().then(() => {
    if (stores.scope.query === null) focusPane('list');
  });
}
