// The desktop's native context menus for a thread, a place, a source and a saved search, made from the command table.

import type { MenuEntry } from '../../generated/MenuEntry';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import { i18n } from '../../i18n/i18n.svelte';
import { keyHint, type Shortcut } from '../../shortcuts';
import { mutableOrigin, mutableSource } from '../../state/marks/mutes';
import type { Stores } from '../../state/stores';
import { shorten } from '../../text/shorten';
import { type Command, shortcutOf } from '../commands/command';
import { MUTE_ORIGIN, MUTE_THREADS } from '../commands/mute-commands';
import { allCommands } from '../commands/table';
import { subjectName, subjectRows } from '../commands/thread-commands';
import { openPublish } from '../compose/publish';
import { muteLines } from '../mute/mute-spans';
import type { PlaceLine } from '../places/place-lines';

/** A line of a menu with its action. */
export interface Line {
  readonly id: string;
  readonly label: string;
  readonly shortcut?: Shortcut | null;
  readonly checked?: boolean;
  readonly off?: boolean;
  /** The lines of its submenu. */
  readonly lines?: readonly Line[];
  readonly run: (stores: Stores) => unknown;
}

const THREAD = [
  [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `answer-${number}`),
  ['open', 'open-link', 'copy-link'],
  ['unread', 'archive', 'snooze', 'wake', 'pin', 'mute'],
  ['mute-there', 'subscription'],
  ['make-rule'],
  ['select', 'select-all'],
  ['undo'],
];
const SELECTION = [
  ['open-link'],
  ['unread', 'archive', 'snooze', 'wake', 'pin', 'mute'],
  ['mute-there', 'subscription'],
  ['select-all'],
];

function entryOf({ id, label: text, shortcut, checked, off, lines = [] }: Line): MenuEntry {
  const hint = shortcut ? keyHint(shortcut) : '';
  const label = hint ? `${text}\t${hint}` : text;
  return { id, label, enabled: !off, checked: checked ?? null, lines: lines.map(entryOf) };
}

/** A line that only opens its submenu; none if that is empty, and its single line in its place. */
function submenu(id: string, label: string, lines: readonly Line[]): readonly Line[] {
  return lines.length > 1 ? [{ id, label, lines, run: () => {} }] : lines;
}

/** The greatest length of a menu's heading, in characters. */
const HEADING = 48;

/** The first line of a menu, which says what the others act on. */
function heading(stores: Stores): Line[] {
  const name = subjectName(stores, i18n.t);
  return name === null ? [] : [{ id: 'about', label: shorten(name, HEADING), off: true, run: () => {} }];
}

const between: MenuEntry = { id: '', label: '', enabled: false, checked: null, lines: [] };

/** Shows groups of lines with separators between them, and runs the chosen line. */
async function show(stores: Stores, groups: readonly (readonly Line[])[]): Promise<void> {
  const shown = groups.filter((group) => group.length > 0);
  const entries = shown.flatMap((group, at) => [...(at > 0 ? [between] : []), ...group.map(entryOf)]);
  if (entries.length === 0) return;
  const choice = await stores.platform.popup(entries).catch((error: unknown) => {
    stores.feedback.fail(error);
    return null;
  });
  const line = shown
    .flat()
    .flatMap((one) => [one, ...(one.lines ?? [])])
    .find((one) => one.id === choice);
  if (line) await line.run(stores);
}

/** The lines of the commands with these ids that are offered now. */
function linesOf(stores: Stores, ids: readonly string[]): Line[] {
  const all = new Map(allCommands(stores, i18n.t).map((one) => [one.id, one]));
  return ids.flatMap((id) => {
    const command = all.get(id);
    return command ? lineOf(stores, command) : [];
  });
}

function lineOf(stores: Stores, command: Command): Line[] {
  const offer = command.offer?.(stores, i18n.t);
  if (!offer) return [];
  const checked = offer.checked === undefined ? {} : { checked: offer.checked };
  return [
    {
      id: command.id,
      label: offer.short ?? offer.label,
      shortcut: shortcutOf(command),
      ...checked,
      run: (stores) => command.run(stores),
    },
  ];
}

/** Shows the menu of a thread. */
export async function threadMenu(stores: Stores, id: number): Promise<void> {
  stores.selection.menuTarget = id;
  try {
    const groups = THREAD.map((ids) => linesOf(stores, ids));
    await show(stores, [heading(stores), ...groups, muteMenus(stores), publishLines(stores, id)]);
  } finally {
    stores.selection.menuTarget = null;
  }
}

/** The submenus that mute threads, and what they are from, for a time. */
function muteMenus(stores: Stores): Line[] {
  const origin = mutableOrigin(subjectRows(stores));
  return [
    ...submenu('mute-for', i18n.t.muteForTime, linesOf(stores, MUTE_THREADS)),
    ...submenu('mute-origin', i18n.t.muteOrigin(origin?.name ?? ''), linesOf(stores, MUTE_ORIGIN)),
  ];
}

/** The line that publishes on the topic of a thread. */
function publishLines(stores: Stores, id: number): Line[] {
  const row = stores.list.rows.get(id);
  if (!row?.topic) return [];
  const at = { source: row.source, topic: row.topic };
  return [{ id: 'publish', label: i18n.t.publishOn(row.topic), run: (stores) => openPublish(stores, at) }];
}

export function selectionMenu(stores: Stores): Promise<void> {
  const leave: Line = {
    id: 'leave',
    label: i18n.t.leaveSelection,
    shortcut: 'back',
    run: () => stores.selection.clear(),
  };
  const groups = SELECTION.map((ids) => linesOf(stores, ids));
  return show(stores, [heading(stores), ...groups, muteMenus(stores), [leave]]);
}

const paused = (source: SourceRow) => source.state.state === 'paused';

/** The line that publishes on a topic of a source. */
function topicLines({ id, topics = [] }: SourceRow): Line[] {
  const [topic, second] = topics;
  if (topic === undefined) return [];
  const label = second === undefined ? i18n.t.publishOn(topic) : i18n.t.publishOnTopic;
  return [{ id: 'publish', label, run: (stores) => openPublish(stores, { source: id, topic }) }];
}

function sourceLines(stores: Stores, source: SourceRow): Line[] {
  const t = i18n.t;
  const lines: Line[] = [
    ...topicLines(source),
    ...submenu('mute', t.muteSource, muteLines(stores, mutableSource(source, stores.places.sourceName(source)))),
    {
      id: 'pull',
      label: t.keyPull,
      off: paused(source),
      run: (stores) => stores.platform.trySource(source.id).catch(stores.feedback.fail),
    },
    {
      id: 'settings',
      label: t.settingsOf(t.sources),
      run: (stores) => stores.router.openSettings('sources'),
    },
  ];
  if (source.own) return lines;
  const on = !paused(source);
  const pause: Line = {
    id: 'pause',
    label: on ? t.pauseSource : t.resumeSource,
    run: (stores) => stores.platform.pauseSource(source.id, on).catch(stores.feedback.fail),
  };
  return [pause, ...lines];
}

function savedLines(stores: Stores, search: SavedSearch): Line[][] {
  const t = i18n.t;
  const all = stores.savedSearches.all;
  const at = all.findIndex((one) => one.id === search.id);
  return [
    [
      {
        id: 'rename',
        label: t.rename,
        shortcut: 'rename-search',
        run: () => (stores.savedSearches.renaming = search.id),
      },
      { id: 'edit', label: t.editSearch, run: () => stores.router.searchFor(search.query) },
    ],
    [
      {
        id: 'up',
        label: t.moveUp,
        shortcut: 'move-search-up',
        off: at <= 0,
        run: () => stores.savedSearches.move(search, -1),
      },
      {
        id: 'down',
        label: t.moveDown,
        shortcut: 'move-search',
        off: at === all.length - 1,
        run: () => stores.savedSearches.move(search, 1),
      },
    ],
    [
      {
        id: 'remove',
        label: t.removeSearch,
        shortcut: 'remove-search',
        run: () => stores.savedSearches.remove(search),
      },
    ],
  ];
}

/** Shows the menu of a place. */
export function placeMenu(stores: Stores, { place, name, unread, source }: PlaceLine): Promise<void> {
  const t = i18n.t;
  const search = place.place === 'saved' ? stores.savedSearches.all.find((one) => one.id === place.id) : undefined;
  const go: Line = { id: 'go', label: t.openPlace, run: (stores) => stores.router.go(place) };
  const read: Line = {
    id: 'all-read',
    label: t.markAllReadIn(name),
    run: (stores) => stores.threadActions.markAllRead(place),
  };
  return show(stores, [
    [go, ...(unread ? [read] : [])],
    source ? sourceLines(stores, source) : [],
    ...(search ? savedLines(stores, search) : []),
  ]);
}
