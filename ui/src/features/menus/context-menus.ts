// The desktop's own menus, at the pointer: for a thread, a place, a source, a kept search. Made from the table of
// commands; refuses to draw anything.
import type { MenuEntry } from '../../generated/MenuEntry';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import { i18n } from '../../i18n/i18n.svelte';
import * as acts from '../../state/marks/thread-actions';
import type { Page } from '../../state/page.svelte';
import type { Command } from '../commands/command';
import { keyLabels } from '../commands/key-labels';
import { allCommands } from '../commands/table';
import type { PlaceLine } from '../places/place-lines';

/** A line of a menu and what it does; none is a line between groups. */
export interface Line {
  readonly id: string;
  readonly label: string;
  readonly keys?: readonly string[];
  readonly checked?: boolean;
  readonly off?: boolean;
  readonly run: (page: Page) => unknown;
}

const THREAD = [
  ['open', 'open-link', 'copy-link'],
  ['unread', 'archive', 'snooze', 'wake', 'pin', 'mute'],
  ['select', 'select-all'],
  ['undo'],
];
const SELECTION = [['unread', 'archive', 'snooze', 'wake', 'pin', 'mute'], ['select-all']];

function entryOf({ id, label: text, keys, checked, off }: Line): MenuEntry {
  const label = keys && keys.length > 0 ? `${text}\t${keys.join('+')}` : text;
  return { id, label, enabled: !off, checked: checked ?? null, lines: [] };
}

const between: MenuEntry = { id: '', label: '', enabled: false, checked: null, lines: [] };

/** Shows the groups with lines between them, and does what is chosen. */
async function show(page: Page, groups: readonly (readonly Line[])[]): Promise<void> {
  const shown = groups.filter((group) => group.length > 0);
  const entries = shown.flatMap((group, at) => [...(at > 0 ? [between] : []), ...group.map(entryOf)]);
  if (entries.length === 0) return;
  const choice = await page.platform.popup(entries).catch((error: unknown) => {
    page.fail(error);
    return null;
  });
  const line = shown.flat().find((one) => one.id === choice);
  if (line) await line.run(page);
}

/** Commands by their ids, as far as they mean something now. */
function linesOf(page: Page, ids: readonly string[]): Line[] {
  const all = new Map(allCommands(page, i18n.t).map((one) => [one.id, one]));
  return ids.flatMap((id) => {
    const command = all.get(id);
    return command ? lineOf(page, command) : [];
  });
}

function lineOf(page: Page, command: Command): Line[] {
  const offer = command.offer?.(page, i18n.t);
  if (!offer) return [];
  const keys = keyLabels(command)[0] ?? [];
  const checked = offer.checked === undefined ? {} : { checked: offer.checked };
  return [{ id: command.id, label: offer.label, keys, ...checked, run: (page) => command.run(page) }];
}

/** What can be done with a thread, or with all that are selected when it is one of them. */
export async function threadMenu(page: Page, id: number): Promise<void> {
  if (page.selection.on) {
    await selectionMenu(page);
    return;
  }
  page.target = id;
  try {
    await show(
      page,
      THREAD.map((ids) => linesOf(page, ids)),
    );
  } finally {
    page.target = null;
  }
}

export function selectionMenu(page: Page): Promise<void> {
  const leave: Line = { id: 'leave', label: i18n.t.leaveSelection, keys: ['Esc'], run: () => page.selection.leave() };
  return show(page, [...SELECTION.map((ids) => linesOf(page, ids)), [leave]]);
}

const paused = (source: SourceRow) => source.state.state === 'paused';

function sourceLines(source: SourceRow): Line[] {
  const t = i18n.t;
  const lines: Line[] = [
    {
      id: 'pull',
      label: t.keyPull,
      off: paused(source),
      run: (page) => page.platform.trySource(source.id).catch(page.fail),
    },
    {
      id: 'settings',
      label: t.settingsOf(t.sources),
      run: (page) => page.settingsAt('sources'),
    },
  ];
  if (source.own) return lines;
  const on = !paused(source);
  const pause: Line = {
    id: 'pause',
    label: on ? t.pauseSource : t.resumeSource,
    run: (page) => page.platform.pauseSource(source.id, on).catch(page.fail),
  };
  return [pause, ...lines];
}

function savedLines(page: Page, search: SavedSearch): Line[][] {
  const t = i18n.t;
  const all = page.finding.saved;
  const at = all.findIndex((one) => one.id === search.id);
  return [
    [
      { id: 'rename', label: t.rename, keys: ['F2'], run: () => page.finding.rename(search.id) },
      { id: 'edit', label: t.editSearch, run: () => page.search.follow(search.query) },
    ],
    [
      { id: 'up', label: t.moveUp, keys: ['Alt', '↑'], off: at <= 0, run: () => page.finding.move(search, -1) },
      {
        id: 'down',
        label: t.moveDown,
        keys: ['Alt', '↓'],
        off: at === all.length - 1,
        run: () => page.finding.move(search, 1),
      },
    ],
    [{ id: 'remove', label: t.removeSearch, keys: ['Del'], run: () => page.finding.remove(search) }],
  ];
}

/** What can be done with a place. */
export function placeMenu(page: Page, { place, name, unread, source }: PlaceLine): Promise<void> {
  const t = i18n.t;
  const search = place.place === 'saved' ? page.finding.saved.find((one) => one.id === place.id) : undefined;
  const go: Line = { id: 'go', label: t.openPlace, run: (page) => page.go(place) };
  const read: Line = { id: 'all-read', label: t.markAllReadIn(name), run: (page) => acts.markAllRead(page, place) };
  return show(page, [
    [go, ...(unread ? [read] : [])],
    source ? sourceLines(source) : [],
    ...(search ? savedLines(page, search) : []),
  ]);
}
