// Tests of the palette, on the whole page.
import { beforeEach, expect, test } from 'vitest';
import { shortcutOf } from '../src/features/commands/command';
import { keyBindings } from '../src/features/commands/table';
import { commands } from '../src/features/palette/command-entries';
import { placeEntries } from '../src/features/palette/entries';
import type { ThreadQuery } from '../src/generated/ThreadQuery';
import { allEn as en } from '../src/i18n/all';
import { labelsOf, listedKeys } from '../src/shortcuts';
import { asked, fill, find, open, press, row, rows, snackbar, there, until } from './support/page';

beforeEach(() => localStorage.clear());

const field = () => find<HTMLInputElement>('.palette input');
const lines = () => [...document.querySelectorAll<HTMLElement>('.palette [role="option"]')];
const textOf = (line: Element) => line.querySelector(':scope > span:not(.avatar, .hint)')?.textContent?.trim() ?? '';
const selected = () => find('.palette [aria-selected="true"]');
const group = (id: string) =>
  [...(document.querySelector(`#palette-${id}`)?.parentElement?.querySelectorAll('[role="option"]') ?? [])].map(textOf);

async function palette(): Promise<void> {
  press('k', { ctrlKey: true });
  await until(() => document.querySelector('.palette') && document.activeElement === field());
}

function type(text: string): void {
  fill(field(), text);
}

async function closed(): Promise<void> {
  await until(() => document.querySelector('.palette') === null);
}

test('the_palette_takes_what_is_typed_from_the_moment_in_which_it_is_there', async () => {
  await open('open=2&still');
  const focused: (Element | null)[] = [];
  const watch = new MutationObserver(() => {
    if (document.querySelector('.palette')) focused.push(document.activeElement);
  });
  watch.observe(document.body, { childList: true, subtree: true });
  press('k', { ctrlKey: true });
  await until(() => focused.length > 0);
  watch.disconnect();
  expect(focused[0]).toBe(field());
});

test('what_is_typed_finds_commands_places_and_threads_with_the_hits_marked', async () => {
  await open('open=2&still');
  await palette();
  type('re');
  await until(() => group('threads').length > 0);
  expect(group('commands')[0]).toBe('Mark read Rust in 2026');
  expect(group('places')).toEqual(['Unread', 'From Bo, unread', 'Release crew']);
  expect(group('threads')).toContain('Release notes 1.4');
  expect(selected().querySelector('b')?.textContent).toBe('re');
  expect([...selected().querySelectorAll('kbd')].map((key) => key.textContent)).toEqual(['u']);
  const crew = lines().find((line) => textOf(line) === 'Release crew');
  expect(crew?.querySelector('.hint')?.textContent?.trim()).toBe('Conversation, 4 unread');
  const notes = lines().find((line) => textOf(line) === 'Release notes 1.4');
  expect(notes?.querySelector('.hint')?.textContent?.trim()).toBe('Work, Thursday');
});

test('arrows_choose_enter_runs_and_the_field_keeps_the_focus', async () => {
  const { stores } = await open();
  find('[role="listbox"]').focus();
  await palette();
  type('settings');
  await until(() => textOf(selected()) === 'Settings');
  expect(field().getAttribute('aria-activedescendant')).toBe(selected().id);
  press('ArrowUp');
  await until(() => selected() === lines().at(-1));
  press('ArrowDown');
  press('ArrowDown');
  await until(() => textOf(selected()) === 'Settings: General');
  press('ArrowDown');
  await until(() => textOf(selected()) === 'Settings: Notifications');
  expect(document.activeElement).toBe(field());
  press('Enter');
  await closed();
  await until(() => stores.navigation.view === 'settings' && stores.navigation.settingsTab === 'notifications');
});

test('escape_and_the_same_key_close_it_and_give_the_focus_back', async () => {
  await open();
  find('[role="listbox"]').focus();
  await palette();
  press('Escape');
  await closed();
  await until(() => document.activeElement === find('[role="listbox"]'));
  await palette();
  press('k', { ctrlKey: true });
  await closed();
});

test('a_command_does_what_its_key_does_and_can_be_undone', async () => {
  await open();
  row(1).click();
  await there('.sheet');
  await palette();
  type('archive');
  await until(() => textOf(selected()).startsWith('Archive '));
  press('Enter');
  await until(() => snackbar().includes('archived'));
  expect(document.querySelector('[data-thread-id="1"]')).toBeNull();
  await palette();
  type('undo');
  press('Enter');
  await until(() => rows()[0]?.dataset.threadId === '1');
});

test('a_command_that_opens_a_menu_finds_the_focus_in_it', async () => {
  await open('open=2');
  await there('.sheet');
  await palette();
  type('snooze');
  await until(() => textOf(selected()).startsWith('Snooze… '));
  press('Enter');
  await until(() => document.querySelector('.snooze')?.contains(document.activeElement));
});

test('a_place_a_source_and_a_thread_are_a_few_letters_away', async () => {
  const { stores } = await open();
  await palette();
  type('github');
  await until(() => group('places').includes('GitHub'));
  press('Enter');
  await until(() => stores.scope.place.place === 'source' && rows().length === 1);
  await palette();
  type('expires');
  await until(() => group('threads').length === 1);
  expect(textOf(selected())).toBe('certificates: nas-01 expires in 9 days');
  press('Enter');
  await until(() => document.querySelector('.sheet-title')?.textContent === 'nas-01 expires in 9 days');
});

test('a_thread_that_is_found_by_a_name_shows_the_name', async () => {
  await open();
  await palette();
  type('mei tanaka');
  await until(() => group('threads').includes('Mei Tanaka mentioned you in Release notes 1.4'));
});

test('empty_it_shows_the_last_five', async () => {
  await open();
  await palette();
  expect(lines().length).toBe(5);
  expect(document.querySelector('#palette-last')).toBeNull();
  for (const what of ['pinned', 'done', 'nas-01 expires', 'inbox']) {
    type(what);
    await until(() => textOf(selected()).toLowerCase().includes(what));
    press('Enter');
    await closed();
    await palette();
  }
  await until(() => group('last').length === 4);
  expect(group('last')).toEqual(['Inbox', 'certificates: nas-01 expires in 9 days', 'Done', 'Pinned']);
  expect(group('commands').length).toBe(1);
});

test('what_changes_everything_at_once_never_comes_first_nor_by_enter_alone', async () => {
  const { stores, platform } = await open();
  await palette();
  type('all');
  await until(() => group('commands').includes('Mark all read in Inbox'));
  expect(group('commands').at(-1)).toBe('Mark all read in Inbox');
  expect(textOf(selected())).not.toBe('Mark all read in Inbox');
  type('mark all');
  await until(() => lines().map(textOf).join() === 'Mark all read in Inbox');
  expect(document.querySelector('.palette [aria-selected="true"]')).toBeNull();
  press('Enter');
  press('ArrowDown');
  await until(() => textOf(selected()) === 'Mark all read in Inbox');
  expect(asked(platform, 'markAllRead')).toEqual([]);
  press('Enter');
  await closed();
  await until(() => snackbar().includes('read'));
  await palette();
  await until(() => group('last').length === 1);
  expect(textOf(selected()), 'also if it was used last').not.toBe('Mark all read in Inbox');
  expect(stores.list.total).toBe(12);
});

test('typing_errors_are_forgiven_where_nothing_is_called_so', async () => {
  await open('open=2');
  await palette();
  for (const typed of ['setings', 'settigns', 'ssettings']) {
    type(typed);
    await until(() => group('commands')[0] === 'Settings');
  }
  type('snozed');
  await until(() => group('places').includes('Snoozed'));
  type('pni');
  await there('.palette-none');
});

test('a_slash_takes_the_words_to_the_search', async () => {
  await open();
  await palette();
  type('rust');
  press('/');
  await closed();
  await until(() => document.querySelector('[data-testid="result-count"]')?.textContent === '1 thread, newest first');
  await until(() => document.activeElement?.matches('input[type="search"]'));
});

test('a_condition_that_is_being_typed_is_no_error_in_it', async () => {
  const { platform } = await open();
  await palette();
  type('is:unr');
  await until(() => asked(platform, 'threads').some(([, query]) => (query as ThreadQuery).search === 'is:unr'));
  type('is:unread');
  await until(() => group('threads').length > 0);
  expect(snackbar()).toBe('');
});

test('an_answer_that_comes_late_does_not_replace_a_newer_one', async () => {
  const { platform } = await open();
  const ask = platform.threads.bind(platform);
  const late = new Map<string | null, () => void>();
  platform.threads = async (query) => {
    await new Promise<void>((go) => late.set(query.search, go));
    return ask(query);
  };
  await palette();
  type('rust');
  await until(() => late.has('rust'));
  type('nas-01 expires');
  await until(() => late.has('nas-01 expires'));
  late.get('nas-01 expires')?.();
  await until(() => group('threads').length === 1);
  late.get('rust')?.();
  await new Promise((done) => setTimeout(done, 30));
  expect(group('threads')).toEqual(['certificates: nas-01 expires in 9 days']);
});

test('letters_typed_into_it_are_only_text_and_nothing_found_is_said', async () => {
  const { platform } = await open('open=2');
  await palette();
  for (const key of ['e', 'z', '?', 'x']) press(key);
  expect(platform.asked.some(([what, , mark]) => what === 'mark' && (mark as { op: string }).op === 'archive')).toBe(
    false,
  );
  type('xyzzy');
  await until(() => document.querySelector('.palette-none')?.textContent === 'Nothing found');
  expect(field().getAttribute('aria-expanded')).toBe('false');
  press('Enter');
  expect(document.querySelector('.palette')).not.toBeNull();
});

test('every_key_has_a_line_in_the_palette', async () => {
  const { platform, stores } = await open('open=2');
  await until(() => stores.reading.view !== null);
  const all = () => [...commands(stores, en), ...placeEntries(stores, en)];
  const keysOf = () => all().map((one) => one.keys?.join(' '));
  const offered = keysOf();
  // What is offered in a conversation, and in a saved search.
  await stores.router.openThread(5);
  await until(() => stores.reading.view?.row.id === 5);
  offered.push(...keysOf());
  // The commands that are offered if a service keeps subscriptions.
  const followed = platform.inbox.find((one) => one.row.follow)?.row.id ?? 0;
  await stores.router.openThread(followed);
  await until(() => stores.reading.view?.row.id === followed);
  offered.push(...keysOf());
  await stores.router.go({ place: 'saved', id: 1 });
  offered.push(...keysOf());
  // The list leaves out keys that move within the screen, the key that opened the palette, and the one that a number
  // follows.
  const apart = ['a', 'Space', 'Esc', 'Ctrl K', 'Menu', 'Alt ↓'];
  for (const binding of keyBindings) {
    const shortcut = shortcutOf(binding);
    const keys = shortcut && listedKeys(shortcut).map(labelsOf)[0]?.join(' ');
    if (keys && !apart.includes(keys)) expect(offered).toContain(keys);
  }
  const ids = all().map((one) => one.id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('in_settings_and_in_chinese_it_offers_what_has_a_meaning_there', async () => {
  await open('lang=zh');
  press(',', { ctrlKey: true });
  await there('.prefs');
  await palette();
  type('归档');
  await there('.palette-none');
  type('设置');
  await until(() => group('commands').includes('设置：来源'));
});

test('of_many_commands_those_that_begin_with_the_word_are_offered', async () => {
  const { stores } = await open('open=2');
  await until(() => stores.reading.view !== null);
  await palette();
  type('f');
  await until(() => lines().length > 0);
  const found = commands(stores, en).filter((one) => one.label.toLowerCase().includes('f'));
  expect(found.findIndex((one) => one.label === 'First thread')).toBeGreaterThanOrEqual(6);
  await until(() => group('commands').includes('First thread'));
  expect(group('commands').length).toBe(6);
});

test('in_chinese_the_english_names_find_commands_and_places_too', async () => {
  const { stores } = await open('lang=zh&open=2');
  await palette();
  type('archive');
  await until(() => group('commands').length === 1);
  expect(lines()[0]?.textContent).toContain('归档');
  expect(lines()[0]?.querySelector('.thread-preview b')?.textContent).toBe('Archive');
  type('snoozed');
  await until(() => group('places').length === 1);
  press('Enter');
  await until(() => stores.scope.place.place === 'snoozed');
});
