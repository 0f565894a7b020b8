// The desktop's own menus, at the pointer: for a thread, a place, a source, a kept search. Made from the table of
// commands; refuses to draw anything.
import type { MenuEntry } from '../../generated/MenuEntry';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import { say } from '../../i18n/say.svelte';
import * as acts from '../../state/acts';
import type { Page } from '../../state/page.svelte';
import { allCommands } from '../keys/bindings';
import type { Command } from '../keys/command';
import { writtenKeys } from '../keys/written';
import type { PlaceLine } from '../places/lines';

/** A line of a menu and what it does; none is a line between groups. */
export interface Line {
  readonly id: string;
  readonly words: string;
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

function entryOf({ id, words, keys, checked, off }: Line): MenuEntry {
  const label = keys && keys.length > 0 ? `${words}\t${keys.join('+')}` : words;
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
  const all = new Map(allCommands(page, say.t).map((one) => [one.id, one]));
  return ids.flatMap((id) => {
    const command = all.get(id);
    return command ? lineOf(page, command) : [];
  });
}

function lineOf(page: Page, command: Command): Line[] {
  const offer = command.now?.(page, say.t);
  if (!offer) return [];
  const keys = writtenKeys(command)[0] ?? [];
  const checked = offer.checked === undefined ? {} : { checked: offer.checked };
  return [{ id: command.id, words: offer.words, keys, ...checked, run: (page) => command.run(page) }];
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
  const leave: Line = { id: 'leave', words: say.t.leaveSelection, keys: ['Esc'], run: () => page.selection.leave() };
  return show(page, [...SELECTION.map((ids) => linesOf(page, ids)), [leave]]);
}

const paused = (source: SourceRow) => source.state.state === 'paused';

function sourceLines(source: SourceRow): Line[] {
  const t = say.t;
  const lines: Line[] = [
    {
      id: 'pull',
      words: t.keyPull,
      off: paused(source),
      run: (page) => page.platform.trySource(source.id).catch(page.fail),
    },
    {
      id: 'settings',
      words: t.settingsOf(t.sources),
      run: (page) => page.settingsAt('sources'),
    },
  ];
  if (source.own) return lines;
  const on = !paused(source);
  const pause: Line = {
    id: 'pause',
    words: on ? t.pauseSource : t.resumeSource,
    run: (page) => page.platform.pauseSource(source.id, on).catch(page.fail),
  };
  return [pause, ...lines];
}

function savedLines(page: Page, search: SavedSearch): Line[][] {
  const t = say.t;
  const all = page.finding.saved;
  const at = all.findIndex((one) => one.id === search.id);
  return [
    [
      { id: 'rename', words: t.rename, keys: ['F2'], run: () => page.finding.rename(search.id) },
      { id: 'edit', words: t.editSearch, run: () => page.search.follow(search.query) },
    ],
    [
      { id: 'up', words: t.moveUp, keys: ['Alt', '↑'], off: at <= 0, run: () => page.finding.move(search, -1) },
      {
        id: 'down',
        words: t.moveDown,
        keys: ['Alt', '↓'],
        off: at === all.length - 1,
        run: () => page.finding.move(search, 1),
      },
    ],
    [{ id: 'remove', words: t.removeSearch, keys: ['Del'], run: () => page.finding.remove(search) }],
  ];
}

/** What can be done with a place. */
export function placeMenu(page: Page, { place, name, unread, source }: PlaceLine): Promise<void> {
  const t = say.t;
  const search = place.place === 'saved' ? page.finding.saved.find((one) => one.id === place.id) : undefined;
  const go: Line = { id: 'go', words: t.openPlace, run: (page) => page.go(place) };
  const read: Line = { id: 'all-read', words: t.markAllReadIn(name), run: (page) => acts.markAllRead(page, place) };
  return show(page, [
    [go, ...(unread ? [read] : [])],
    source ? sourceLines(source) : [],
    ...(search ? savedLines(page, search) : []),
  ]);
}
