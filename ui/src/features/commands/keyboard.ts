// Runs the command of a key press. Letters do nothing while a text field has the focus, and are text in a conversation.
import { isShortcut, keyOf, shortcuts } from '../../shortcuts';
import type { Stores } from '../../state/stores';
import { type Command, shortcutOf } from './command';
import { inPane, isCharacter } from './key-target';
import { focusComposer } from './pane-focus';
import { keyBindings } from './table';

/** The time within which the second key of a sequence has to follow the first, ms. */
const SEQUENCE_TIMEOUT = 1500;

/** Shortcuts that apply to the text of a focused text field instead. */
const EDITING = new Set(['select-all', 'undo']);

const commands = new Map<string, Command>(
  keyBindings.flatMap((command) => {
    const shortcut = shortcutOf(command);
    return shortcut ? shortcuts[shortcut].map((key) => [key, command] as const) : [];
  }),
);
const firstKeys = new Set(
  [...commands.keys()].filter((key) => key.trim().includes(' ')).map((key) => key.split(' ')[0]),
);

function inText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

/** Whether the key press is in the reading pane; in one pane also where nothing has the focus, as the list is hidden. */
function inReading({ navigation }: Stores, event: KeyboardEvent): boolean {
  return (
    inPane(event, '.reading-pane') || (navigation.threadOpen && navigation.onePane && navigation.view === 'threads')
  );
}

/** Whether a key is text for the conversation: it goes into its composer, which may still be awaited. */
function isMessage(stores: Stores, event: KeyboardEvent): boolean {
  const { navigation, typeAhead } = stores;
  const awaited = typeAhead.thread !== null && typeAhead.thread === navigation.threadId;
  if (awaited && (isCharacter(event) || event.key === ' ')) {
    typeAhead.type(event.key);
    event.preventDefault();
    return true;
  }
  if (event.key !== 'Shift') typeAhead.cancel();
  // The character is entered where the focus is after this event.
  return isCharacter(event) && inReading(stores, event) && focusComposer();
}

export function keyHandler(stores: Stores): (event: KeyboardEvent) => void {
  let first: { key: string; at: number } | null = null;
  return (event) => {
    // A modal dialog receives the keys from the moment in which it is requested, also before it is in the document.
    if (event.isComposing || event.defaultPrevented || stores.dialogs.modal) return;
    const key = keyOf(event);
    const typing = inText(event.target);
    if (typing && !event.ctrlKey && !event.metaKey && !isShortcut(event, 'pane')) return;
    if (!typing && isMessage(stores, event)) {
      first = null;
      return;
    }
    const sequence = first && event.timeStamp - first.at < SEQUENCE_TIMEOUT ? `${first.key} ${key}` : null;
    first = null;
    if (firstKeys.has(key) && sequence === null) {
      first = { key, at: event.timeStamp };
      return;
    }
    const command = commands.get(sequence ?? key) ?? (sequence ? commands.get(key) : undefined);
    if (!command || (typing && EDITING.has(command.id))) return;
    if (stores.navigation.view === 'settings' && command.group === 'threads' && !command.inSettings) return;
    if (command.run(stores, event) !== false) event.preventDefault();
  };
}
