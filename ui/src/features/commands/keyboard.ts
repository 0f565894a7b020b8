// Runs the command of a key press. Letters do nothing while a text field has the focus, and are text in a conversation.
import { customKeys } from '../../custom-keys.svelte';
import { isShortcut, keyOf, keysOf } from '../../shortcuts';
import type { Stores } from '../../state/stores';
import { type Command, shortcutOf } from './command';
import { inPane, isCharacter } from './key-target';
import { focusComposer, paneAhead } from './pane-focus';
import { keyBindings } from './table';

/** The time within which the second key of a sequence has to follow the first, ms. */
export const SEQUENCE_TIMEOUT = 1500;

/** Keys that act on the text of a focused text field instead. Ctrl+↑ and ↓ lead from it to the items. */
const EDITING = new Set(
  ['a', 'z', 'y', 'Backspace', 'Delete', 'Home', 'End', 'ArrowLeft', 'ArrowRight'].flatMap((key) => [
    `Mod+${key}`,
    `Mod+Shift+${key}`,
  ]),
);

interface Bindings {
  /** The reader's keys from which these are made. */
  readonly of: unknown;
  /** The commands by each way to press them; of two with the same, the first in the table. */
  readonly commands: ReadonlyMap<string, Command>;
  /** The beginnings of sequences. */
  readonly beginnings: ReadonlySet<string>;
}

function waysOf(command: Command): readonly string[] {
  const shortcut = shortcutOf(command);
  const keys = shortcut ? keysOf(shortcut) : [];
  return command.numbered ? keys.flatMap((key) => [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${key} ${number}`)) : keys;
}

function bindings(): Bindings {
  const commands = new Map<string, Command>();
  for (const command of keyBindings) {
    for (const key of waysOf(command)) if (!commands.has(key)) commands.set(key, command);
  }
  const sequences = [...commands.keys()].filter((key) => key.trim().includes(' ')).map((key) => key.split(' '));
  const beginnings = sequences.flatMap((keys) => keys.slice(1).map((_, at) => keys.slice(0, at + 1).join(' ')));
  // A key that the reader gave to a command is that command's alone.
  return { of: customKeys.current, commands, beginnings: new Set(beginnings.filter((key) => !commands.has(key))) };
}

let made: Bindings | null = null;

/** The commands by their keys, made again after the reader changed some. */
function bound(): Bindings {
  if (made?.of !== customKeys.current) made = bindings();
  return made;
}

function inText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

/** Whether the key press is in the reading pane; in one pane also if nothing has the focus, since the list is hidden.
 * From the key that leaves the pane on, what is typed is meant for the pane to which the focus is on its way. */
function inReading({ navigation }: Stores, event: KeyboardEvent): boolean {
  const ahead = paneAhead();
  if (ahead !== null && ahead !== 'reading-pane') return false;
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
    const leavesField = isShortcut(event, 'pane') && !isCharacter(event);
    if (typing && !event.ctrlKey && !event.metaKey && !leavesField) return;
    if (!typing && isMessage(stores, event)) {
      first = null;
      return;
    }
    const { commands, beginnings } = bound();
    const sequence = first && event.timeStamp - first.at < SEQUENCE_TIMEOUT ? `${first.key} ${key}` : null;
    first = null;
    if (beginnings.has(sequence ?? key)) {
      first = { key: sequence ?? key, at: event.timeStamp };
      return;
    }
    const command = commands.get(sequence ?? key) ?? (sequence ? commands.get(key) : undefined);
    if (!command || (typing && EDITING.has(key))) return;
    if (stores.navigation.view !== 'threads' && command.group === 'threads' && !command.inSettings) return;
    if (command.run(stores, event) !== false) event.preventDefault();
  };
}

/**
 * Runs the commands that also work over a dialog, which keeps every key from the page. It is for the capture phase.
 */
export function anywhereHandler(stores: Stores): (event: KeyboardEvent) => void {
  return (event) => {
    const command = bound().commands.get(keyOf(event));
    if (event.isComposing || !command?.anywhere || inPane(event, '[data-records-keys]')) return;
    event.stopPropagation();
    if (command.run(stores, event) !== false) event.preventDefault();
  };
}
