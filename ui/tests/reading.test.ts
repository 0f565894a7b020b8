// Tests of the reading pane: the order of a long thread, jumping to an item, and items that arrive meanwhile.
import { flushSync } from 'svelte';
import { expect, test } from 'vitest';
import type { ItemView } from '../src/generated/ItemView';
import type { Scripted } from '../src/platform/scripted/scripted';
import { ARTICLE, allUnread, items, openArticle, withoutEarlier } from './support/article';
import { layOut, scrollTo as scrollPaneTo } from './support/layout';
import { announced, asked, find, known, open, row, rows, sendThreads, there, until } from './support/page';

const facts = () =>
  [...document.querySelectorAll('.sheet-sub > span:not([aria-hidden])')].map((one) => one.textContent);

/** Makes a thread of `count` comments, of which the program returns fifty at a time. */
const long =
  (count: number, unread = 0) =>
  (platform: Scripted) => {
    const thread = known(platform, ARTICLE);
    const like = thread.items[0] as ItemView;
    thread.items = Array.from({ length: count }, (_, at) => ({
      ...like,
      msgid: `l${at}`,
      time: like.time + at * 60_000,
      body: `Comment ${at}`,
      unread: at >= count - unread,
    }));
    thread.since = null;
    thread.row = { ...thread.row, unread };
    const whole = platform.thread.bind(platform);
    platform.thread = async (id, position) => {
      if (position !== null && position.at !== 'before') return whole(id, position);
      const view = await whole(id, null);
      const before = position?.at === 'before' ? position.msgid : null;
      const end = before === null ? count : thread.items.findIndex((item) => item.msgid === before);
      const start = Math.max(0, end - 50);
      return { ...view, items: thread.items.slice(start, end), earlier: start };
    };
  };

test('what_was_read_stands_behind_earlier_and_comes_at_once', async () => {
  const { platform } = await openArticle(withoutEarlier(ARTICLE));
  expect(find('.earlier').textContent).toContain('4 earlier comments');
  expect(find('.earlier').textContent).toContain('EN');
  expect(items()).toEqual(['c5', 'c6', 'c7']);
  expect(find('.sheet').querySelector('.since')?.nextElementSibling).toBe(find('[data-item-msgid="c5"]'));
  find('.earlier').click();
  await until(() => items().length === 7);
  expect(document.querySelector('.earlier')).toBeNull();
  expect(find('.since').nextElementSibling).toBe(find('[data-item-msgid="c5"]'));
  expect(asked(platform, 'thread').filter(([, , position]) => position !== null)).toEqual([]);
});

test('earlier_pages_come_in_as_one_scrolls_up_once_the_first_was_asked_for', async () => {
  await openArticle(long(130));
  expect(find('.earlier').textContent).toContain('80 earlier comments');
  const box = find('.reading-pane .scroll');
  const scrollTo = (top: number) => {
    box.scrollTop = top;
    box.dispatchEvent(new Event('scroll'));
  };
  find('.earlier').click();
  await until(() => items().length === 100);
  Object.defineProperty(box, 'clientHeight', { value: 600, configurable: true });
  scrollTo(5000);
  expect(items().length).toBe(100);
  scrollTo(300);
  await until(() => items().length === 130);
  expect(new Set(items()).size).toBe(130);
  expect(document.querySelector('.earlier')).toBeNull();
});

test('with_more_new_items_than_a_page_holds_a_thread_opens_at_new_since_and_the_later_ones_come_as_one_scrolls', async () => {
  const { stores } = await openArticle(long(130, 120));
  await there('.since');
  expect(find('.since').nextElementSibling).toBe(find('[data-item-msgid="l10"]'));
  expect(items()[0]).toBe('l10');
  expect(find('.earlier').textContent).toContain('10 earlier comments');
  expect(stores.reading.later).toBe(80);
  scrollPaneTo(100);
  await until(() => items().at(-1) === 'l99');
  expect(stores.reading.later).toBe(30);
});

test('a_toast_of_an_item_beyond_what_is_loaded_leads_to_it', async () => {
  const { platform } = await openArticle(long(130, 120));
  await until(() => items()[0] === 'l10');
  platform.emit({ event: 'open', thread: ARTICLE, item: 'l90', action: null });
  await there('[data-item-msgid="l90"].is-highlighted');
});

test('a_thread_is_marked_read_only_after_it_was_told_what_is_new', async () => {
  let here = () => {};
  const { platform } = await open('', (early) => {
    const thread = early.thread.bind(early);
    early.thread = async (id, before) => {
      await new Promise<void>((done) => (here = done));
      return thread(id, before);
    };
  });
  row(ARTICLE).click();
  await until(() => row(ARTICLE).textContent?.includes('unread') === false);
  expect(asked(platform, 'readItems')).toEqual([]);
  here();
  await until(() => asked(platform, 'readItems').length > 0);
});

test('a_thread_that_was_asked_for_twice_before_it_was_here_is_unread_again_when_something_comes', async () => {
  const waiting: (() => void)[] = [];
  const { stores, platform } = await open('', (early) => {
    const thread = early.thread.bind(early);
    early.thread = async (id, before) => {
      await new Promise<void>((done) => waiting.push(done));
      return thread(id, before);
    };
  });
  // The thread's row is not in this list.
  await stores.router.go({ place: 'snoozed' });
  for (let time = 0; time < 2; time += 1) {
    platform.emit({ event: 'open', thread: ARTICLE, item: null, action: null });
  }
  for (const here of waiting) here();
  await until(() => asked(platform, 'readItems').length > 0);
  await stores.router.go({ place: 'inbox' });
  await until(() => row(ARTICLE).textContent?.includes('unread') === false);
  const thread = known(platform, ARTICLE);
  thread.row = { ...thread.row, unread: 1 };
  platform.changes += 1;
  platform.emit({
    event: 'threads',
    rows: [thread.row],
    gone: [],
    refetch: false,
    places: platform.places(),
    as_of: platform.changes,
  });
  await until(() => row(ARTICLE).textContent?.includes('unread'));
});

test('a_toast_leads_to_its_very_item_which_is_marked_for_a_moment', async () => {
  const { platform } = await open('', withoutEarlier(ARTICLE));
  platform.emit({ event: 'open', thread: ARTICLE, item: 'c2', action: null });
  await there('[data-item-msgid="c2"].is-highlighted');
  expect(items()[0]).toBe('c2');
  platform.emit({ event: 'open', thread: ARTICLE, item: 'c6', action: null });
  await there('[data-item-msgid="c6"].is-highlighted');
});

test('an_item_far_up_is_brought_in', async () => {
  const { platform } = await open('', long(180));
  platform.emit({ event: 'open', thread: ARTICLE, item: 'l7', action: null });
  await there('[data-item-msgid="l7"].is-highlighted');
  expect(items()).toHaveLength(180);
});

test('a_search_says_how_many_comments_match_and_starts_at_the_first', async () => {
  const { stores } = await open('', (platform) => {
    withoutEarlier(ARTICLE)(platform);
    known(platform, ARTICLE).since = null;
  });
  stores.router.searchFor('graph');
  await until(() => stores.list.search === 'graph');
  await stores.router.openThread(ARTICLE);
  await until(() => stores.reading.view?.row.id === ARTICLE && document.querySelector('.sheet'));
  flushSync();
  expect(facts()).toEqual(['Your article', 'Work', '1 of 7 comments matches']);
  expect(items()[0]).toBe('c4');
  expect(find('.earlier').textContent).toContain('3 earlier comments');
});

test('what_came_another_day_says_which', async () => {
  await openArticle();
  find('.earlier').click();
  await until(() => items()[0] === 'c1');
  const time = (msgid: string) => find(`[data-item-msgid="${msgid}"] time`).textContent;
  expect([time('c1'), time('c4')]).toEqual(['Thu 17:20', '08:15']);
});

test('what_is_unread_below_is_counted_by_one_number_in_the_pill_the_facts_and_the_list_until_one_is_there', async () => {
  layOut(() => 100);
  const { platform } = await openArticle(allUnread);
  const pill = () => document.querySelector('[data-testid="new-below"]')?.textContent?.trim();
  const unread = () => row(ARTICLE).dataset.unread;
  const fact = () => facts().at(-1);
  await until(() => unread() === '1');
  expect(pill(), 'six of seven fit into the pane').toBe('1 new');
  await until(() => fact() === '7 comments, 1 new');
  expect(announced()).toBe('');
  const arrive = (msgid: string) => {
    const thread = known(platform, ARTICLE);
    const like = thread.items.at(-1) as ItemView;
    thread.items = [
      ...thread.items,
      { ...like, msgid, unread: true, time: like.time + thread.items.length, body: `<p>So <b>${msgid}</b></p>` },
    ];
    thread.row = { ...thread.row, unread: thread.row.unread + 1 };
    sendThreads(platform, thread.row);
  };
  arrive('c8');
  await until(() => pill() === '2 new' && unread() === '2' && fact() === '7 comments, 2 new');
  await until(() => announced() === 'Ana Ruiz: So c8');
  arrive('c9');
  await until(() => pill() === '3 new' && unread() === '3');
  scrollPaneTo(300);
  await until(() => pill() === undefined && unread() === '0' && known(platform, ARTICLE).row.unread === 0);
  await until(() => fact() === '7 comments');
  scrollPaneTo(0);
  arrive('c10');
  await until(() => pill() === '1 new' && unread() === '1');
});

test('tags_beyond_those_that_are_shown_are_counted_and_one_may_come_twice', async () => {
  await openArticle((platform) => {
    const thread = known(platform, ARTICLE);
    thread.items = [{ ...(thread.items[4] as ItemView), tags: ['nas', 'raid', 'nas'], more_tags: 9900 }];
    thread.earlier = 0;
  });
  await there('.chips');
  const chips = [...find('.chips').children].map((one) => one.textContent);
  expect(chips).toEqual(['nas', 'raid', 'nas', 'and 9,900 more']);
});

test('a_click_on_a_tag_searches_for_it', async () => {
  const { stores } = await openArticle((platform) => {
    const thread = known(platform, ARTICLE);
    thread.items = thread.items.map((item) => ({ ...item, tags: ['night shift', 'raid'] }));
  });
  await there('[data-tag]');
  const tag = find('[data-tag]');
  expect(tag.title).toBe('Search for the tag “night shift”');
  tag.click();
  await until(() => stores.scope.query === 'tag:"night shift" ');
  await until(() => rows().length === 1 && rows()[0]?.dataset.threadId === String(ARTICLE));
  find('[data-tag]:nth-of-type(2)').click();
  await until(() => stores.scope.query === 'tag:raid ');
});

test('previous_and_next_say_that_no_thread_is_there', async () => {
  await openArticle((platform) => {
    platform.inbox.length = 2;
  });
  const button = (name: string) => find(`.reading-pane [aria-label^="${name}"]`);
  const none = (name: string) => button(name).getAttribute('aria-disabled') === 'true';
  expect([none('Previous'), none('Next')]).toEqual([false, true]);
  button('Previous').focus();
  button('Previous').click();
  await until(() => none('Previous'));
  expect(none('Next')).toBe(false);
  expect(document.activeElement).toBe(button('Previous'));
});
