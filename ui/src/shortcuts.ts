// The table of keyboard shortcuts, with the keys that the reader changed. Commands, tooltips, menus, the list of shortcuts
// and `aria-keyshortcuts` read it.
import { customKeys } from './custom-keys.svelte';

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
  subscription: ['Shift+S'],
  'mute-there': ['Shift+M'],
  /** Followed by the number of an answer. */
  answer: ['a'],
  open: ['Enter'],
  'next-item': ['Mod+ArrowDown'],
  'previous-item': ['Mod+ArrowUp'],
  'open-link': ['o'],
  'open-link-behind': ['Shift+O'],
  'go-inbox': ['g i'],
  'go-unread': ['g u'],
  'go-pinned': ['g p'],
  'go-snoozed': ['g s'],
  'go-done': ['g d'],
  'go-announcements': ['g a'],
  'go-conversations': ['g c'],
  digest: ['g w'],
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
  'zoom-in': ['Mod++', 'Mod+='],
  'zoom-out': ['Mod+-'],
  'zoom-reset': ['Mod+0'],
  menu: ['ContextMenu', 'Shift+F10'],
  back: ['Escape'],
  /** In the composer only. */
  send: ['Enter'],
} as const satisfies Record<string, readonly string[]>;

export type Shortcut = keyof typeof shortcuts;

/** The shortcuts that stay as they are: each dialog, menu and composer has them. */
const fixed: readonly Shortcut[] = ['back', 'send'];

/** Keys that no command can be given: dialogs, menus, text fields and the composer need them. */
export const reservedKeys = [
  'Escape',
  'Shift+Escape',
  'Tab',
  'Shift+Tab',
  'Shift+Enter',
  'Mod+c',
  'Mod+v',
  'Mod+x',
] as const satisfies readonly string[];

/** Keys that stay with the command that has them. */
export const keptKeys = { Enter: 'open', ' ': 'space' } as const satisfies Record<string, Shortcut>;

/** The names of the shortcuts whose keys can be changed. */
export const changeable = (Object.keys(shortcuts) as Shortcut[]).filter((one) => !fixed.includes(one));

export function isCustom(shortcut: Shortcut): boolean {
  return !fixed.includes(shortcut) && Object.hasOwn(customKeys.current, shortcut);
}

/** The ways to press a shortcut now; none if the reader took all of them away. */
export function keysOf(shortcut: Shortcut): readonly string[] {
  return (isCustom(shortcut) ? customKeys.current[shortcut] : undefined) ?? shortcuts[shortcut];
}

/** The shortcuts that share a line in the list as long as neither was changed, with the keys in it. */
const listedTogether: readonly { of: readonly [Shortcut, Shortcut]; keys: readonly string[] }[] = [
  { of: ['extend', 'extend-up'], keys: ['Shift+J', 'Shift+K'] },
  { of: ['move-search', 'move-search-up'], keys: ['Alt+ArrowDown', 'Alt+ArrowUp'] },
  { of: ['page-down', 'page-up'], keys: [] },
];

const mac = navigator.platform.startsWith('Mac');
const NAMES: Record<string, string> = {
  Mod: mac ? '⌘' : 'Ctrl',
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
  Delete: 'Del',
  ContextMenu: 'Menu',
  PageDown: 'Page Down',
  PageUp: 'Page Up',
};

/** The labels of the keys of each step: those of one are pressed together, the steps in sequence. */
export function stepsOf(key: string): string[][] {
  if (key === ' ') return [['Space']];
  return key.split(' ').map((step) => {
    // The plus of `Mod++` is a key itself.
    const parts = step.split(/\+(?!$)/);
    const upper = step.includes('+');
    return parts.map((part) => NAMES[part] ?? (upper && part.length === 1 ? part.toUpperCase() : part));
  });
}

/** The labels of all keys of a way to press a shortcut. */
export const labelsOf = (key: string): string[] => stepsOf(key).flat();

/** The ways to press a shortcut, as the list of shortcuts shows them. */
export function listedKeys(shortcut: Shortcut): readonly string[] {
  const line = listedTogether.find(({ of }) => of.includes(shortcut));
  if (!line || line.of.some(isCustom)) return keysOf(shortcut);
  return line.of[0] === shortcut ? line.keys : [];
}

/** The labels of one way to press a shortcut, by default the first; none if it has no keys. */
export function keyLabels(shortcut: Shortcut, way = 0): string[] {
  const ways = keysOf(shortcut);
  const key = ways[way] ?? ways[0];
  return key === undefined ? [] : labelsOf(key);
}

/** One way to press a shortcut as one string, for tooltips and menus: `Ctrl+K`. */
export function keyHint(shortcut: Shortcut, way = 0): string {
  return keyLabels(shortcut, way).join('+');
}

/** A label with a way to press its shortcut, for tooltips: `Search (/)`. */
export function withKey(label: string, shortcut: Shortcut, way = 0): string {
  const hint = keyHint(shortcut, way);
  return hint ? `${label} (${hint})` : label;
}

/** The labels of the keys of the answer that has this number; none if the reader took them away. */
export function answerKeys(number: number): string[] {
  const keys = keyLabels('answer');
  return keys.length > 0 ? [...keys, String(number)] : [];
}

/** A label with those keys: `Approve (a 1)`. */
export function withAnswerKeys(label: string, number: number): string {
  const keys = answerKeys(number);
  return keys.length > 0 ? `${label} (${keys.join(' ')})` : label;
}

/** The value of `aria-keyshortcuts`, which cannot express sequences; undefined if there is no other way. */
export function ariaShortcuts(shortcut: Shortcut): string | undefined {
  const keys = keysOf(shortcut).filter((key) => key === ' ' || !key.includes(' '));
  const names = keys.map((key) =>
    key
      .replace('Mod', mac ? 'Meta' : 'Control')
      .replace(/^ $/, 'Space')
      .replace(/\+$/, 'Plus'),
  );
  return names.join(' ') || undefined;
}

/** The key of an event as the table writes it; empty if no shortcut can have it. */
export function keyOf(event: KeyboardEvent): string {
  const { key } = event;
  const character = key.length === 1;
  const letter = character && key.toLowerCase() !== key.toUpperCase();
  const mod = event.ctrlKey || event.metaKey;
  const shift = event.shiftKey && (letter || !character) ? 'Shift+' : '';
  if (event.altKey) return character || mod ? '' : `Alt+${shift}${key}`;
  // With Ctrl a letter is written small, whatever Caps Lock says.
  if (mod) return `Mod+${shift}${letter ? key.toLowerCase() : key}`;
  const upper = letter && key !== key.toLowerCase();
  return event.shiftKey && (upper || !character) ? `Shift+${key}` : key;
}

export function isShortcut(event: KeyboardEvent, shortcut: Shortcut): boolean {
  return keysOf(shortcut).includes(keyOf(event));
}
