// Tests of undo: what comes back is selected, what is undone is known, and the end of a pause is undone as well.
import { expect, test, vi } from 'vitest';
import { asked, find, marksOf, open, press, row, rows, snackbar, until } from './support/page';

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

test('an_old_undo_says_first_what_it_would_undo', async () => {
  const { platform } = await open();
  for (const key of ['j', 'e']) press(key);
  await until(() => snackbar().includes('archived'));
  const later = performance.now() + 10 * 60_000;
  vi.spyOn(performance, 'now').mockImplementation(() => later);
  press('z');
  await until(() => snackbar().includes('Would undo: “backups: Backup done” archived'));
  expect(asked(platform, 'undo')).toEqual([]);
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
