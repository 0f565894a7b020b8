// Tests that an item is read by being on screen for a moment while the window has the focus, and by nothing else.
import { expect, test, vi } from 'vitest';
import type { ItemView } from '../src/generated/ItemView';
import type { Scripted } from '../src/platform/scripted/scripted';
import { ARTICLE, allUnread, BACKUPS, CREW } from './support/article';
import { layOut, PANE, pane, scrollTo } from './support/layout';
import { asked, delayNextThread, find, known, menu, open, press, row, sendThreads, there, until } from './support/page';

/** Longer than the moment after which something is read, ms. */
const LATER = 900;
const later = () => new Promise((done) => setTimeout(done, LATER));
const read = (platform: Scripted) => asked(platform, 'readItems').map(([, ...rest]) => rest);
/** The parts of threads that were requested, other than the newest items. */
const positions = (platform: Scripted) => asked(platform, 'thread').filter(([, , position]) => position !== null);
const COMMENTS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];

/** Scrolls to places in turn and stays at each for so many ms, which no load of the machine makes longer. */
async function stay(...places: readonly (readonly [px: number, ms: number])[]): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    for (const [px, ms] of places) {
      scrollTo(px);
      await new Promise((drawn) => requestAnimationFrame(drawn));
      await vi.advanceTimersByTimeAsync(ms);
    }
  } finally {
    vi.useRealTimers();
  }
}

/** A new comment comes in. */
function comment(platform: Scripted, msgid: string): void {
  const thread = known(platform, ARTICLE);
  const last = thread.items.at(-1) as ItemView;
  thread.items = [...thread.items, { ...last, msgid, unread: true, time: last.time + 1 }];
  thread.row = { ...thread.row, unread: thread.row.unread + 1, time: last.time + 1 };
  sendThreads(platform, thread.row);
}

test('what_is_below_the_edge_stays_unread_until_its_reader_scrolls_there', async () => {
  layOut(() => 400);
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  expect(read(platform)[0]).toEqual([ARTICLE, ['c1'], 'c1']);
  await until(() => row(ARTICLE).dataset.unread === '6');
  await later();
  expect(read(platform).length, 'nothing else comes by itself').toBe(1);
  scrollTo(500);
  await until(() => read(platform).length === 2);
  expect(read(platform)[1]).toEqual([ARTICLE, ['c2', 'c3'], 'c3']);
  // To the end, over what is between: only what all before it was seen of is read as a whole.
  scrollTo(2200);
  await until(() => read(platform).length === 3);
  expect(read(platform)[2]).toEqual([ARTICLE, ['c6', 'c7'], 'c3']);
  scrollTo(1300);
  await until(() => read(platform).length === 4);
  expect(read(platform)[3]).toEqual([ARTICLE, ['c4', 'c5'], 'c7']);
  await until(() => row(ARTICLE).dataset.unread === '0');
});

test('a_thread_that_is_opened_again_keeps_its_number_as_what_is_below_the_edge_stays_unread', async () => {
  layOut(() => 400);
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1 && row(ARTICLE).dataset.unread === '6');
  row(ARTICLE).click();
  await until(() => row(ARTICLE).dataset.unread === '6');
  await later();
  expect([row(ARTICLE).dataset.unread, read(platform).length]).toEqual(['6', 1]);
  scrollTo(500);
  await until(() => read(platform).length === 2);
  expect(read(platform)[1]).toEqual([ARTICLE, ['c2', 'c3'], 'c3']);
  await until(() => row(ARTICLE).dataset.unread === '4');
});

test('a_thread_that_is_opened_during_the_moment_of_its_items_is_read_without_waiting_for_its_end', async () => {
  layOut(() => 400);
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  scrollTo(500);
  await new Promise((drawn) => requestAnimationFrame(drawn));
  expect(read(platform).length).toBe(1);
  row(ARTICLE).click();
  vi.useRealTimers();
  await until(() => read(platform).length === 2);
  expect(read(platform)[1]).toEqual([ARTICLE, ['c2', 'c3'], 'c3']);
});

test('what_is_marked_unread_before_it_is_here_is_not_read_by_being_on_screen', async () => {
  layOut(() => 400);
  const { stores, platform } = await open('', allUnread);
  const letGo = delayNextThread(platform);
  row(ARTICLE).click();
  await until(() => stores.reading.id === ARTICLE);
  press('u');
  letGo();
  await there('main [data-item-msgid]');
  await later();
  expect(read(platform)).toEqual([]);
});

test('what_passes_by_within_the_moment_is_not_read', async () => {
  layOut(() => 400);
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  await stay([2200, 100], [0, LATER]);
  expect(read(platform).length).toBe(1);
});

test('of_two_that_came_together_the_one_that_stays_is_read', async () => {
  layOut(() => 400);
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  await stay([500, 100], [900, LATER]);
  await until(() => read(platform).length === 3);
  expect(read(platform).slice(1)).toEqual([
    [ARTICLE, ['c3'], 'c1'],
    [ARTICLE, ['c4'], 'c1'],
  ]);
});

test('a_long_item_is_read_where_it_fills_the_pane_and_a_thread_that_fits_is_read_as_a_whole', async () => {
  layOut((msgid) => (msgid === 'c1' ? 5000 : 20));
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  expect(read(platform)[0]).toEqual([ARTICLE, ['c1'], 'c1']);
  scrollTo(4900);
  await until(() => read(platform).length === 2);
  expect(read(platform)[1]).toEqual([ARTICLE, COMMENTS.slice(1), 'c7']);
});

test('what_is_folded_is_read_with_the_thread', async () => {
  const { platform } = await open('', (early) => {
    const thread = known(early, ARTICLE);
    Object.assign(thread, { earlier: 0, row: { ...thread.row, unread: 7 } });
  });
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  expect(read(platform)[0]?.[2], 'up to the newest item, whatever is before it').toBe('c7');
  await until(() => row(ARTICLE).dataset.unread === '0');
});

test('what_comes_while_the_window_has_no_focus_is_read_a_moment_after_its_reader_is_back', async () => {
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  dispatchEvent(new Event('blur'));
  comment(platform, 'c8');
  await there('[data-item-msgid="c8"]');
  await later();
  expect(read(platform).length).toBe(1);
  focus.mockReturnValue(true);
  dispatchEvent(new Event('focus'));
  expect(read(platform).length, 'not before the moment').toBe(1);
  await until(() => read(platform).length === 2);
  expect(read(platform)[1]).toEqual([ARTICLE, ['c8'], 'c8']);
});

test('the_program_knows_whose_end_is_on_screen_so_that_what_comes_there_needs_no_toast', async () => {
  layOut(() => 100);
  const { platform } = await open('', allUnread);
  const watched = () => asked(platform, 'watch').map(([, thread]) => thread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  expect(watched(), 'the seventh is below the edge').toEqual([]);
  scrollTo(100);
  await until(() => watched().length === 1);
  expect(watched()).toEqual([ARTICLE]);
  const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  dispatchEvent(new Event('blur'));
  expect(watched()).toEqual([ARTICLE, null]);
  focus.mockReturnValue(true);
  dispatchEvent(new Event('focus'));
  expect(watched()).toEqual([ARTICLE, null, ARTICLE]);
  press(',', { ctrlKey: true });
  await until(() => watched().at(-1) === null);
});

test('what_comes_below_the_edge_is_not_read_and_what_comes_on_screen_is', async () => {
  layOut(() => 100);
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  expect(read(platform)[0]).toEqual([ARTICLE, COMMENTS.slice(0, 6), 'c6']);
  comment(platform, 'c8');
  await there('[data-item-msgid="c8"]');
  await later();
  expect(read(platform).length).toBe(1);
  scrollTo(200);
  await until(() => read(platform).length === 2);
  expect(read(platform)[1]).toEqual([ARTICLE, ['c7', 'c8'], 'c8']);
});

test('what_is_marked_unread_here_stays_so_while_it_is_on_screen', async () => {
  const { platform } = await open('', allUnread);
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  platform.choices.push('read');
  menu(find('[data-item-msgid="c6"]'));
  await until(() => asked(platform, 'markItems').length === 1);
  expect(asked(platform, 'markItems')[0]).toEqual(['markItems', ARTICLE, ['c6'], { op: 'unread' }]);
  comment(platform, 'c8');
  await there('[data-item-msgid="c8"]');
  await until(() => read(platform).length === 2);
  expect(read(platform)[1], 'what came later is read alone').toEqual([ARTICLE, ['c8'], 'c5']);
  expect(
    known(platform, ARTICLE)
      .items.filter((item) => item.unread)
      .map((item) => item.msgid),
  ).toEqual(['c6']);
});

test('a_thread_that_is_left_before_it_is_there_is_not_read', async () => {
  const { platform, stores } = await open('', allUnread);
  const answer = platform.thread.bind(platform);
  let letGo = () => {};
  platform.thread = async (id, before) => {
    if (id === ARTICLE) await new Promise<void>((done) => (letGo = done));
    return answer(id, before);
  };
  row(ARTICLE).click();
  await until(() => row(ARTICLE).dataset.unread === '0');
  row(1).click();
  await until(() => row(ARTICLE).dataset.unread === '7');
  letGo();
  await until(() => stores.reading.view?.row.id === 1);
  row(ARTICLE).click();
  await until(() => row(ARTICLE).dataset.unread === '0');
  await stores.router.go({ place: 'unread' });
  await until(() => row(ARTICLE).dataset.unread === '7');
  await later();
  expect(read(platform).every(([thread]) => thread === 1)).toBe(true);
});

/** A conversation, or another thread, with so many unread items after two read ones; the first page has the last fifty. */
function unreadMessages(platform: Scripted, count: number, id = CREW): void {
  const crew = known(platform, id);
  const [first] = crew.items as [ItemView];
  const message = (at: number): ItemView => ({
    ...first,
    msgid: `m${at}`,
    own: false,
    unread: at >= 2,
    time: first.time + at,
  });
  crew.items = Array.from({ length: count + 2 }, (_, at) => message(at));
  Object.assign(crew, { earlier: count - 48, since: null, row: { ...crew.row, unread: count } });
}

test('a_conversation_opens_at_its_first_unread_message_and_reads_what_is_on_screen', async () => {
  const begun: Element[] = [];
  const fromTop = (px: number) => px - (100 * stores.reading.items.length - PANE);
  Element.prototype.scrollIntoView = function scrollIntoView(this: Element) {
    begun.push(this);
    pane().scrollTop = fromTop(200);
  };
  layOut(() => 100, true);
  const { platform, stores } = await open('', (early) => unreadMessages(early, 300));
  row(CREW).click();
  await until(() => read(platform).length === 1);
  expect(begun.some((one) => one.matches('.since.both'))).toBe(true);
  expect(positions(platform)).toEqual([['thread', CREW, { at: 'first_unread' }]]);
  expect([stores.reading.items.length, stores.reading.earlier, stores.reading.later]).toEqual([50, 0, 252]);
  expect(read(platform)[0]?.[2], 'six messages fit into the pane').toBe('m7');
  await until(() => row(CREW).dataset.unread === '294');
  // Far below nothing is read before what is between.
  scrollTo(fromTop(4_000));
  await later();
  expect(read(platform).length).toBe(1);
  scrollTo(fromTop(600));
  await until(() => read(platform).length === 2);
  expect(read(platform)[1]).toEqual([CREW, ['m8', 'm9', 'm10', 'm11'], 'm11']);
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
});

test('a_conversation_opens_at_its_end_if_all_that_is_unread_is_in_sight_there', async () => {
  const scrolled = vi.fn();
  Element.prototype.scrollIntoView = scrolled;
  layOut(() => 100, true);
  const { platform } = await open('', (early) => unreadMessages(early, 6));
  row(CREW).click();
  await until(() => read(platform).length === 1);
  expect(read(platform)[0]?.[2], 'the newest').toBe('m7');
  expect(scrolled).not.toHaveBeenCalled();
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
});

test('a_conversation_that_is_opened_far_below_its_first_unread_message_keeps_its_number', async () => {
  layOut(() => 100);
  const { platform, stores } = await open('', (early) => unreadMessages(early, 300));
  await stores.router.openThread(CREW, 'm250');
  await until(() => document.querySelectorAll('.bubble').length > 0);
  await until(() => row(CREW).dataset.unread === '300');
  expect(read(platform)).toEqual([]);
});

test('a_topic_with_more_unread_items_than_a_page_holds_opens_at_the_first_and_reads_what_is_on_screen', async () => {
  layOut(() => 100);
  const { platform, stores } = await open('', (early) => unreadMessages(early, 300, ARTICLE));
  row(ARTICLE).click();
  await until(() => read(platform).length === 1);
  expect(positions(platform)).toEqual([['thread', ARTICLE, { at: 'first_unread' }]]);
  expect(read(platform)[0]).toEqual([ARTICLE, ['m2', 'm3', 'm4', 'm5', 'm6', 'm7'], 'm7']);
  await until(() => row(ARTICLE).dataset.unread === '294');
  scrollTo(600);
  await until(() => stores.reading.later === 202 && read(platform).length === 2);
  expect(read(platform)[1]).toEqual([ARTICLE, ['m8', 'm9', 'm10', 'm11', 'm12', 'm13'], 'm13']);
});

test('a_topic_that_is_opened_at_its_newest_item_reads_nothing_of_what_is_before_it', async () => {
  layOut(() => 100);
  const { platform, stores } = await open('', (early) => unreadMessages(early, 300, ARTICLE));
  await stores.router.openThread(ARTICLE, 'm301');
  await until(() => read(platform).length === 1);
  expect(positions(platform)).toEqual([]);
  expect(read(platform)[0]?.[2], 'those before it are not loaded').toBeNull();
  await until(() => Number(row(ARTICLE).dataset.unread) > 250);
});

test('a_thread_that_changed_before_its_reader_turned_to_it_opens_anew_at_its_first_unread_item', async () => {
  layOut(() => 100);
  const { platform } = await open();
  await there('main [data-item-msgid]');
  unreadMessages(platform, 300, BACKUPS);
  sendThreads(platform, known(platform, BACKUPS).row);
  await until(() => asked(platform, 'thread').length === 2);
  expect(read(platform)).toEqual([]);
  row(BACKUPS).click();
  await until(() => read(platform).length === 1);
  expect(positions(platform)).toEqual([['thread', BACKUPS, { at: 'first_unread' }]]);
  expect(read(platform)[0]?.[2]).toBe('m7');
});

test('home_goes_to_the_first_message_there_is', async () => {
  const { platform, stores } = await open('', (early) => {
    unreadMessages(early, 100);
    const crew = known(early, CREW);
    Object.assign(crew, { since: crew.items[60]?.time, row: { ...crew.row, unread: 1 } });
  });
  row(CREW).click();
  await until(() => document.querySelectorAll('.bubble').length > 0);
  expect(stores.reading.earlier).toBe(52);
  pane().focus();
  press('Home');
  await until(() => stores.reading.earlier === 0);
  expect(find('.bubble').dataset.itemMsgid).toBe('m0');
  expect(positions(platform)).toEqual([['thread', CREW, { at: 'first' }]]);
  expect(stores.reading.later).toBe(52);
  press('End');
  await until(() => stores.reading.later === 0);
  expect(stores.reading.items.at(-1)?.msgid).toBe('m101');
});

test('a_long_conversation_goes_on_as_its_reader_scrolls_and_what_comes_meanwhile_waits_at_its_end', async () => {
  const { platform, stores } = await open('', (early) => unreadMessages(early, 300));
  row(CREW).click();
  await until(() => stores.reading.later === 252);
  const crew = known(platform, CREW);
  const last = crew.items.at(-1) as ItemView;
  crew.items = [...crew.items, { ...last, msgid: 'm302', time: last.time + 1 }];
  crew.earlier += 1;
  await stores.reading.refresh();
  expect([stores.reading.items.length, stores.reading.later]).toEqual([50, 253]);
  await stores.reading.showLater();
  expect(stores.reading.items.map((item) => item.msgid)).toEqual(Array.from({ length: 100 }, (_, at) => `m${at}`));
  await stores.reading.scrollToItem('m250');
  expect(stores.reading.items[0]?.msgid, 'a message far away is shown with what is around it').toBe('m240');
  expect(stores.reading.highlighted?.msgid).toBe('m250');
});
