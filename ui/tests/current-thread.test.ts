// Tests that there is one current thread: highlighted in the list, shown in the pane, and the one that commands act on.
import { expect, test } from 'vitest';
import { nextFrame } from '../src/dom/next-frame';
import type { MenuEntry } from '../src/generated/MenuEntry';
import { media } from './support/document';
import type { Opened } from './support/page';
import {
  asked,
  fill,
  find,
  known,
  marksOf,
  menu,
  open,
  press,
  readThreads,
  row,
  rows,
  sendThreads,
  snackbar,
  there,
  until,
} from './support/page';

const RUST = 2;

/** The highlighted thread, the shown one, and the one that the list names to screen readers. */
const current = ({ stores }: Opened) => [
  find('.thread.is-current').dataset.threadId,
  String(stores.reading.view?.row.id),
  find('[role="listbox"]').getAttribute('aria-activedescendant')?.replace('thread-', ''),
];

async function extended(): Promise<Opened> {
  const opened = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'x', 'J', 'J']) press(key);
  await until(() => find('.selecting').textContent?.includes('3 selected'));
  return opened;
}

test('after_a_selection_the_highlighted_thread_is_the_shown_one_and_the_one_that_is_archived', async () => {
  const opened = await extended();
  press('Escape');
  await there('.sheet');
  await until(() => current(opened).every((id) => id === '3'));
  find('.reading-pane [aria-keyshortcuts="p"]').click();
  await until(() => marksOf(opened.platform.asked, 'pin').length === 1);
  press('e');
  await until(() => marksOf(opened.platform.asked, 'archive').length === 1);
  expect(marksOf(opened.platform.asked, 'pin')[0]?.[1]).toEqual([3]);
  expect(marksOf(opened.platform.asked, 'archive')[0]?.[1]).toEqual([3]);
});

test('passing_by_while_rows_are_selected_reads_nothing', async () => {
  const { platform } = await extended();
  press('j');
  await new Promise((done) => setTimeout(done, 800));
  expect(readThreads(platform.asked)).toEqual([]);
});

test.each([
  ['e', 'archive'],
  ['u', 'read'],
  ['p', 'pin'],
] as const)(
  '%s_acts_on_the_uppermost_row_which_is_current_before_one_is_chosen_and_not_read_by_that',
  async (key, op) => {
    const opened = await open();
    const { stores, platform } = opened;
    const [first = 0] = stores.list.ids;
    await until(() => document.querySelector('.sheet') && current(opened).every((id) => id === String(first)));
    await new Promise((done) => setTimeout(done, 800));
    expect(readThreads(platform.asked)).toEqual([]);
    press(key);
    await until(() => marksOf(platform.asked, op).length === 1);
    expect(marksOf(platform.asked, op)[0]?.[1]).toEqual([first]);
  },
);

test.each([
  ['e', 'archive'],
  ['u', 'read'],
  ['p', 'pin'],
] as const)('in_one_pane_%s_lands_on_the_uppermost_row_and_acts_on_it_then', async (key, op) => {
  media.add('(max-width: 720px)');
  const { stores, platform } = await open();
  expect(stores.navigation.threadId, 'the list is on screen alone').toBeNull();
  const first = Number(rows()[0]?.dataset.threadId);
  press(key);
  await until(() => stores.reading.view?.row.id === first);
  expect(row(first).getAttribute('aria-selected')).toBe('true');
  expect(stores.itemsSeen.holds(first), 'landing reads nothing').toBe(true);
  expect(marksOf(platform.asked, op)).toEqual([]);
  press(key);
  await until(() => marksOf(platform.asked, op).length === 1);
  expect(marksOf(platform.asked, op)[0]?.[1]).toEqual([first]);
});

test('each_list_begins_with_a_current_thread_and_an_empty_one_has_none', async () => {
  const { stores, platform } = await open();
  find('[data-place="source-2"]').click();
  await until(() => stores.list.place.place === 'source' && stores.navigation.threadId !== null);
  const [first = 0] = stores.list.ids;
  expect(stores.navigation.threadId).toBe(first);
  await until(() => stores.reading.view?.row.id === first);
  find('[data-place="snoozed"]').click();
  await until(() => rows().length === 0 && document.querySelector('.sheet, .conversation') === null);
  expect(stores.navigation.threadId).toBeNull();
  expect(readThreads(platform.asked)).toEqual([]);
});

test('what_arrives_does_not_become_the_current_thread_unless_it_is_the_first', async () => {
  const { stores, platform } = await open('', (early) => {
    early.inbox = [];
  });
  expect(stores.navigation.threadId).toBeNull();
  platform.arrive({ id: 20_001, who: 'first' });
  await until(() => stores.navigation.threadId === 20_001);
  platform.arrive({ id: 20_002, who: 'second' });
  await until(() => rows()[0]?.dataset.threadId === '20002');
  expect(stores.navigation.threadId).toBe(20_001);
  expect(readThreads(platform.asked)).toEqual([]);
});

test('the_first_step_by_key_goes_to_the_uppermost_row_and_reads_it', async () => {
  const { stores, platform } = await open();
  const [first, second] = stores.list.ids;
  press('j');
  expect(stores.navigation.threadId).toBe(first);
  await until(() => readThreads(platform.asked).length === 1);
  expect(readThreads(platform.asked)).toEqual([first]);
  press('j');
  expect(stores.navigation.threadId).toBe(second);
});

test('a_window_that_becomes_wide_shows_the_uppermost_thread', async () => {
  media.add('(max-width: 720px)');
  const opened = await open();
  media.clear();
  dispatchEvent(new Event('resize'));
  await there('.sheet');
  await until(() => current(opened).every((id) => id === String(opened.stores.list.ids[0])));
});

test('the_key_that_snoozes_acts_on_the_uppermost_row_too_and_in_an_empty_list_nothing_happens', async () => {
  const { stores } = await open();
  press('h');
  await there('.snooze');
  stores.dialogs.snooze = null;
  stores.router.searchFor('nothing like this');
  await until(() => rows().length === 0 && stores.navigation.threadId === null);
  press('e');
  expect(stores.navigation.threadId).toBeNull();
});

test('a_selection_shows_the_current_thread_apart', async () => {
  await extended();
  const list = find('[role="listbox"]');
  expect(list.classList).toContain('is-selecting');
  expect(row(3).classList).toContain('is-current');
  expect(row(3).classList).toContain('is-checked');
  press('x');
  await until(() => !row(3).classList.contains('is-checked'));
  expect(row(3).classList, 'it is the current one also if it is not selected').toContain('is-current');
  expect(row(3).getAttribute('aria-selected')).toBe('false');
});

test('in_one_pane_the_next_thread_is_shown_too_when_the_window_grows', async () => {
  media.add('(max-width: 720px)');
  const opened = await open();
  press('j');
  press('e');
  await until(() => snackbar().includes('archived'));
  media.clear();
  await until(() => current(opened).every((id) => id === '2'));
});

test('in_one_pane_a_thread_that_was_read_stays_read_when_its_reader_goes_on', async () => {
  media.add('(max-width: 720px)');
  const { stores, platform } = await open();
  const [first = 0] = stores.list.ids;
  expect(row(first).dataset.unread).not.toBe('0');
  press('j');
  // Its items are laid out although the list covers them.
  await there('.reading-pane [data-item-msgid]');
  await nextFrame();
  press('Enter');
  await until(() => readThreads(platform.asked).includes(first));
  press('Escape');
  press('j');
  await until(() => stores.navigation.threadId !== first);
  expect(row(first).dataset.unread).toBe('0');
  sendThreads(platform);
  await until(() => row(first).dataset.unread === String(known(platform, first).row.unread));
  expect(row(first).dataset.unread).toBe('0');
});

test('a_thread_that_cannot_be_loaded_leaves_no_other_one_in_its_place', async () => {
  const opened = await open(`open=${RUST}`);
  await there('.sheet');
  const { platform, stores } = opened;
  const answer = platform.thread.bind(platform);
  platform.thread = () => Promise.reject({ code: 'storage', text: 'The disk does not answer.' });
  row(3).click();
  await until(() => find('.reading-pane').textContent?.includes('The disk does not answer.'));
  expect(document.querySelector('.sheet')).toBeNull();
  expect(stores.navigation.threadId).toBe(3);
  platform.thread = answer;
  expect(known(platform, 3).row.unread, 'what was not shown is not read').toBe(3);
  expect(row(3).dataset.unread).toBe('3');
  find('.reading-pane .btn').click();
  await until(() => current(opened).every((id) => id === '3'));
});

test('where_the_current_thread_is_deleted_its_neighbour_is_current_and_not_read_by_that', async () => {
  const opened = await open();
  const { stores, platform } = opened;
  const [, , third = 0, fourth = 0] = stores.list.ids;
  row(third).click();
  await until(() => stores.reading.view?.row.id === third);
  const gone = (...ids: number[]) =>
    platform.emit({ event: 'threads', rows: [], gone: ids, refetch: false, places: platform.places(), as_of: 1 });
  gone(third);
  await until(() => current(opened).every((id) => id === String(fourth)));
  expect(stores.itemsSeen.holds(fourth)).toBe(true);
  gone(...stores.list.ids);
  expect(stores.navigation.threadId, 'an empty list has none').toBeNull();
  await until(() => document.querySelector('.sheet') === null);
});

test('a_thread_that_is_archived_elsewhere_stays_before_its_reader', async () => {
  const { stores, platform } = await open(`open=${RUST}`);
  await there('.sheet');
  sendThreads(platform, { ...known(platform, RUST).row, archived: true });
  await until(() => !stores.list.has(RUST));
  expect(stores.navigation.threadId).toBe(RUST);
  expect(stores.reading.view?.row.id).toBe(RUST);
});

test('every_command_says_what_it_acts_on', async () => {
  const { platform } = await open(`open=${RUST}`);
  await there('.sheet');
  expect(find('.reading-pane [aria-keyshortcuts="e"]').title).toBe('Archive: Rust in 2026 (e)');
  const lines = () =>
    [...document.querySelectorAll('.palette [role="option"]')].map((line) =>
      line.textContent?.replace(/\s+/g, ' ').trim(),
    );
  press('k', { ctrlKey: true });
  await there('.palette');
  fill(find<HTMLInputElement>('.palette input'), 'archive');
  await until(() => lines().includes('Archive Rust in 2026 e'));
  press('Escape');
  await until(() => document.querySelector('.palette') === null);

  platform.choices.push(null, null);
  menu(row(3));
  await until(() => asked(platform, 'popup').length === 1);
  const heading = (at: number) => (asked(platform, 'popup')[at] as [string, MenuEntry[]])[1][0];
  expect(heading(0)).toMatchObject({ label: 'ci: Build 4812 failed on main', enabled: false });

  find('[role="listbox"]').focus();
  for (const key of ['x', 'J', 'J']) press(key);
  await there('.selecting');
  expect(find('.selecting [aria-keyshortcuts="e"]').title).toBe('Archive: 3 threads (e)');
  press('k', { ctrlKey: true });
  await there('.palette');
  fill(find<HTMLInputElement>('.palette input'), 'archive');
  await until(() => lines().includes('Archive 3 threads e'));
  press('Escape');
  await until(() => document.querySelector('.palette') === null);
  press('h');
  await there('.snooze');
  expect(find('.menu-title').textContent).toBe('Snooze 3 threads until');
  press('Escape');
  await until(() => document.querySelector('.snooze') === null);
  press('e');
  await until(() => snackbar().startsWith('3 threads archived'));
  press('k', { ctrlKey: true });
  await there('.palette');
  fill(find<HTMLInputElement>('.palette input'), 'undo');
  await until(() => lines().includes('Undo 3 threads archived z'));
});

test('archiving_several_threads_goes_on_with_their_neighbour_which_is_not_read_by_that', async () => {
  const { stores, platform } = await open();
  find('[role="listbox"]').focus();
  const [, second, third, fourth, fifth = 0] = stores.list.ids;
  for (const key of ['j', 'j']) press(key);
  await until(() => stores.navigation.threadId === second);
  for (const key of ['x', 'J', 'J']) press(key);
  await until(() => stores.navigation.threadId === fourth);
  press('e');
  expect(stores.list.ids).not.toContain(third);
  expect(stores.navigation.threadId).toBe(fifth);
  await until(() => stores.reading.view?.row.id === fifth && document.querySelector('.reading-pane [data-item-msgid]'));
  await nextFrame();
  const watched = () => asked(platform, 'watch').some(([, thread]) => thread === fifth);
  expect(watched(), 'nothing of it is being read').toBe(false);
  find('.reading-pane .scroll').dispatchEvent(new Event('pointerdown', { bubbles: true }));
  expect(watched(), 'its reader turned to it').toBe(true);
});

test('archiving_what_was_selected_by_its_boxes_goes_on_beside_it', async () => {
  const { stores } = await open();
  const [first = 0, , third = 0, fourth] = stores.list.ids;
  for (const id of [first, third]) row(id).querySelector<HTMLElement>('[data-check]')?.click();
  await there('.selecting');
  expect(stores.navigation.threadId, 'what was selected last is the current one').toBe(third);
  press('e');
  expect(stores.navigation.threadId).toBe(fourth);
});
