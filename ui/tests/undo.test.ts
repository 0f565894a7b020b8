// Tests of undo: what comes back is selected, what is undone is known, and the end of a pause is undone as well.
import { expect, test, vi } from 'vitest';
import { NOW } from '../src/platform/scripted/scripted-thread';
import {
  asked,
  delayNextList,
  find,
  marksOf,
  open,
  press,
  row,
  rows,
  selectedRow,
  sendThreads,
  snackbar,
  until,
} from './support/page';

test('what_undo_brings_back_is_selected', async () => {
  const { stores } = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'j', 'e']) press(key);
  await until(() => snackbar().includes('archived'));
  press('z');
  await until(() => row(2).getAttribute('aria-selected') === 'true');
  for (const key of ['x', 'J', 'J']) press(key);
  const three = [...stores.selection.ids];
  expect(three.length).toBe(3);
  press('e');
  await until(() => snackbar().startsWith('3 threads archived'));
  expect(rows().length).toBe(9);
  press('z');
  await until(() => stores.selection.ids.size === 3);
  expect([...stores.selection.ids].sort()).toEqual(three.sort());
  expect(stores.navigation.threadId).toBe(stores.list.ids[1]);
});

test('one_thread_that_comes_back_is_selected_in_place_of_others', async () => {
  const { stores } = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'e']) press(key);
  await until(() => snackbar().includes('archived'));
  for (const key of ['x', 'J', 'z']) press(key);
  await until(() => rows().length === 12 && !stores.selection.on);
  await until(() => selectedRow() === rows()[0]);
});

test('what_comes_back_is_selected_also_while_the_list_is_read_again', async () => {
  // Rows that become seen would hold the next list back once more.
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  const { stores, platform } = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'x', 'J', 'e']) press(key);
  await until(() => snackbar().startsWith('2 threads archived'));
  const held: (() => void)[] = [];
  // If an action is undone at once, the program only reports that the list is another one.
  Object.assign(platform, {
    emitThreads: () => {
      held.push(delayNextList(platform, 'before it waits'));
      sendThreads(platform);
    },
  });
  press('z');
  await until(() => held.length === 1);
  for (const letGo of held) letGo();
  await until(() => stores.selection.ids.size === 2);
});

test('an_old_undo_says_first_what_it_would_undo', async () => {
  const { platform, stores } = await open();
  for (const key of ['j', 'e']) press(key);
  await until(() => snackbar().includes('archived'));
  // The clock goes on while the computer sleeps.
  const read = vi.spyOn(stores.clock, 'read');
  for (let times = 1; times <= 2; times += 1) {
    read.mockReturnValue(NOW + times * 10 * 60_000);
    stores.feedback.snackbar.dismiss();
    press('z');
    await until(() => snackbar().includes('Would undo: “backups: Backup done” archived'));
    expect(asked(platform, 'undo')).toEqual([]);
  }
  press('z');
  await until(() => snackbar().includes('“backups: Backup done” is back'));
  expect(marksOf(platform.asked, 'archive').length).toBe(1);
});

test('the_end_of_a_pause_can_be_undone', async () => {
  const { platform, stores } = await open();
  platform.emit({ event: 'sync', sync: { ...platform.sync, paused_until: 0 }, sources: platform.sources });
  await until(() => document.querySelector('[data-testid="silence"]'));
  find('[data-testid="silence"]').click();
  await until(() => snackbar().includes('Pause ended'));
  expect(stores.dialogs.modal, 'nothing is asked').toBe(false);
  press('z');
  await until(() => asked(platform, 'pauseToasts').length === 2);
  expect(asked(platform, 'pauseToasts')).toEqual([
    ['pauseToasts', null],
    ['pauseToasts', 0],
  ]);
});
