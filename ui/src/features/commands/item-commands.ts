// Commands that move the focus through the items of the open thread.
import type { Stores } from '../../state/stores';
import type { Command } from './command';
import { inPane } from './key-target';
import { focusItem } from './pane-focus';

/** In a field the keys move its caret, but from a message that is being written they lead to the messages above it. */
function step(by: 1 | -1) {
  return (stores: Stores, event?: KeyboardEvent): boolean => {
    if (stores.navigation.view !== 'threads' || stores.selection.on) return false;
    const { target } = event ?? {};
    const writes = target instanceof Element && target.matches('input, textarea');
    if (event && writes && !inPane(event, '.composer')) return false;
    return focusItem(by);
  };
}

const offer =
  (icon: 'chevron-down' | 'chevron-up', label: 'keyNextItem' | 'keyPreviousItem'): Command['offer'] =>
  (stores, t) =>
    stores.reading.view && stores.navigation.view === 'threads' ? { icon, label: t[label] } : null;

export const itemCommands: readonly Command[] = [
  {
    id: 'next-item',
    group: 'threads',
    description: (t) => t.keyNextItem,
    offer: offer('chevron-down', 'keyNextItem'),
    run: step(1),
  },
  {
    id: 'previous-item',
    group: 'threads',
    description: (t) => t.keyPreviousItem,
    offer: offer('chevron-up', 'keyPreviousItem'),
    run: step(-1),
  },
];
