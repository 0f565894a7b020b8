// Commands that move the focus through the items of the open thread.
import type { IconName } from '../../icons';
import type { Stores } from '../../state/stores';
import type { Command, Wording } from './command';
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

const itemCommand = (id: string, icon: IconName, name: Wording, by: 1 | -1): Command => ({
  id,
  group: 'threads',
  description: (t) => t[name],
  offer: (stores, t) => (stores.reading.view && stores.navigation.view === 'threads' ? { icon, label: t[name] } : null),
  run: step(by),
});

export const itemCommands: readonly Command[] = [
  itemCommand('next-item', 'chevron-down', 'keyNextItem', 1),
  itemCommand('previous-item', 'chevron-up', 'keyPreviousItem', -1),
];
