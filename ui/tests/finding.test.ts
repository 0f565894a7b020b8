// Stories of finding: a query in its field, filters over a list, searches that are kept, menus at the pointer.
import { expect, test } from 'vitest';
import { joined, takeApart, termsOf, tokens } from '../src/state/query-text';
import { count, find, open, press, row, rows, said, snack, until } from './window';

const field = () => find<HTMLInputElement>('input[type="search"]');
const chips = () =>
  [...document.querySelectorAll<HTMLElement>('.query-field [data-chip]')].map((one) => one.dataset.chip);
const additions = () => [...document.querySelectorAll('.query-more .chip')].map((one) => one.textContent?.trim());
const completions = () => [...document.querySelectorAll('.completions [role="option"]')];
const found = () => document.querySelector('[data-testid="found"]')?.textContent;

async function search(text = ''): Promise<void> {
  press('/');
  await until(() => document.querySelector('input[type="search"]'));
  if (text) type(text);
}

function type(text: string): void {
  field().value = text;
  field().dispatchEvent(new Event('input', { bubbles: true }));
}

function key(name: string, target: HTMLElement = field()): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
}

function menu(target: HTMLElement): void {
  target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
}

test('a_query_is_taken_apart_into_conditions_and_words', () => {
  expect(tokens('from:"Bo Kessler" pull "exact words" 同步')).toEqual([
    'from:"Bo Kessler"',
    'pull',
    '"exact words"',
    '同步',
  ]);
  expect(takeApart('from:bo pull', false)).toEqual({ chips: ['from:bo'], text: 'pull' });
  expect(takeApart('pull is:unread', false)).toEqual({ chips: [], text: 'pull is:unread' });
  expect(takeApart('pull is:unread', true)).toEqual({ chips: ['is:unread'], text: 'pull ' });
  expect(takeApart('来自：陈博 同步', false)).toEqual({ chips: ['来自：陈博'], text: '同步' });
  expect(takeApart('foo:bar from: ', false)).toEqual({ chips: [], text: 'foo:bar from: ' });
  expect(takeApart('from:"Bo Kess', false)).toEqual({ chips: [], text: 'from:"Bo Kess' });
  expect(termsOf('from:bo "exact words" pull')).toEqual(['exact words', 'pull']);
  expect(joined(['from:bo'], ' pull ')).toBe('from:bo pull');
});

test('a_condition_becomes_a_chip_and_backspace_makes_it_text_again', async () => {
  const { platform } = await open();
  await search();
  await until(() => additions().length === 3);
  expect(additions()).toEqual(['is:unread', 'source:work', 'before:2026-11-01']);
  type('is:unread ');
  await until(() => chips().length === 1);
  expect(field().value).toBe('');
  await until(() => found() === '7 threads, newest first');
  type('priority:5');
  key('Enter');
  await until(() => chips().length === 2);
  await until(() => found() === '1 thread, newest first');
  key('Backspace');
  await until(() => field().value === 'priority:5');
  expect(chips()).toEqual(['is:unread']);
  type('');
  await until(() => found() === '7 threads, newest first');
  find('[data-chip="is:unread"] button').click();
  await until(() => chips().length === 0);
  await until(() => rows().length === 12);
  const asked = platform.asked.filter(([what]) => what === 'threads').map(([, query]) => query as { search: string });
  expect(asked.some((query) => query.search === 'is:unread priority:5')).toBe(true);
});

test('a_suggestion_is_added_with_a_click_and_chips_are_reached_by_keyboard', async () => {
  await open();
  await search();
  await until(() => additions().length === 3);
  find('.query-more .chip').click();
  await until(() => chips()[0] === 'is:unread');
  expect(additions()).not.toContain('is:unread');
  field().setSelectionRange(0, 0);
  key('ArrowLeft');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove is:unread');
  key('Delete', document.activeElement as HTMLElement);
  await until(() => chips().length === 0);
  expect(document.activeElement).toBe(field());
});

test('what_is_typed_is_completed_with_arrows_tab_and_enter', async () => {
  await open();
  await search('sou');
  await until(() => completions().length > 0);
  expect(field().getAttribute('aria-expanded')).toBe('true');
  expect(completions()[0]?.querySelector('b')?.textContent).toBe('sou');
  key('Tab');
  await until(() => field().value === 'source:');
  await until(() => completions().length > 1);
  key('ArrowDown');
  await until(() => field().getAttribute('aria-activedescendant') === 'completion-0');
  key('Enter');
  await until(() => chips()[0] === 'source:work');
  await until(() => document.querySelector('.completions') === null);
  type('is:');
  await until(() => completions().length > 0);
  key('Escape');
  await until(() => document.querySelector('.completions') === null);
  expect(field().value).toBe('is:');
});

test('a_query_that_cannot_be_read_says_so_in_words_and_keeps_what_was_found', async () => {
  await open();
  await search('is:unread ');
  await until(() => found() === '7 threads, newest first');
  type('before:soon ');
  await until(() => document.querySelector('[data-testid="query-error"]'));
  expect(find('[data-testid="query-error"]').textContent).toContain('before: does not know “soon”');
  expect(rows().length).toBe(7);
  find('[data-chip="before:soon"] button').click();
  await until(() => document.querySelector('[data-testid="query-error"]') === null);
});

test('escape_leaves_a_search_in_steps', async () => {
  await open();
  await search('is:unread build');
  await until(() => chips().length === 1);
  await until(() => found() === '1 thread, newest first');
  key('Escape');
  await until(() => field().value === '');
  key('Escape');
  await until(() => chips().length === 0);
  key('Escape');
  await until(() => document.querySelector('input[type="search"]') === null);
});

test('what_was_found_is_marked_also_as_a_phrase_and_in_the_open_thread', async () => {
  await open();
  await search('"rust in 2026" is:unread ');
  await until(() => found() === '1 thread, newest first');
  expect(find('.thread mark').textContent).toBe('Rust in 2026');
  key('ArrowDown');
  await until(() => document.querySelector('.sheet-title mark')?.textContent === 'Rust in 2026');
});

test('a_search_is_kept_under_a_name_renamed_moved_and_removed_with_a_way_back', async () => {
  const { page, platform } = await open();
  expect(count('saved-1')).toBe('2');
  await search('is:unread build');
  await until(() => document.querySelector('.found .btn'));
  find('.found .btn').click();
  await until(() => document.querySelector('.popover input') === document.activeElement);
  const name = find<HTMLInputElement>('.popover input');
  name.value = 'Builds';
  name.dispatchEvent(new Event('input', { bubbles: true }));
  find('.popover form').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  await until(() => document.querySelector('[data-place="saved-3"]')?.textContent?.includes('Builds'));
  expect(platform.asked.at(-1)).toEqual(['saveSearch', { id: 0, name: 'Builds', query: 'is:unread build', unread: 0 }]);
  find('[data-place="saved-3"]').click();
  await until(() => page.place.place === 'saved' && rows().length === 1);
  expect(find('.list h1').textContent).toBe('Builds');
  expect(find('.thread mark').textContent).toBe('Build');

  find('[data-place="saved-3"]').focus();
  press('F2');
  await until(() => document.querySelector('.place-name'));
  const renamed = find<HTMLInputElement>('.place-name');
  renamed.value = 'Failing';
  key('Enter', renamed);
  await until(() => find('[data-place="saved-3"]').textContent?.includes('Failing'));
  await until(() => document.activeElement === find('[data-place="saved-3"]'));
  press('ArrowUp', { altKey: true });
  await until(() => platform.saved.map((one) => one.id).join() === '1,3,2');
  press('Delete');
  await until(() => document.querySelector('[data-place="saved-3"]') === null);
  expect(snack()).toContain('“Failing” removed');
  press('z');
  await until(() => platform.saved.map((one) => one.name).join() === 'From Bo, unread,Failing,Failed builds');
});

test('filters_narrow_the_place_stand_as_chips_and_come_off', async () => {
  const { page, platform } = await open();
  find('[data-filters]').click();
  await until(() => document.querySelector('[data-command="filter-unread"]'));
  expect(find('[data-command="filter-unread"]').getAttribute('aria-checked')).toBe('false');
  find('[data-command="filter-unread"]').click();
  await until(() => rows().length === 7);
  expect(find('[data-filter="is:unread"]').textContent?.trim()).toBe('Unread');
  expect(platform.asked.findLast(([what]) => what === 'threads')?.[1]).toMatchObject({
    place: { place: 'inbox' },
    search: 'is:unread',
    within: true,
  });
  await page.finding.filter('priority:4');
  await until(() => rows().length === 1);
  find('[data-filter="is:unread"]').click();
  await until(() => rows().length === 2);
  press('Escape');
  await until(() => rows().length === 12);
});

test('a_filter_looks_only_where_one_is', async () => {
  const { page, platform } = await open('', (early) => {
    early.known = early.known.map((one) => (one.row.id === 3 ? { ...one, row: { ...one.row, archived: true } } : one));
  });
  await page.finding.filter('priority:4');
  await until(() => rows().length === 1);
  press('/');
  await until(() => document.querySelector('input[type="search"]'));
  type('priority:4 ');
  await until(() => found() === '2 threads, newest first');
  expect(platform.asked.findLast(([what]) => what === 'threads')?.[1]).toMatchObject({ within: false });
});

test('the_list_is_grouped_by_day_source_or_not_at_all_and_that_is_kept', async () => {
  const { platform } = await open();
  const headings = () => [...document.querySelectorAll('.day')].map((day) => day.textContent);
  find('[data-filters]').click();
  await until(() => document.querySelector('[data-command="group-source"]'));
  find('[data-command="group-source"]').click();
  await until(() => headings()[0] === 'This computer');
  expect(headings()).toEqual(['This computer', 'Work', 'GitHub']);
  expect(platform.now.group).toBe('source');
  expect(rows()[0]?.dataset.threadId).toBe('1');
  find('[data-filters]').click();
  await until(() => document.querySelector('[data-command="group-thread"]'));
  find('[data-command="group-thread"]').click();
  await until(() => headings().length === 0);
  expect(rows().length).toBe(12);
});

test('under_sources_what_arrives_comes_in_under_its_own', async () => {
  const { page, platform } = await open('group=source');
  const github = page.list.ids.indexOf(9);
  platform.arrive({ id: 20_001, who: 'fresh', source: 3 });
  await until(() => page.list.ids.indexOf(20_001) === github);
});

test('everything_that_matches_is_selected_and_marked_at_once', async () => {
  const { page, platform } = await open('rows=500');
  row(1).querySelector<HTMLElement>('[data-check]')?.click();
  await until(() => find('.read').textContent?.includes('1 thread selected'));
  expect(find('.read .btn').textContent?.trim()).toBe('Select all 512 in Inbox');
  press('a', { ctrlKey: true });
  await until(() => document.querySelector('[data-testid="selected"]')?.textContent === 'All 512 in Inbox');
  expect(rows().every((one) => one.getAttribute('aria-selected') === 'true')).toBe(true);
  press('u');
  await until(() => platform.asked.some(([what]) => what === 'markEverything'));
  expect(platform.asked.find(([what]) => what === 'markEverything')?.slice(1)).toEqual([
    { place: { place: 'inbox' }, search: null, within: false },
    { op: 'read' },
  ]);
  expect(page.selection.on).toBe(false);
  await until(() => snack().includes('marked read'));
  press('z');
  await until(() => count('inbox') === '15');
});

test('escape_leaves_the_selection_and_one_row_taken_out_leaves_the_others', async () => {
  const { page } = await open();
  press('a', { ctrlKey: true });
  await until(() => page.selection.all);
  row(2).querySelector<HTMLElement>('[data-check]')?.click();
  await until(() => document.querySelector('[data-testid="selected"]')?.textContent === '11 selected');
  press('Escape');
  await until(() => document.querySelector('.selecting') === null);
});

test('dragging_over_the_avatars_selects_the_rows_between', async () => {
  const { page } = await open();
  const down = (target: Element, clientY: number) =>
    target.dispatchEvent(new MouseEvent('pointerdown', { bubbles: true, clientY, button: 0 }));
  down(row(2).querySelector('[data-check]') as Element, 130);
  window.dispatchEvent(new MouseEvent('pointermove', { clientY: 28 + 64 * 3 + 10 }));
  window.dispatchEvent(new MouseEvent('pointerup', { clientY: 28 + 64 * 3 + 10 }));
  row(4).click();
  await until(() => [...page.selection.ids].join() === '2,3,4');
});

test('a_right_click_opens_the_menu_of_the_thread_and_does_what_is_chosen', async () => {
  const { page, platform } = await open();
  platform.choices.push('archive', null);
  menu(row(3));
  await until(() => snack().includes('1 thread archived'));
  const entries = platform.asked.find(([what]) => what === 'popup')?.[1] as { id: string; label: string }[];
  expect(entries.map((one) => one.label)).toContain('Archive\te');
  expect(entries.map((one) => one.id)).toEqual(expect.arrayContaining(['unread', 'snooze', 'pin', 'mute', 'undo', '']));
  expect(page.chosen).toBeNull();
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
  await until(() => document.querySelector('[data-menu="pin"]'));
  find('[data-menu="pin"]').click();
  await until(() => snack().includes('1 thread pinned'));
});

test('every_mark_says_what_it_did_and_can_be_taken_back', async () => {
  const { platform } = await open();
  const keys = ['u', 'p', 's', 'e'];
  const words = ['marked read', 'pinned', 'muted', 'archived'];
  for (const [at, name] of keys.entries()) {
    if (at === 0) press('j');
    press(name);
    await until(() => snack().includes(words[at] ?? ''));
    press('z');
    await until(() => snack().startsWith('Undone'));
  }
  expect(platform.asked.filter(([what]) => what === 'undo').length).toBe(keys.length);
});

test('a_long_list_keeps_a_window_of_rows_and_its_ends_are_one_key_away', async () => {
  const { page, platform } = await open('rows=1000000');
  press('j');
  press('End');
  await until(() => page.list.ids.at(-1) === 10_000 + 999_999);
  expect(page.chosen).toBe(10_000 + 999_999);
  expect(page.list.offset + page.list.ids.length).toBe(1_000_012);
  expect(row(1_009_999).getAttribute('aria-posinset')).toBe('1000012');
  const scroll = (px: number) => {
    find('[role="listbox"]').scrollTop = px;
    find('[role="listbox"]').dispatchEvent(new Event('scroll'));
  };
  scroll(100 * 64);
  for (let turn = 0; turn < 9; turn += 1) {
    const before = page.list.ids[0];
    await page.list.more('above');
    expect(page.list.ids[0]).not.toBe(before);
    scroll(100 * 64);
  }
  expect(page.list.ids.length).toBeLessThanOrEqual(2000);
  expect(page.list.rows.size).toBe(page.list.ids.length);
  const ids = page.list.ids;
  expect(ids.every((id, at) => at === 0 || id === (ids[at - 1] ?? 0) + 1)).toBe(true);
  await page.list.more('below');
  expect(page.list.ids.every((id, at, all) => at === 0 || id === (all[at - 1] ?? 0) + 1)).toBe(true);
  press('Home');
  await until(() => page.list.ids[0] === 1 && page.chosen === 1);
  expect(page.list.offset).toBe(0);
  expect(
    platform.asked
      .filter(([what]) => what === 'threads')
      .every(([, query]) => (query as { limit: number }).limit <= 500),
  ).toBe(true);
});

test('a_storm_at_the_top_keeps_the_window_small_and_the_order_right', async () => {
  const { page, platform } = await open('rows=1000000');
  const from = 5_000_000;
  for (let batch = 0; batch < 30; batch += 1) {
    const rows = Array.from({ length: 100 }, (_, at) => ({
      id: from + batch * 100 + at,
      time: Date.now() + batch * 100 + at,
    }));
    platform.arriveTogether(rows);
    await new Promise((done) => setTimeout(done));
  }
  await until(() => page.list.ids.length <= 2000 && page.list.ids[0] === from + 2999);
  expect(page.list.ids.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, at) => from + 2999 - at));
  expect(new Set(page.list.ids).size).toBe(page.list.ids.length);
});

test('further_down_a_storm_waits_and_is_let_in_at_the_top', async () => {
  const { page, platform } = await open('rows=1000000');
  page.list.atTop = false;
  page.list.inSight = page.list.ids[100] ?? null;
  const before = page.list.ids;
  platform.arriveTogether(Array.from({ length: 800 }, (_, at) => ({ id: 5_000_000 + at, time: Date.now() + at })));
  await until(() => document.querySelector('[data-testid="fresh"]')?.textContent?.trim() === '800 new');
  expect(page.list.ids).toEqual(before);
  find('[data-testid="fresh"]').click();
  await until(() => page.list.ids[0] === 5_000_799);
  await until(() => document.querySelector('[data-testid="fresh"]') === null);
  expect(said()).toContain('new');
});
