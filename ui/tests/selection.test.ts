// Tests of marks on several threads, and of the context menus.
import { expect, test } from 'vitest';
import { clickOn, count, find, menu, open, press, readThreads, row, rows, snackbar, until } from './support/page';

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
  await until(() => count('inbox') === '15');
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

test('dragging_over_the_avatars_selects_the_rows_between', async () => {
  const { stores } = await open();
  const down = (target: Element, clientY: number) =>
    target.dispatchEvent(new MouseEvent('pointerdown', { bubbles: true, clientY, button: 0 }));
  down(row(2).querySelector('[data-check]') as Element, 130);
  window.dispatchEvent(new MouseEvent('pointermove', { clientY: 28 + 64 * 3 + 10 }));
  window.dispatchEvent(new MouseEvent('pointerup', { clientY: 28 + 64 * 3 + 10 }));
  row(4).click();
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
  expect(stores.navigation.threadId).toBeNull();
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

test('a_range_made_by_keys_becomes_shorter_on_the_way_back', async () => {
  const { stores } = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'x', 'J', 'J', 'K']) press(key);
  expect([...stores.selection.ids]).toEqual(stores.list.ids.slice(0, 2));
});
