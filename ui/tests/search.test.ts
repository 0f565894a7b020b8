// Tests of search: a query in its field, filters over a list, saved searches.
import { expect, test } from 'vitest';
import { joined, takeApart, termsOf, tokens } from '../src/text/query-text';
import { violations } from './support/axe';
import {
  announced,
  asked,
  clickOn,
  count,
  delayNextList,
  fill,
  find,
  open,
  press,
  rows,
  snackbar,
  there,
  until,
} from './support/page';
import { field, found, key, search, type } from './support/search';

const chips = () =>
  [...document.querySelectorAll<HTMLElement>('.query-field [data-chip]')].map((one) => one.dataset.chip);
const additions = () => [...document.querySelectorAll('.query-more .chip')].map((one) => one.textContent?.trim());
const completions = () => [...document.querySelectorAll('.completions [role="option"]')];

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
  expect(takeApart('优先级：5 带有:附件 日期：2026 x', false).chips).toEqual(['优先级：5', '带有:附件', '日期：2026']);
  expect(takeApart('foo:bar from: ', false)).toEqual({ chips: [], text: 'foo:bar from: ' });
  expect(takeApart('from:"Bo Kess', false)).toEqual({ chips: [], text: 'from:"Bo Kess' });
  expect(termsOf('from:bo "exact words" pull')).toEqual(['exact words', 'pull']);
  expect(joined(['from:bo'], ' pull ')).toBe('from:bo pull');
});

test('a_search_that_follows_escape_at_once_keeps_the_focus', async () => {
  await open('open=2');
  await there('.sheet');
  find('.reading-pane .scroll').focus();
  press('Escape');
  press('/');
  await until(() => document.activeElement === document.querySelector('input[type="search"]'));
  await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
  expect(document.activeElement).toBe(field());
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

test('completions_come_with_what_is_found_unless_that_takes_long', async () => {
  const { stores, platform } = await open();
  await search('');
  const listed: (string | null)[] = [];
  const watcher = new MutationObserver(() => {
    if (completions().length > 0) listed.push(stores.list.search);
  });
  watcher.observe(document.body, { childList: true, subtree: true });
  type('s');
  await until(() => completions().length > 0);
  watcher.disconnect();
  expect(listed[0]).toBe('s');
  const letGo = delayNextList(platform, 'after it waited');
  type('so');
  await until(() => completions()[0]?.querySelector('b')?.textContent === 'so');
  expect(stores.list.search).toBe('s');
  letGo();
  await until(() => stores.list.search === 'so');
});

test('names_with_spaces_digits_and_hyphens_are_completed', async () => {
  await open('', (platform) => {
    platform.sources = platform.sources.map((one) =>
      one.id === 2 ? { ...one, name: 'Old work' } : one.id === 3 ? { ...one, name: 'web-01' } : one,
    );
  });
  await search('build source:"old w');
  await until(() => completions().length === 1);
  expect(completions()[0]?.querySelector('b')?.textContent).toBe('source:"old w');
  key('Tab');
  await until(() => chips().length === 1);
  expect(chips()).toEqual(['source:"old work"']);
  expect(field().value).toBe('build');
  type('source:web-0');
  await until(() => completions().length === 1);
  key('Tab');
  await until(() => chips()[1] === 'source:web-01');
  type('before:2026-1');
  await until(() => completions().length > 0);
  expect(completions()[0]?.textContent).toContain('before:2026-11-01');
});

test('a_query_that_cannot_be_read_says_so_in_words_and_keeps_what_was_found', async () => {
  await open();
  await search('is:unread ');
  await until(() => found() === '7 threads, newest first');
  type('before:soon ');
  await there('[data-testid="query-error"]');
  expect(find('[data-testid="query-error"]').textContent).toContain('“before:soon” is not a date');
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

test('a_search_is_kept_under_a_name_renamed_moved_and_removed_with_a_way_back', async () => {
  const { stores, platform } = await open();
  expect(count('saved-1')).toBe('2');
  await search('is:unread build');
  await clickOn('.search-status .btn');
  await until(() => document.querySelector('.popover input') === document.activeElement);
  const name = find<HTMLInputElement>('.popover input');
  await until(() => name.value !== '' && name.selectionEnd === name.value.length);
  expect(name.selectionStart, 'the offered name is typed over').toBe(0);
  fill(name, 'Builds');
  find('.popover form').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  await until(() => document.querySelector('[data-place="saved-3"]')?.textContent?.includes('Builds'));
  expect(asked(platform, 'saveSearch').at(-1)).toEqual([
    'saveSearch',
    { id: 0, name: 'Builds', query: 'is:unread build', unread: 0, quiet: 0 },
  ]);
  find('[data-place="saved-3"]').click();
  await until(() => stores.scope.place.place === 'saved' && rows().length === 1);
  expect(find('.list h1').textContent).toBe('Builds');
  await until(() => document.querySelector('.thread mark')?.textContent === 'Build');

  find('[data-place="saved-3"]').focus();
  press('F2');
  await there('.place-name');
  const renamed = find<HTMLInputElement>('.place-name');
  renamed.value = 'Failing';
  key('Enter', renamed);
  await until(() => find('[data-place="saved-3"]').textContent?.includes('Failing'));
  await until(() => document.activeElement === find('[data-place="saved-3"]'));
  press('ArrowUp', { altKey: true });
  await until(() => platform.saved.map((one) => one.id).join() === '1,3,2');
  press('Delete');
  await until(() => document.querySelector('[data-place="saved-3"]') === null);
  expect(snackbar()).toContain('“Failing” removed');
  press('z');
  await until(() => platform.saved.map((one) => one.name).join() === 'From Bo, unread,Failing,Failed builds');
});

test('a_kept_search_counts_as_the_badge_does_and_says_what_is_quiet', async () => {
  await open('', (early) => {
    early.saved = early.saved.map((one) => (one.id === 1 ? { ...one, unread: 1, quiet: 2 } : one));
  });
  expect(count('saved-1')).toBe('1');
  expect(find('[data-place="saved-1"]').title).toBe('From Bo, unread: 1 unread thread, 2 quiet');
  find('[data-place="saved-1"]').click();
  await until(() => document.querySelector('[data-quiet]')?.textContent?.trim() === '2 quiet');
  expect(find('.list .sub').textContent).toBe('1 unread thread');
});

test('filters_narrow_the_place_stand_as_chips_and_come_off', async () => {
  const { stores, platform } = await open();
  find('[data-filters]').click();
  await there('[data-command="filter-unread"]');
  expect(find('[data-command="filter-unread"]').getAttribute('aria-checked')).toBe('false');
  expect(find('[data-command="filter-unread"]').textContent?.trim()).toBe('Unread');
  expect(find('[data-command="group-source"]').textContent?.trim()).toBe('By source');
  find('[data-command="filter-unread"]').click();
  await until(() => rows().length === 7);
  expect(find('[data-filter="is:unread"]').textContent?.trim()).toBe('Unread');
  expect(platform.asked.findLast(([what]) => what === 'threads')?.[1]).toMatchObject({
    place: { place: 'inbox' },
    search: 'is:unread',
    within: true,
  });
  await stores.search.filter('priority:4');
  await until(() => rows().length === 1);
  find('[data-filter="is:unread"]').click();
  await until(() => rows().length === 2);
  press('Escape');
  await until(() => rows().length === 12);
});

test('a_filter_looks_only_where_one_is', async () => {
  const { stores, platform } = await open('', (early) => {
    early.inbox = early.inbox.map((one) => (one.row.id === 3 ? { ...one, row: { ...one.row, archived: true } } : one));
  });
  await stores.search.filter('priority:4');
  await until(() => rows().length === 1);
  press('/');
  await there('input[type="search"]');
  type('priority:4 ');
  await until(() => found() === '2 threads, newest first');
  expect(platform.asked.findLast(([what]) => what === 'threads')?.[1]).toMatchObject({ within: false });
});

test('the_list_is_grouped_by_day_source_or_not_at_all_and_that_is_kept', async () => {
  const { platform } = await open();
  const headings = () => [...document.querySelectorAll('.day')].map((day) => day.textContent);
  await clickOn('[data-filters]', '[data-command="group-source"]');
  await until(() => headings()[0] === 'This computer');
  expect(headings()).toEqual(['This computer', 'Work', 'GitHub']);
  expect(platform.now.group).toBe('source');
  expect(rows()[0]?.dataset.threadId).toBe('1');
  await clickOn('[data-filters]', '[data-command="group-thread"]');
  await until(() => headings().length === 0);
  expect(rows().length).toBe(12);
});

test('under_sources_what_arrives_comes_in_under_its_own', async () => {
  const { stores, platform } = await open('group=source');
  const github = stores.list.ids.indexOf(9);
  platform.arrive({ id: 20_001, who: 'fresh', source: 3 });
  await until(() => stores.list.ids.indexOf(20_001) === github);
});

test('a_search_that_ended_at_its_limit_says_that_there_is_more', async () => {
  const { platform } = await open();
  const answer = platform.threads.bind(platform);
  platform.threads = async (query) => {
    const page = await answer(query);
    return query.search === null ? page : { ...page, total: 2_000, at_least: true };
  };
  await search('the');
  const count = () => document.querySelector('[data-testid="result-count"]')?.textContent;
  await until(() => count() === '2,000+ threads, newest first');
  (document.activeElement as HTMLElement).blur();
  press('a', { ctrlKey: true });
  const selected = () => document.querySelector('[data-testid="selected"]')?.textContent;
  await until(() => selected() === 'All 2,000+ in Results');
});

const corrections = () => [...document.querySelectorAll<HTMLElement>('[data-correction]')];
const empty = () => document.querySelector('.list .empty')?.textContent?.replace(/\s+/g, ' ').trim() ?? '';

test('a_mistyped_word_that_finds_nothing_is_corrected_by_enter', async () => {
  const { platform } = await open();
  platform.corrected.set('biuld', 'build');
  await search('biuld');
  await until(() => corrections().length === 1);
  expect(empty()).toBe('Nothing found No thread contains “biuld” Did you mean “build” (1)');
  await until(() => announced().startsWith('Nothing for “biuld”. Did you mean “build”?'));
  key('Enter');
  await until(() => rows().length === 1);
  expect(field().value).toBe('build');
  expect(document.activeElement).toBe(field());
  expect(corrections()).toEqual([]);
});

test('a_correction_is_a_button_and_is_gone_with_the_next_letter', async () => {
  const { platform } = await open('lang=zh');
  platform.corrected.set('rsut', 'rust');
  await search('rsut');
  await until(() => corrections().length === 1);
  expect(empty()).toContain('是不是要找 “rust”（');
  type('rsutx');
  await until(() => corrections().length === 0);
  type('rsut');
  await until(() => corrections().length === 1);
  expect(await violations()).toEqual([]);
  corrections()[0]?.click();
  await until(() => rows().length > 0 && field().value === 'rust');
});

test('what_finds_something_and_what_has_nothing_near_is_not_corrected', async () => {
  const { platform } = await open();
  await search('build');
  await until(() => rows().length === 1);
  expect(asked(platform, 'corrections')).toEqual([]);
  type('xyzzyx');
  await until(() => asked(platform, 'corrections').length === 1);
  expect(corrections()).toEqual([]);
  key('Enter');
  expect(document.activeElement).toBe(field());
});

test('tab_takes_a_completion_and_moves_the_focus_where_there_is_none', async () => {
  await open();
  await search('sou');
  await until(() => completions().length > 0);
  const tab = (more: KeyboardEventInit = {}) =>
    field().dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true, cancelable: true, ...more }));
  expect(tab({ shiftKey: true }), 'Shift+Tab keeps its effect').toBe(true);
  expect(field().value).toBe('sou');
  expect(tab()).toBe(false);
  await until(() => field().value === 'source:');
  type('build');
  await until(() => completions().length === 0);
  expect(tab(), 'with nothing to complete Tab keeps its effect').toBe(true);
  type('source:');
  await until(() => completions().length > 1);
  key('ArrowDown');
  key('ArrowDown');
  const second = completions()[1]?.textContent ?? '';
  await until(() => field().getAttribute('aria-activedescendant') === 'completion-1');
  expect(tab()).toBe(false);
  await until(() => chips().length === 1);
  expect(second).toContain(chips()[0]);
});
