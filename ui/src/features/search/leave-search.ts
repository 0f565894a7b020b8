// The way out of a search: the focus is in the list before the next key, however long the list takes to come.
import { tick } from 'svelte';
import type { Page } from '../../state/page.svelte';
import { focusPane } from '../commands/pane-focus';

export function leaveSearch(page: Page): void {
  void page.search.end();
  void tick().then(() => {
    if (page.search.query === null) focusPane('list');
  });
}
