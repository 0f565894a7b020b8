// Tests of the results of a search: its rows, the first of them in the pane, and no error for half of a condition.
import { expect, test } from 'vitest';
import { fromHit, spansOf } from '../src/text/highlight';
import { ARTICLE, items } from './support/article';
import {
  asked,
  delayNextList,
  delayNextThread,
  find,
  known,
  open,
  press,
  readThreads,
  row,
  rows,
  sendThreads,
  there,
  until,
} from './support/page';
import { field, found, key, search, type } from './support/search';

test('a_condition_that_is_being_typed_is_no_error_yet', async () => {
  const { platform } = await open();
  await search('is:unread ');
  await until(() => found() === '7 threads, newest first');
  const answered = () =>
    asked(platform, 'threads').filter(([, query]) => JSON.stringify(query).includes('is:pi')).length;
  type('is:pi');
  await until(answered);
  expect(document.querySelector('[data-testid="query-error"]')).toBeNull();
  expect(found(), 'what was found stays').toBe('7 threads, newest first');
  type('is:pi ');
  await there('[data-testid="query-error"]');
  type('before:"2026 ');
  await until(() => document.querySelector('[data-testid="query-error"]') === null);
});

test('the_desktop_asks_for_a_search_also_while_the_page_starts', async () => {
  const { stores } = await open('', (early) => {
    const answer = early.bootstrap.bind(early);
    early.bootstrap = (hear) => {
      hear({ event: 'search', query: 'build' });
      return answer(hear);
    };
  });
  await until(() => found() === '1 thread, newest first');
  expect(stores.scope.query).toBe('build');
});

test('a_condition_is_typed_before_words_too', async () => {
  const { platform } = await open();
  await search('build');
  await until(() => found() === '1 thread, newest first');
  for (let end = 1; end <= 'is:unread'.length; end += 1) {
    const text = 'is:unread'.slice(0, end);
    field().value = `${text} build`;
    field().setSelectionRange(end, end);
    field().dispatchEvent(new Event('input', { bubbles: true }));
    await until(() => asked(platform, 'threads').some(([, query]) => JSON.stringify(query).includes(`${text} build`)));
    expect(document.querySelector('[data-chip], [data-testid="query-error"]'), text).toBeNull();
  }
  field().value = 'is:unread  build';
  field().setSelectionRange(10, 10);
  field().dispatchEvent(new Event('input', { bubbles: true }));
  await there('[data-chip="is:unread"]');
  expect(field().value).toBe('build');
});

test('the_open_thread_is_not_drawn_anew_before_what_a_search_found_takes_its_place', async () => {
  const { stores, platform } = await open('open=1');
  await there('.sheet .md');
  const text = find('.sheet .md');
  const show = delayNextThread(platform);
  await search('rust');
  await until(() => stores.list.search === 'rust' && find('[role="option"] mark'));
  expect(find('.sheet .md')).toBe(text);
  show();
  await until(() => stores.reading.view?.row.id === ARTICLE && document.querySelector('.sheet mark'));
  await stores.search.end();
  await until(() => document.querySelector('.sheet mark') === null);
});

test('what_a_letter_finds_first_is_current_at_once_and_shown_unless_the_next_one_finds_another', async () => {
  const { stores, platform } = await open('open=1');
  await there('.sheet');
  const before = asked(platform, 'thread').length;
  stores.search.found(3, false);
  expect(stores.navigation.threadId).toBe(3);
  stores.search.found(ARTICLE, false);
  await until(() => stores.reading.view?.row.id === ARTICLE);
  expect(
    asked(platform, 'thread')
      .slice(before)
      .map(([, id]) => id),
  ).toEqual([ARTICLE]);
});

test('what_is_found_takes_over_the_rows_of_the_list_before_it', async () => {
  await open();
  const first = rows()[0];
  const list = find('[role="listbox"]');
  await search('rust');
  await until(() => rows().length === 1 && list.getAttribute('aria-activedescendant') === `thread-${ARTICLE}`);
  expect(rows()[0]).toBe(first);
  expect(row(ARTICLE)).toBe(first);
  expect(first?.id).toBe(`thread-${ARTICLE}`);
  expect(first?.querySelector('.sr-only')?.textContent).toContain('Rust in 2026');
  expect(document.querySelector('.day'), 'the results of a search have no heading').toBeNull();
});

test('the_pane_shows_the_first_thread_that_is_found_unread_and_nothing_where_nothing_is_found', async () => {
  const { stores, platform } = await open('open=1');
  await there('.sheet');
  await search('rust');
  await until(() => stores.reading.view?.row.id === ARTICLE);
  expect(row(ARTICLE).getAttribute('aria-selected')).toBe('true');
  expect(document.activeElement).toBe(field());
  type('nothing like this');
  await until(() => rows().length === 0 && document.querySelector('.sheet') === null);
  expect(stores.navigation.threadId).toBeNull();
  expect(readThreads(platform.asked)).not.toContain(ARTICLE);
});

test('the_pane_goes_to_what_is_found_in_the_thread_that_it_shows', async () => {
  const { stores } = await open(`open=${ARTICLE}`, (platform) => {
    const answer = platform.threads.bind(platform);
    const hits: Record<string, string> = { locks: 'c1', code: 'c3' };
    platform.threads = async (query) => {
      const page = await answer(query);
      const hit = hits[query.search ?? ''];
      return hit === undefined ? page : { ...page, rows: [{ ...known(platform, ARTICLE).row, hit }], total: 1 };
    };
  });
  await there('.sheet');
  expect(items()).not.toContain('c1');
  await search('locks');
  await until(() => stores.reading.highlighted?.msgid === 'c1' && items().includes('c1'));
  type('code');
  await until(() => stores.reading.highlighted?.msgid === 'c3');
  expect(document.activeElement).toBe(field());
});

test('enter_opens_the_first_thread_of_what_was_typed_also_before_it_is_found', async () => {
  const { stores, platform } = await open();
  await search();
  const letGo = delayNextList(platform, 'before it waits');
  type('rust');
  key('Enter');
  expect(readThreads(platform.asked)).toEqual([]);
  letGo();
  await until(() => stores.navigation.threadId === ARTICLE && document.activeElement === find('[role="listbox"]'));
  await until(() => readThreads(platform.asked).includes(ARTICLE));
});

test('all_that_was_found_is_marked_read_and_nothing_else', async () => {
  const { stores, platform } = await open();
  await search('source:work');
  await until(() => stores.list.search === 'source:work');
  find('[role="listbox"]').focus();
  press('I');
  await until(() => asked(platform, 'markBulk').length === 1);
  expect(asked(platform, 'markBulk')[0]?.slice(1)).toEqual([
    { place: { place: 'inbox' }, search: 'source:work', within: false },
    { op: 'read' },
  ]);
  expect(asked(platform, 'markAllRead')).toEqual([]);
});

test('a_row_begins_shortly_before_the_word_that_was_found', () => {
  const text = 'The nightly job has copied all of the volumes and then the checksum failed';
  const shown = (of: string, terms: string[], letters: number) =>
    fromHit(spansOf(of, terms), letters)
      .map((span) => span.text)
      .join('');
  expect(shown(text, ['checksum'], 16)).toBe('…volumes and then the checksum failed');
  expect(shown(text, ['checksum'], 6)).toBe('…then the checksum failed');
  expect(shown(text, ['nightly'], 16)).toBe(text);
  expect(shown(text, [], 16)).toBe(text);
  expect(shown('昨夜的任务复制了全部卷之后校验失败', ['校验'], 6), 'a character is as wide as two letters').toBe(
    '…卷之后校验失败',
  );
});

test('a_row_shows_what_was_found_in_its_title_further_on', async () => {
  await open('', (platform) => {
    const answer = platform.threads.bind(platform);
    platform.threads = async (query) => {
      const page = await answer(query);
      const span = (text: string, found = false) => ({ text, strong: true, found });
      const what = [span('The nightly copy of all volumes to the second nas ended with a '), span('build', true)];
      return { ...page, rows: page.rows.map((one) => ({ ...one, what, snippet: 'The build of it failed' })) };
    };
  });
  await search('build');
  await until(() => found() === '1 thread, newest first');
  expect(find('.thread-what.is-found b').textContent).toBe('…with a build');
});

test('a_row_shows_what_was_found_keeps_it_as_more_arrives_and_leads_to_it', async () => {
  const { platform } = await open();
  const thread = known(platform, ARTICLE);
  const answer = platform.threads.bind(platform);
  platform.threads = async (query) => {
    const page = await answer(query);
    if (query.search === null) return page;
    const hit = {
      ...thread.row,
      who: 'Ana',
      snippet: 'Event 47 of the night',
      hit: 'c2',
      time: thread.row.time - 60_000,
    };
    return { ...page, rows: [hit], total: 1 };
  };
  await search('event 47');
  await until(() => rows().length === 1);
  expect(row(ARTICLE).querySelector('.thread-preview')?.textContent).toBe('Event 47 of the night');
  sendThreads(platform, { ...thread.row, snippet: 'Event 487', unread: 9 });
  await until(() => row(ARTICLE).dataset.unread === '9');
  expect(row(ARTICLE).querySelector('.thread-preview')?.textContent).toBe('Event 47 of the night');
  expect(row(ARTICLE).querySelector('.thread-who .long')?.textContent).toBe('Ana');
  row(ARTICLE).click();
  await until(() => items().includes('c2'));
});

test('the_title_of_a_row_has_the_room_unless_the_preview_shows_what_was_found', async () => {
  await open();
  const second = () => row(ARTICLE).querySelector('.thread-what');
  await search('rust');
  await until(() => rows().length === 1);
  expect(second()?.querySelector('mark')?.textContent).toBe('Rust');
  expect(second()?.classList.contains('is-found')).toBe(false);
  type('edition');
  await until(() => second()?.querySelector('.thread-preview mark'));
  expect(second()?.classList.contains('is-found')).toBe(true);
});

test('a_row_of_a_search_shows_one_item_whatever_becomes_of_its_thread', async () => {
  const { platform, stores } = await open();
  const thread = known(platform, ARTICLE);
  const answer = platform.threads.bind(platform);
  const link = { url: 'https://ci.example.org/47', host: 'ci.example.org' };
  platform.threads = async (query) => {
    const page = await answer(query);
    if (query.search === null) return page;
    return { ...page, rows: [{ ...thread.row, snippet: 'Event 47 of the night', link, draft: 'Noon' }], total: 1 };
  };
  await search('event 47');
  await until(() => rows().length === 1);
  const preview = () => row(ARTICLE).querySelector('.thread-preview')?.textContent;
  expect(preview(), 'a draft does not hide what was found').toBe('Event 47 of the night');
  // As it is in the inbox: it came back from a snooze, and an older item of it asks.
  sendThreads(platform, {
    ...thread.row,
    snippet: 'Many things happened',
    link: { url: 'https://ci.example.org/48', host: 'ci.example.org' },
    question: { msgid: 'c1', answers: [{ id: 'yes', label: 'Yes' }], outcome: null },
    woken_at: thread.row.time,
    unread: 9,
  });
  await until(() => row(ARTICLE).dataset.unread === '9');
  expect(preview()).toBe('Event 47 of the night');
  expect(row(ARTICLE).querySelector('.thread-answer')).toBeNull();
  expect(stores.list.rows.get(ARTICLE)?.link).toEqual(link);
});

test('a_row_shows_what_is_found_once_the_item_that_was_found_is_deleted', async () => {
  const { platform } = await open();
  const thread = known(platform, ARTICLE);
  const answer = platform.threads.bind(platform);
  let found = { ...thread.row, snippet: 'Event 47 of the night', hit: 'c2' };
  platform.threads = async (query) => {
    const page = await answer(query);
    return query.search === null ? page : { ...page, rows: [found], total: 1 };
  };
  await search('event');
  await until(() => rows().length === 1);
  expect(row(ARTICLE).querySelector('.thread-preview')?.textContent).toBe('Event 47 of the night');
  found = { ...found, snippet: 'Event 46 of the night', hit: 'c1', total: thread.row.total - 1 };
  sendThreads(platform, { ...thread.row, total: thread.row.total - 1 });
  await until(() => row(ARTICLE).querySelector('.thread-preview')?.textContent === 'Event 46 of the night');
});

test('what_was_found_is_marked_also_as_a_phrase_and_in_the_open_thread', async () => {
  await open();
  await search('"rust in 2026" is:unread ');
  await until(() => found() === '1 thread, newest first');
  expect(find('.thread mark').textContent).toBe('Rust in 2026');
  key('ArrowDown');
  await until(() => document.querySelector('.sheet-title mark')?.textContent === 'Rust in 2026');
});
