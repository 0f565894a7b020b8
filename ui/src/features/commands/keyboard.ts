// Turns key presses into what they mean. A single letter does nothing while a text field has the focus.
import type { Stores } from '../../state/stores';
import type { Command } from './command';
import { bindings } from './table';

/** How long `g` waits for the key after it, ms. */
const SEQUENCE = 1500;

/** What these do belongs to the text that one writes. */
const EDITING = new Set(['Mod+a', 'Mod+z']);

const table = new Map<string, Command>(
  bindings.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)),
);

function inText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

function nameOf(event: KeyboardEvent): string {
  const letter = event.key.length === 1;
  const mod = event.ctrlKey || event.metaKey;
  if (event.altKey) return letter || mod ? '' : `Alt+${event.key}`;
  if (mod) return `Mod+${event.key.toLowerCase()}`;
  const upper = letter && event.key !== event.key.toLowerCase();
  return event.shiftKey && (upper || !letter) ? `Shift+${event.key}` : event.key;
}

export function keyHandler(stores: Stores): (event: KeyboardEvent) => void {
  let first: { key: string; at: number } | null = null;
  return (event) => {
    // A modal dialog has the keys from the moment in which it is requested, also before it is in the document.
    if (event.isComposing || event.defaultPrevented || stores.dialogs.modal) return;
    const name = nameOf(event);
    const typing = inText(event.target);
    if (typing && !event.ctrlKey && !event.metaKey && !['F6', 'Shift+F6'].includes(name)) return;
    if (typing && EDITING.has(name)) return;
    const started = first && event.timeStamp - first.at < SEQUENCE ? `${first.key} ${name}` : null;
    first = null;
    if (name === 'g' && started === null) {
      first = { key: name, at: event.timeStamp };
      return;
    }
    const binding = table.get(started ?? name) ?? (started ? table.get(name) : undefined);
    if (!binding) return;
    if (stores.navigation.view === 'settings' && binding.group === 'threads' && !binding.inSettings) return;
    if (binding.run(stores, event) !== false) event.preventDefault();
  };
}
