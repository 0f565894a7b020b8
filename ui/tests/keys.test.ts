// Tests of the page without a mouse: keys, and where the focus is after each.
import { expect, test, vi } from 'vitest';
import { focusPane, regainFocus } from '../src/features/commands/pane-focus';
import type { Scripted } from '../src/platform/scripted/scripted';
import { media } from './support/document';
import {
  announced,
  asked,
  fill,
  find,
  open,
  press,
  readThreads,
  row,
  rows,
  selectedRow,
  snackbar,
  there,
  until,
} from './support/page';

const focused = () => document.activeElement as HTMLElement;
/** The threads that were requested, in order; a thread may be requested again once it is shown. */
const requested = (platform: Scripted) =>
  asked(platform, 'thread')
    .map(([, id]) => id)
    .filter((id, at, all) => id !== all[at - 1]);

/** Presses keys at one moment, however long the page takes for each. */
function pressAtOnce(...keys: readonly string[]): void {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  for (const key of keys) press(key);
  now.mockRestore();
}

const list = () => find('.list [role="listbox"]');
const listed = (name: string) =>
  [...document.querySelectorAll('.key-group dt')].find((one) => one.textContent === name);

test('all_keys_are_listed_also_those_of_kept_searches_and_the_list_has_the_focus_so_that_arrows_scroll_it', async () => {
  await open();
  press('?');
  await there('.key-groups');
  await until(() => focused().matches('.dialog-body'));
  const keys = (name: string) =>
    [...(listed(name)?.nextElementSibling?.querySelectorAll('kbd') ?? [])].map((key) => key.textContent);
  expect(keys('Rename a saved search')).toEqual(['F2']);
  expect(keys('Remove a saved search')).toEqual(['Del']);
  expect(keys('Move a saved search')).toEqual(['Alt', '↓', 'Alt', '↑']);
  expect(keys('Extend the selection')).toEqual(['Shift', 'J', 'Shift', 'K']);
  const written = (id: string) => find(`[data-shortcut="${id}"] dd`).textContent?.replace(/\s+/g, ' ').trim();
  expect(written('go-inbox'), 'a sequence').toBe('g then i');
  expect(written('fresh'), 'two ways, of which one is a chord').toBe('. or Ctrl + J');
  expect(written('extend')).toBe('Shift + J or Shift + K');
});

test('the_keys_of_kept_searches_mean_nothing_elsewhere', async () => {
  const { stores, platform } = await open();
  list().focus();
  press('Delete');
  press('ArrowDown', { altKey: true });
  expect(platform.saved.length).toBe(2);
  find('[data-place="saved-2"]').focus();
  press('ArrowUp', { altKey: true });
  await until(() => platform.saved[0]?.id === 2);
  await until(() => focused().dataset.place === 'saved-2');
  expect(stores.scope.place.place).toBe('inbox');
});

test('the_settings_are_gone_through_by_keyboard_and_give_the_focus_back', async () => {
  const { stores } = await open();
  list().focus();
  press(',', { ctrlKey: true });
  await until(() => focused().dataset.settings === 'general');
  press('ArrowDown');
  expect(focused().dataset.settings).toBe('notifications');
  press('ArrowUp');
  expect(focused().dataset.settings).toBe('general');
  press('F6');
  await until(() => focused().matches('main .scroll'));
  press('j');
  expect(stores.currentThread.chosen).toBeNull();
  press('Escape');
  await until(() => focused() === list());
});

test('what_was_done_before_is_taken_back_in_the_settings_too', async () => {
  await open();
  press('j');
  press('e');
  await until(() => snackbar().includes('“backups: Backup done” archived'));
  press(',', { ctrlKey: true });
  await there('.prefs');
  press('z');
  await until(() => snackbar().startsWith('“backups: Backup done” is back'));
});

test('the_focus_stays_in_the_list_when_it_becomes_empty_and_when_it_has_rows_again', async () => {
  const { stores } = await open();
  await stores.router.go({ place: 'source', source: 3 });
  list().focus();
  press('j');
  press('e');
  await until(() => focused().matches('.list .empty'));
  press('z');
  await until(() => rows().length === 1);
  await until(() => focused() === list());
});

test('places_that_lie_over_the_list_take_the_focus_and_give_it_back', async () => {
  media.add('(max-width: 720px)');
  const { stores } = await open();
  stores.navigation.placesOpen = true;
  await until(() => focused().dataset.place === 'inbox');
  focused().remove();
  stores.navigation.placesOpen = false;
  await until(() => focused() === list());
});

test('a_key_that_is_held_down_moves_the_choice_and_shows_only_where_it_stops', async () => {
  const { stores, platform } = await open();
  pressAtOnce(...'jjjjjjj');
  expect(stores.navigation.threadId).toBe(7);
  expect(requested(platform)).toEqual([1]);
  await until(() => requested(platform).length === 2);
  expect(requested(platform)).toEqual([1, 7]);
  await until(() => stores.reading.view?.row.id === 7);
});

test('there_and_back_at_once_shows_the_thread_one_is_back_at', async () => {
  const { stores, platform } = await open('open=2');
  await until(() => stores.reading.view?.row.id === 2);
  await new Promise((done) => setTimeout(done, 100));
  pressAtOnce('j', 'k');
  expect(requested(platform)).toEqual([2, 3]);
  await until(() => requested(platform).length === 3);
  expect(requested(platform)).toEqual([2, 3, 2]);
  expect(stores.navigation.threadId).toBe(2);
  await until(() => stores.reading.view?.row.id === 2);
});

test('where_a_held_key_stops_counts_as_read_after_a_moment', async () => {
  const { platform } = await open();
  press('j');
  press('j');
  await until(() => readThreads(platform.asked).length === 1);
  expect(readThreads(platform.asked)).toEqual([2]);
});

test('shift_and_an_arrow_extend_the_selection_but_not_from_the_reading_pane', async () => {
  const { stores } = await open('open=2');
  list().focus();
  press('ArrowDown', { shiftKey: true });
  await until(() => [...stores.selection.ids].join() === '2,3');
  press('ArrowUp', { shiftKey: true });
  expect(stores.navigation.threadId).toBe(2);
  stores.selection.clear();
  await there('.reading-pane .scroll');
  find('.reading-pane .scroll').focus();
  press('ArrowDown', { shiftKey: true });
  expect(stores.selection.on).toBe(false);
});

test('how_much_is_selected_is_said', async () => {
  await open('rows=500');
  await until(() => announced() === '');
  press('a', { ctrlKey: true });
  await until(() => announced() === '512 threads selected');
});

test('a_search_is_asked_for_with_the_key_and_only_the_last_of_several_wishes_waits', async () => {
  const { platform } = await open();
  const ask = platform.threads.bind(platform);
  const held: (() => void)[] = [];
  const asked: (string | null)[] = [];
  press('/');
  await until(() => focused().matches('input[type="search"]'));
  vi.spyOn(platform, 'threads').mockImplementation(async (query) => {
    asked.push(query.search);
    await new Promise<void>((go) => held.push(go));
    return ask(query);
  });
  const field = focused() as HTMLInputElement;
  for (const text of ['b', 'bu', 'bui', 'buil', 'build']) {
    fill(field, text);
  }
  expect(asked).toEqual(['b', 'bu']);
  held[1]?.();
  await until(() => asked.length === 3);
  expect(asked).toEqual(['b', 'bu', 'build']);
  held[2]?.();
  await until(() => document.querySelector('[data-testid="result-count"]')?.textContent === '1 thread, newest first');
  held[0]?.();
  await new Promise((done) => setTimeout(done, 30));
  expect(rows().length).toBe(1);
  expect(selectedRow(), 'the first one that was found').toBe(row(3));
});

test('in_a_menu_a_letter_leads_to_the_line_that_begins_with_it', async () => {
  await open();
  find('[data-filters]').click();
  await until(() => focused().getAttribute('role') === 'menuitemradio');
  press('w');
  expect(focused().textContent?.trim()).toBe('With attachment');
  press('w');
  expect(focused().textContent?.trim()).toBe('With link');
  press('w');
  expect(focused().textContent?.trim()).toBe('With attachment');
  press('q');
  expect(focused().textContent?.trim()).toBe('With attachment');
});

test('in_a_field_everything_that_is_selected_is_its_text', async () => {
  const { stores } = await open();
  press('f', { ctrlKey: true });
  await until(() => focused().matches('input[type="search"]'));
  const event = new KeyboardEvent('keydown', { key: 'a', ctrlKey: true, bubbles: true, cancelable: true });
  focused().dispatchEvent(event);
  expect(event.defaultPrevented).toBe(false);
  expect(stores.selection.on).toBe(false);
});

test('what_receives_the_focus_before_the_next_frame_keeps_it', async () => {
  await open();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  regainFocus('list');
  const late = document.body.appendChild(document.createElement('input'));
  // The engine may not have laid it out yet.
  late.checkVisibility = () => false;
  late.focus();
  await new Promise((drawn) => requestAnimationFrame(drawn));
  expect(document.activeElement).toBe(late);
  late.remove();
});

test('a_pane_takes_no_focus_from_a_field_a_dialog_or_a_menu_that_received_it_meanwhile', async () => {
  await open();
  const late = document.body.appendChild(document.createElement('div'));
  late.innerHTML = `<input><textarea></textarea><select></select><p contenteditable="true" tabindex="0"></p>
    <div role="dialog" tabindex="-1"><button>Yes</button></div><div role="menu" tabindex="-1"><button>Pin</button></div>`;
  for (const one of late.querySelectorAll<HTMLElement>('input, textarea, select, [tabindex], button')) {
    find('[data-place="inbox"]').focus();
    focusPane('list');
    one.focus();
    await new Promise((drawn) => requestAnimationFrame(drawn));
    expect(document.activeElement === one, one.outerHTML).toBe(true);
  }
  find('[data-place="inbox"]').focus();
  focusPane('list');
  await until(() => document.activeElement === list());
  late.remove();
});
