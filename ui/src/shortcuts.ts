// The table of keyboard shortcuts. Commands, tooltips, menus, the list of shortcuts and `aria-keyshortcuts` read it.

/** Keys as in `KeyboardEvent.key`; `Mod` is Ctrl, or Cmd on a Mac; a space separates two keys pressed in sequence. */
export const shortcuts = {
  next: ['j', 'ArrowDown'],
  previous: ['k', 'ArrowUp'],
  'next-unread': ['n'],
  'previous-unread': ['Shift+N'],
  /** The second way works while one writes, too. */
  fresh: ['.', 'Mod+j'],
  space: [' '],
  first: ['Home'],
  last: ['End'],
  'page-down': ['PageDown'],
  'page-up': ['PageUp'],
  select: ['x'],
  extend: ['Shift+J', 'Shift+ArrowDown'],
  'extend-up': ['Shift+K', 'Shift+ArrowUp'],
  'select-all': ['Mod+a'],
  undo: ['z', 'Mod+z'],
  'all-read': ['Shift+I'],
  unread: ['u'],
  archive: ['e'],
  snooze: ['h'],
  pin: ['p'],
  mute: ['s', 'm'],
  open: ['Enter', 'o'],
  'go-inbox': ['g i'],
  'go-unread': ['g u'],
  'go-pinned': ['g p'],
  'go-snoozed': ['g s'],
  'go-done': ['g d'],
  'go-announcements': ['g a'],
  'go-conversations': ['g c'],
  'rename-search': ['F2'],
  'remove-search': ['Delete'],
  'move-search': ['Alt+ArrowDown'],
  'move-search-up': ['Alt+ArrowUp'],
  search: ['/', 'Mod+f'],
  palette: ['Mod+k'],
  'new-conversation': ['c'],
  attach: ['Mod+u'],
  pull: ['Mod+r', 'F5'],
  keys: ['?'],
  pane: ['F6', 'Shift+F6'],
  settings: ['Mod+,'],
  menu: ['ContextMenu', 'Shift+F10'],
  back: ['Escape'],
  /** In the composer only. */
  send: ['Enter'],
} as const satisfies Record<string, readonly string[]>;

export type Shortcut = keyof typeof shortcuts;

/** The keys in the list of shortcuts where they differ from the table: related commands share a line. */
const listed: Partial<Record<Shortcut, readonly string[]>> = {
  extend: ['Shift+J', 'Shift+K'],
  'extend-up': [],
  'page-down': [],
  'page-up': [],
  'move-search': ['Alt+ArrowDown', 'Alt+ArrowUp'],
  'move-search-up': [],
};

const mac = navigator.platform.startsWith('Mac');
const NAMES: Record<string, string> = {
  Mod: mac ? '⌘' : 'Ctrl',
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
  Delete: 'Del',
  ContextMenu: 'Menu',
};

/** The labels of the keys that are pressed together or in sequence. */
function labelsOf(key: string): string[] {
  if (key === ' ') return ['Space'];
  const parts = key.split(/[ +]/);
  const upper = key.includes('+');
  return parts.map((part) => NAMES[part] ?? (upper && part.length === 1 ? part.toUpperCase() : part));
}

/** The ways to press a shortcut, as the list of shortcuts shows them. */
export function listedLabels(shortcut: Shortcut): string[][] {
  return (listed[shortcut] ?? shortcuts[shortcut]).map(labelsOf);
}

/** The labels of one way to press a shortcut, by default the first. */
export function keyLabels(shortcut: Shortcut, way = 0): string[] {
  const ways: readonly string[] = shortcuts[shortcut];
  return labelsOf(ways[way] ?? shortcuts[shortcut][0]);
}

/** One way to press a shortcut as one string, for tooltips and menus: `Ctrl+K`. */
export function keyHint(shortcut: Shortcut, way = 0): string {
  return keyLabels(shortcut, way).join('+');
}

/** The value of `aria-keyshortcuts`, which cannot express sequences; undefined where there is no other way. */
export function ariaShortcuts(shortcut: Shortcut): string | undefined {
  const keys = shortcuts[shortcut].filter((key) => key === ' ' || !key.includes(' '));
  const names = keys.map((key) => key.replace('Mod', mac ? 'Meta' : 'Control').replace(/^ $/, 'Space'));
  return names.join(' ') || undefined;
}

/** The key of an event as the table writes it; empty where no shortcut can have it. */
export function keyOf(event: KeyboardEvent): string {
  const letter = event.key.length === 1;
  const mod = event.ctrlKey || event.metaKey;
  if (event.altKey) return letter || mod ? '' : `Alt+${event.key}`;
  if (mod) return `Mod+${event.key.toLowerCase()}`;
  const upper = letter && event.key !== event.key.toLowerCase();
  return event.shiftKey && (upper || !letter) ? `Shift+${event.key}` : event.key;
}

export function isShortcut(event: KeyboardEvent, shortcut: Shortcut): boolean {
  const keys: readonly string[] = shortcuts[shortcut];
  return keys.includes(keyOf(event));
}
