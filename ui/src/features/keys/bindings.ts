// Every key of the page, once: what it is called, what it does, when it does nothing.
import type { Place } from '../../generated/Place';
import type { Words } from '../../i18n/en';
import * as acts from '../../state/acts';
import type { Page } from '../../state/page.svelte';
import { focusComposer, focusPane, nextPane, pageDown, scrollReading } from './panes';

export interface Binding {
  /** As `KeyboardEvent.key` has it; `Mod` is Ctrl, or Cmd on a Mac; two keys follow one another. */
  readonly keys: readonly string[];
  readonly group: 'threads' | 'places' | 'window';
  readonly words: (t: Words) => string;
  /** How the dialog writes it, where that differs from `keys`. */
  readonly shown?: readonly (readonly string[])[];
  /** Where it leads, of the keys that lead to a place. */
  readonly place?: Place;
  /** Answers false when the key meant nothing here, and keeps its usual meaning. */
  readonly run: (page: Page, event: KeyboardEvent) => boolean | undefined;
}

const goTo = (key: string, words: Binding['words'], place: Place): Binding => ({
  keys: [key],
  group: 'places',
  words,
  place,
  run: (page) => {
    void page.go(place);
    return true;
  },
});

/** Arrows, Enter and Space keep their meaning on a control; in the reading pane the arrows scroll. */
function onControl(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('button, a, [role="separator"]') !== null;
}

function inPane(event: KeyboardEvent, pane: string): boolean {
  return event.target instanceof Element && event.target.closest(pane) !== null;
}

function step(by: 1 | -1) {
  return (page: Page, event: KeyboardEvent) => {
    if (event.key.startsWith('Arrow')) {
      if (inPane(event, '.places')) return moveInPlaces(event, by);
      if (inPane(event, '.read') || onControl(event)) return false;
    }
    acts.move(page, by);
    return true;
  };
}

function moveInPlaces(event: KeyboardEvent, by: 1 | -1): boolean {
  const all = [...document.querySelectorAll<HTMLElement>('.places [data-place]')];
  const at = all.indexOf(event.target as HTMLElement);
  if (at < 0) return false;
  all[at + by]?.focus();
  return true;
}

function openChosen(page: Page, event: KeyboardEvent): boolean {
  if (event.key === 'Enter' && onControl(event)) return false;
  if (event.key === 'Enter' && inPane(event, '.read')) return focusComposer();
  const id = page.chosen ?? page.list.ids[0];
  if (id === undefined) return false;
  void page.open(id).then(() => focusPane('read'));
  return true;
}

/** Opens the snooze menu beside what shows the chosen threads. */
export function snooze(page: Page): boolean {
  if (page.subjects.length === 0) return false;
  const from = ['.list [data-snooze]', '.read [data-snooze]', `#thread-${page.chosen}`, '[role="listbox"]']
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((found) => found !== null && found.checkVisibility?.() !== false);
  if (from) page.snoozeFrom(from);
  return true;
}

function some(run: (page: Page) => unknown) {
  return (page: Page) => {
    if (page.subjects.length === 0) return false;
    void run(page);
    return true;
  };
}

function space(page: Page, event: KeyboardEvent): boolean {
  if (onControl(event)) return false;
  if (page.chosen === null || !scrollReading()) acts.move(page, 1);
  return true;
}

function stepBack(page: Page): boolean {
  if (page.drawer) page.drawer = false;
  else if (page.selection.size > 0) page.selection = new Set();
  else if (page.inside && matchMedia('(max-width: 720px)').matches) {
    page.inside = false;
    focusPane('list');
  } else if (page.query !== null) {
    void page.endSearch().then(() => focusPane('list'));
  } else if (page.view === 'settings') {
    void page.go(page.place);
  } else if (document.activeElement?.closest('.read')) focusPane('list');
  else return false;
  return true;
}

export const bindings: readonly Binding[] = [
  { keys: ['j', 'ArrowDown'], shown: [['j'], ['↓']], group: 'threads', words: (t) => t.keyNext, run: step(1) },
  { keys: ['k', 'ArrowUp'], shown: [['k'], ['↑']], group: 'threads', words: (t) => t.keyPrevious, run: step(-1) },
  { keys: ['Enter', 'o'], group: 'threads', words: (t) => t.keyOpen, run: openChosen },
  { keys: ['e'], group: 'threads', words: (t) => t.keyArchive, run: some(acts.archive) },
  { keys: ['u'], group: 'threads', words: (t) => t.keyUnread, run: some(acts.toggleRead) },
  { keys: ['h'], group: 'threads', words: (t) => t.keySnooze, run: snooze },
  { keys: ['p'], group: 'threads', words: (t) => t.keyPin, run: some(acts.pin) },
  { keys: ['s', 'm'], group: 'threads', words: (t) => t.keyMute, run: some(acts.mute) },
  { keys: ['x'], group: 'threads', words: (t) => t.keySelect, run: some((page) => acts.toggleSelected(page)) },
  {
    keys: ['Shift+J'],
    shown: [['Shift', 'J'], ['K']],
    group: 'threads',
    words: (t) => t.keyExtend,
    run: some((page) => acts.extend(page, 1)),
  },
  {
    keys: ['Shift+K'],
    shown: [],
    group: 'threads',
    words: (t) => t.keyExtend,
    run: some((page) => acts.extend(page, -1)),
  },
  {
    keys: ['z', 'Mod+z'],
    shown: [['z'], ['Ctrl', 'Z']],
    group: 'threads',
    words: (t) => t.keyUndo,
    run: (page) => {
      void acts.undo(page);
      return true;
    },
  },
  {
    keys: ['n'],
    group: 'threads',
    words: (t) => t.keyNextUnread,
    run: (page) => {
      void acts.moveToUnread(page, 1);
      return true;
    },
  },
  {
    keys: ['Shift+N'],
    shown: [['N']],
    group: 'threads',
    words: (t) => t.keyPreviousUnread,
    run: (page) => {
      void acts.moveToUnread(page, -1);
      return true;
    },
  },
  { keys: [' '], shown: [['Space']], group: 'threads', words: (t) => t.keyPage, run: space },
  {
    keys: ['Shift+I'],
    shown: [['Shift', 'I']],
    group: 'threads',
    words: (t) => t.keyAllRead,
    run: (page) => {
      if (['pinned', 'snoozed', 'done'].includes(page.place.place)) return false;
      void acts.markAllRead(page);
      return true;
    },
  },

  goTo('g i', (t) => t.inbox, { place: 'inbox' }),
  goTo('g u', (t) => t.unread, { place: 'unread' }),
  goTo('g p', (t) => t.pinned, { place: 'pinned' }),
  goTo('g s', (t) => t.snoozed, { place: 'snoozed' }),
  goTo('g d', (t) => t.done, { place: 'done' }),
  goTo('g a', (t) => t.announcements, { place: 'kind', kind: 'announcement' }),
  goTo('g c', (t) => t.conversations, { place: 'kind', kind: 'message' }),

  {
    keys: ['/'],
    group: 'window',
    words: (t) => t.keySearch,
    run: (page) => {
      page.search(page.query ?? '');
      return true;
    },
  },
  {
    keys: ['Mod+k'],
    shown: [['Ctrl', 'K']],
    group: 'window',
    words: (t) => t.keyPalette,
    run: (page) => {
      page.palette = true;
      return true;
    },
  },
  {
    keys: ['F6', 'Shift+F6'],
    shown: [['F6']],
    group: 'window',
    words: (t) => t.keyPane,
    run: (_page, event) => {
      nextPane(event.shiftKey ? -1 : 1);
      return true;
    },
  },
  {
    keys: ['Mod+r'],
    shown: [['Ctrl', 'R']],
    group: 'window',
    words: (t) => t.keyPull,
    run: (page) => {
      acts.pullNow(page);
      return true;
    },
  },
  {
    keys: ['Mod+,'],
    shown: [['Ctrl', ',']],
    group: 'window',
    words: (t) => t.keySettings,
    run: (page) => {
      page.settingsAt('general');
      return true;
    },
  },
  {
    keys: ['?'],
    group: 'window',
    words: (t) => t.keyHelp,
    run: (page) => {
      page.help = true;
      return true;
    },
  },
  { keys: ['Escape'], shown: [['Esc']], group: 'window', words: (t) => t.keyEscape, run: stepBack },
  {
    keys: ['PageDown'],
    shown: [],
    group: 'threads',
    words: (t) => t.keyPage,
    run: (page, event) => !inPane(event, '.read') && pageDown(page, 1),
  },
  {
    keys: ['PageUp'],
    shown: [],
    group: 'threads',
    words: (t) => t.keyPage,
    run: (page, event) => !inPane(event, '.read') && pageDown(page, -1),
  },
  {
    keys: ['Home'],
    shown: [],
    group: 'threads',
    words: (t) => t.keyPrevious,
    run: (page, event) => !inPane(event, '.read') && acts.move(page, -page.list.ids.length),
  },
  {
    keys: ['End'],
    shown: [],
    group: 'threads',
    words: (t) => t.keyNext,
    run: (page, event) => !inPane(event, '.read') && acts.move(page, page.list.ids.length),
  },
];
