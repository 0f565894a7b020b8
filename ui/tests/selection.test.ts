// Tests of marks on several threads, and of the context menus.
import { expect, test } from 'vitest';
import type { Scripted } from '../src/platform/scripted/scripted';
import type { Stores } from '../src/state/stores';
import {
  clickOn,
  count,
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
  until,
} from './support/page';

test('everything_that_matches_is_selected_and_marked_at_once', async () => {
  const { stores, platform } = await open('rows=500');
  row(1).querySelector<HTMLElement>('[data-check]')?.click();
  await until(() => find('.reading-pane').textContent?.includes('1 thread selected'));
  expect(find('.reading-pane .btn').textContent?.trim()).toBe('Select all 512 in Inbox');
  press('a', { ctrlKey: true });
  await until(() => document.querySelector('[data-testid="selected"]')?.textContent === 'All 512 in Inbox');
  expect(rows().every((one) => one.getAttribute('aria-selected') === 'true')).toBe(true);
  press('u');
  await until(() => platform.asked.some(([what]) => what === 'markBulk'));
  expect(platform.asked.find(([what]) => what === 'markBulk')?.slice(1)).toEqual([
    { place: { place: 'inbox' }, search: null, within: false },
    { op: 'read' },
  ]);
  expect(stores.selection.on).toBe(false);
  await until(() => snackbar().includes('marked read'));
  press('z');
  await until(() => count('inbox') === '13');
});

test('escape_leaves_the_selection_and_one_row_taken_out_leaves_the_others', async () => {
  const { stores } = await open();
  press('a', { ctrlKey: true });
  await until(() => stores.selection.all);
  row(2).querySelector<HTMLElement>('[data-check]')?.click();
  await until(() => document.querySelector('[data-testid="selected"]')?.textContent === '11 selected');
  press('Escape');
  await until(() => document.querySelector('.selecting') === null);
});

/** Drags from the box of a row to another one, both by their numbers from the top. */
function drag(from: number, to: number): void {
  const at = { clientY: 28 + 64 * (to - 1) + 10 };
  const down = new MouseEvent('pointerdown', { bubbles: true, clientY: 28 + 64 * (from - 1) + 10, button: 0 });
  rows()[from - 1]?.querySelector('[data-check]')?.dispatchEvent(down);
  window.dispatchEvent(new MouseEvent('pointermove', at));
  window.dispatchEvent(new MouseEvent('pointerup', at));
  rows()[to - 1]?.click();
}

test('dragging_over_the_avatars_selects_the_rows_between', async () => {
  const { stores } = await open();
  drag(2, 4);
  await until(() => [...stores.selection.ids].join() === '2,3,4');
});

test('a_right_click_opens_the_menu_of_the_thread_and_does_what_is_chosen', async () => {
  const { stores, platform } = await open();
  platform.choices.push('archive', null);
  menu(row(3));
  await until(() => snackbar().includes('“ci: Build 4812 failed on main” archived'));
  const entries = platform.asked.find(([what]) => what === 'popup')?.[1] as { id: string; label: string }[];
  expect(entries.map((one) => one.label)).toContain('Archive\te');
  expect(entries.map((one) => one.id)).toEqual(expect.arrayContaining(['unread', 'snooze', 'pin', 'mute', 'undo', '']));
  expect(stores.navigation.threadId, 'the current one stays').toBe(1);
  press('j');
  press('F10', { shiftKey: true });
  await until(() => platform.asked.filter(([what]) => what === 'popup').length === 2);
});

test('places_and_sources_have_menus_of_their_own', async () => {
  const { platform } = await open();
  platform.choices.push('pause', 'all-read');
  menu(find('[data-place="source-2"]'));
  await until(() => platform.asked.some(([what]) => what === 'pauseSource'));
  menu(find('[data-place="source-1"]'));
  await until(() => platform.asked.some(([what]) => what === 'markAllRead'));
  expect(platform.asked.find(([what]) => what === 'markAllRead')?.[1]).toEqual({ place: 'source', source: 1 });
});

test('without_a_scripted_answer_a_menu_stands_in_the_document', async () => {
  await open();
  menu(row(1));
  await clickOn('[data-menu="pin"]');
  await until(() => snackbar().includes('“backups: Backup done” pinned'));
});

const click = (id: number, more: MouseEventInit = {}) =>
  row(id).dispatchEvent(new MouseEvent('click', { bubbles: true, ...more }));

test('clicks_with_ctrl_and_shift_select_as_in_a_file_manager', async () => {
  const { stores, platform } = await open();
  const selected = () => [...stores.selection.ids].sort((a, b) => a - b).join();
  click(2);
  await until(() => readThreads(platform.asked).length === 1);
  click(5, { ctrlKey: true });
  expect(selected(), 'the current one and the clicked one').toBe('2,5');
  expect(stores.navigation.threadId).toBe(5);
  click(7, { shiftKey: true });
  expect(selected(), 'from the last one that was clicked alone').toBe('5,6,7');
  click(4, { shiftKey: true });
  expect(selected(), 'from the same one again').toBe('4,5');
  click(2, { ctrlKey: true });
  click(1, { ctrlKey: true, shiftKey: true });
  expect(selected(), 'and beside what was selected').toBe('1,2,4,5');
  click(1, { ctrlKey: true });
  expect(selected()).toBe('2,4,5');
  press('Escape');
  expect(stores.selection.on).toBe(false);
  expect(stores.navigation.threadId, 'the current one stays').toBe(1);
  expect(readThreads(platform.asked)).toEqual([2]);
  click(3, { ctrlKey: true });
  click(6);
  expect(stores.selection.on, 'a click opens a thread and selects nothing').toBe(false);
  expect(stores.navigation.threadId).toBe(6);
});

test('shift_with_the_first_click_selects_from_the_first_row', async () => {
  const { stores } = await open();
  click(3, { shiftKey: true });
  expect([...stores.selection.ids]).toEqual(stores.list.ids.slice(0, stores.list.indexOf(3) + 1));
  expect(stores.navigation.threadId).toBe(3);
});

test('ctrl_with_the_first_click_selects_its_row_alone_as_nobody_chose_the_current_one', async () => {
  const { stores } = await open();
  click(3, { ctrlKey: true });
  expect([...stores.selection.ids]).toEqual([3]);
});

test('a_range_made_by_keys_becomes_shorter_on_the_way_back', async () => {
  const { stores } = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'x', 'J', 'J', 'K']) press(key);
  expect([...stores.selection.ids]).toEqual(stores.list.ids.slice(0, 2));
});

/** The selected threads, as indexes of the list. */
const inOrder = ({ list, selection }: Stores) => [...selection.ids].map((id) => list.indexOf(id)).sort((a, b) => a - b);

/** A thread is deleted elsewhere. */
function gone(platform: Scripted, id: number): void {
  platform.inbox = platform.inbox.filter((one) => one.row.id !== id);
  platform.emit({ event: 'threads', rows: [], gone: [id], refetch: false, places: platform.places(), as_of: 1 });
}

test('ctrl_and_shift_add_one_range_to_another', async () => {
  const { stores } = await open();
  const ids = stores.list.ids;
  click(ids[1] as number);
  click(ids[2] as number, { shiftKey: true });
  click(ids[5] as number, { ctrlKey: true });
  click(ids[7] as number, { ctrlKey: true, shiftKey: true });
  click(ids[4] as number, { ctrlKey: true, shiftKey: true });
  expect(inOrder(stores)).toEqual([1, 2, 4, 5, 6, 7]);
  click(ids[6] as number, { shiftKey: true });
  expect(inOrder(stores), 'without Ctrl the range replaces the others').toEqual([5, 6]);
});

test('a_range_starts_at_the_current_thread_once_nothing_is_selected_and_where_its_first_row_is_gone', async () => {
  const { stores, platform } = await open();
  const ids = stores.list.ids;
  click(ids[0] as number);
  click(ids[0] as number, { ctrlKey: true });
  click(ids[0] as number, { ctrlKey: true });
  expect(stores.selection.on).toBe(false);
  find('[role="listbox"]').focus();
  for (const key of ['j', 'j']) press(key);
  click(ids[3] as number, { shiftKey: true });
  expect(inOrder(stores)).toEqual([2, 3]);
  gone(platform, ids[2] as number);
  click(ids[5] as number, { shiftKey: true });
  expect(inOrder(stores), 'from the current one').toEqual([2, 3, 4]);
});

test('a_range_goes_on_from_where_a_drag_began', async () => {
  const { stores } = await open();
  click(stores.list.ids[7] as number, { ctrlKey: true });
  drag(2, 4);
  await until(() => inOrder(stores).join() === '1,2,3,7');
  click(stores.list.ids[4] as number, { shiftKey: true });
  expect(inOrder(stores)).toEqual([1, 2, 3, 4]);
});

test('without_a_current_thread_keys_select_from_the_row_with_the_ring', async () => {
  const { stores } = await open();
  find('[role="listbox"]').focus();
  press('ArrowDown', { shiftKey: true });
  expect(inOrder(stores)).toEqual([0, 1]);
  press('Escape');
  stores.navigation.threadId = null;
  press('x');
  expect(inOrder(stores)).toEqual([0]);
  expect(stores.navigation.threadId).toBe(stores.list.ids[0]);
});

test('a_thread_that_leaves_the_list_leaves_the_selection', async () => {
  const { stores, platform } = await open();
  const ids = stores.list.ids;
  click(ids[1] as number);
  click(ids[3] as number, { shiftKey: true });
  gone(platform, ids[1] as number);
  await until(() => document.querySelector('[data-testid="selected"]')?.textContent === '2 selected');
  sendThreads(platform, { ...known(platform, ids[2] as number).row, archived: true });
  await until(() => document.querySelector('[data-testid="selected"]')?.textContent === '1 selected');
  press('e');
  await until(() => marksOf(platform.asked, 'archive').length === 1);
  expect(marksOf(platform.asked, 'archive')[0]?.[1]).toEqual([ids[3]]);
});

test('a_right_click_acts_on_the_selection_and_beside_it_on_its_row_alone', async () => {
  const { stores, platform } = await open();
  const ids = stores.list.ids;
  click(ids[1] as number);
  click(ids[2] as number, { shiftKey: true });
  platform.choices.push('pin', 'select');
  menu(row(ids[1] as number));
  await until(() => marksOf(platform.asked, 'pin').length === 1);
  expect(marksOf(platform.asked, 'pin')[0]?.[1]).toEqual([ids[1], ids[2]]);
  menu(row(ids[4] as number));
  await until(() => stores.selection.on);
  expect(inOrder(stores), 'the row of the menu is selected, not the current one').toEqual([4]);
  press('Escape');
  click(ids[1] as number);
  click(ids[2] as number, { shiftKey: true });
  platform.choices.push('archive');
  menu(row(ids[4] as number));
  await until(() => marksOf(platform.asked, 'archive').length === 1);
  expect(marksOf(platform.asked, 'archive')[0]?.[1]).toEqual([ids[4]]);
});

test('the_menu_key_acts_on_the_selection_also_where_the_current_thread_is_not_in_it', async () => {
  const { stores, platform } = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'x', 'J', 'j']) press(key);
  expect(inOrder(stores)).toEqual([0, 1]);
  expect(stores.navigation.threadId).toBe(stores.list.ids[2]);
  platform.choices.push('pin');
  press('F10', { shiftKey: true });
  await until(() => marksOf(platform.asked, 'pin').length === 1);
  expect(marksOf(platform.asked, 'pin')[0]?.[1]).toEqual(stores.list.ids.slice(0, 2));
});

test('the_menu_key_opens_the_menu_of_the_uppermost_row_where_no_thread_is_current_and_reads_nothing', async () => {
  const { stores, platform } = await open();
  const [first] = stores.list.ids;
  find('[role="listbox"]').focus();
  platform.choices.push('pin');
  press('F10', { shiftKey: true });
  await until(() => marksOf(platform.asked, 'pin').length === 1);
  expect(marksOf(platform.asked, 'pin')[0]?.[1]).toEqual([first]);
  expect(stores.navigation.threadId).toBe(first);
  expect(readThreads(platform.asked)).toEqual([]);
});

test('another_search_ends_the_selection_in_the_one_before', async () => {
  const { stores } = await open();
  stores.router.searchFor('build');
  await until(() => rows().length === 1);
  click(stores.list.ids[0] as number, { ctrlKey: true });
  stores.router.searchFor('rust');
  await until(() => stores.list.search === 'rust');
  expect(stores.selection.on).toBe(false);
});
