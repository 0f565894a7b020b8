// Tests that what arrives is seen and announced, and moves no row under the reader's hand.
import { expect, test } from 'vitest';
import type { Scripted } from '../src/platform/scripted/scripted';
import { resize } from './support/document';
import { layOut, PANE, scrollTo } from './support/layout';
import {
  announced,
  find,
  known,
  open,
  point,
  press,
  row,
  rows,
  sendThreads,
  snackbar,
  there,
  until,
} from './support/page';

const CREW = 5;

const first = () => rows()[0]?.dataset.threadId;
const ids = () => rows().map((one) => one.dataset.threadId);
const pill = () => document.querySelector<HTMLElement>('.list [data-fresh]');
const pillText = () => pill()?.textContent?.trim();

/** Something new arrives in threads that are listed further down. */
function comment(platform: Scripted, ...threads: readonly number[]): void {
  const newest = Math.max(...platform.inbox.map((one) => one.row.time));
  for (const [at, id] of threads.entries()) {
    const thread = known(platform, id);
    thread.row = { ...thread.row, time: newest + 1 + at, unread: thread.row.unread + 1 };
  }
  sendThreads(platform, ...threads.map((id) => known(platform, id).row));
}

/** Leaves room for the first three rows, so that what is further down is out of sight. */
const makeLow = () => resize(find('[role="listbox"]'), 28 + 3 * 64);

/** The two ways in which something comes to the top of the list. */
const ARRIVALS = [
  { what: 'a new thread', id: 20_001, arrive: (platform: Scripted) => platform.arrive({ id: 20_001, who: 'new' }) },
  { what: 'something new in a known one', id: 9, arrive: (platform: Scripted) => comment(platform, 9) },
];

test('a_thread_with_something_new_moves_up_at_the_top_of_the_list_and_is_announced', async () => {
  const { stores, platform } = await open();
  await until(() => announced() === '');
  // The animation may be over before a busy machine looks again.
  const animated = { arriving: false, settling: false };
  const watch = new MutationObserver(() => {
    animated.arriving ||= first() === '9' && row(9).classList.contains('is-arriving');
    animated.settling ||= find('[role="listbox"]').classList.contains('is-settling');
  });
  watch.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] });
  comment(platform, 9);
  await until(() => first() === '9');
  await until(() => animated.arriving && animated.settling);
  watch.disconnect();
  expect(pill()).toBeNull();
  expect(rows().length).toBe(12);
  expect(stores.list.total).toBe(12);
  await until(() => announced() === 'Something new in 1 thread');
  await until(() => !row(9).classList.contains('is-arriving'));
});

test.each(ARRIVALS)('while_a_thread_is_read_this_comes_in_at_the_top: $what', async ({ id, arrive }) => {
  const { stores, platform } = await open();
  press('j');
  press('j');
  press('Enter');
  await there('.sheet');
  arrive(platform);
  await until(() => first() === String(id));
  expect(pill()).toBeNull();
  expect(stores.navigation.threadId, 'the current thread stays the current one').toBe(2);
});

test.each(ARRIVALS)(
  'under_the_pointer_nothing_moves_and_this_comes_in_when_it_is_gone: $what',
  async ({ id, arrive }) => {
    const { platform } = await open();
    makeLow();
    await point(row(3));
    const before = ids();
    arrive(platform);
    await until(() => pillText() === '1 new');
    expect(ids()).toEqual(before);
    find('.rows').dispatchEvent(new MouseEvent('pointerleave'));
    await until(() => first() === String(id) && pill() === null);
  },
);

test.each(ARRIVALS)(
  'while_rows_are_selected_none_moves_and_this_comes_in_afterwards: $what',
  async ({ id, arrive }) => {
    const { platform } = await open();
    makeLow();
    press('j');
    press('x');
    const before = ids();
    arrive(platform);
    await until(() => pillText() === '1 new');
    expect(ids()).toEqual(before);
    press('Escape');
    await until(() => first() === String(id) && pill() === null);
  },
);

test('what_waits_comes_in_once_the_last_row_has_left', async () => {
  const { platform } = await open('', (early) => {
    early.inbox = early.inbox.filter((one) => one.row.id === 1);
  });
  makeLow();
  await point(row(1));
  platform.arrive({ id: 20_001, who: 'new' });
  find('.quick-actions button').click();
  await until(() => ids().join() === '20001');
});

test('a_button_leads_to_what_waits_above', async () => {
  const { stores, platform } = await open();
  makeLow();
  press('j');
  await point(row(3));
  const before = ids();
  comment(platform, 9, 7);
  comment(platform, 9, 11);
  platform.arrive({ id: 20_001, who: 'new' });
  await until(() => pillText() === '4 new');
  expect(ids()).toEqual(before);
  expect(pill()?.getAttribute('aria-keyshortcuts')).toBe('. Control+j');
  pill()?.click();
  await until(() => pill() === null);
  expect(ids().slice(0, 4)).toEqual(['20001', '11', '9', '7']);
  expect(new Set(stores.list.ids).size).toBe(13);
  expect(document.activeElement).toBe(find('[role="listbox"]'));
  expect(stores.navigation.threadId, 'the current thread stays the current one').toBe(1);
});

test('what_is_new_in_a_row_on_screen_is_not_counted_before_the_row_is_out_of_sight', async () => {
  const { stores, platform } = await open();
  await point(row(3));
  comment(platform, 9, 7);
  await until(() => row(9).dataset.unread === '1' && stores.list.hasPending);
  expect(pill(), 'both rows are in sight').toBeNull();
  makeLow();
  await until(() => pillText() === '2 new');
});

test('a_key_leads_to_what_is_new_and_says_where_nothing_is', async () => {
  const { platform } = await open();
  makeLow();
  press('.');
  await until(() => snackbar().startsWith('Nothing new'));
  await point(row(3));
  comment(platform, 9);
  await until(() => pillText() === '1 new');
  press('.');
  await until(() => first() === '9' && pill() === null);
});

test('what_is_read_elsewhere_meanwhile_is_not_called_new', async () => {
  const { platform } = await open();
  makeLow();
  await point(row(3));
  comment(platform, 9, 7);
  await until(() => pillText() === '2 new');
  known(platform, 9).row.unread = 0;
  sendThreads(platform, known(platform, 9).row);
  await until(() => pillText() === '1 new');
});

test('what_arrives_in_the_open_thread_is_new_in_the_pane_and_not_over_the_list', async () => {
  const { platform } = await open('open=2');
  await there('.sheet');
  makeLow();
  await point(row(3));
  comment(platform, 2);
  comment(platform, 9);
  await until(() => pillText() === '1 new');
});

test('what_arrives_in_an_open_conversation_comes_in_and_by_key_one_gets_there_while_writing', async () => {
  const { platform } = await open(`open=${CREW}`);
  await there('.composer textarea');
  const arrive = (msgid: string) => {
    const thread = known(platform, CREW);
    const item = thread.items.find((one) => !one.own);
    if (!item) throw new Error('nobody else has written');
    thread.items = [...thread.items, { ...item, msgid, body: msgid, unread: true, time: item.time + 86_400_000 }];
    sendThreads(platform, thread.row);
  };
  arrive('at the end');
  await there('[data-item-msgid="at the end"].is-arriving');
  expect(document.querySelectorAll('.bubble.is-arriving').length, 'those that were there before do not move').toBe(1);
  layOut(() => PANE);
  arrive('below');
  await there('.reading-pane [data-fresh]');
  for (const bubble of document.querySelectorAll<HTMLElement>('.bubble'))
    bubble.scrollIntoView = () => scrollTo(PANE * (document.querySelectorAll('.bubble').length - 1));
  find('.composer textarea').focus();
  press('j', { ctrlKey: true });
  await until(() => document.querySelector('.reading-pane [data-fresh]') === null);
  expect(document.activeElement).toBe(find('.composer textarea'));
});

test('what_arrives_in_known_threads_is_announced_in_chinese', async () => {
  const { platform } = await open('lang=zh');
  await until(() => announced() === '');
  comment(platform, 9, 7);
  await until(() => announced() === '2 个会话有新内容');
});

/** Searches, and waits for what is found. */
async function searched(query: string) {
  const opened = await open();
  opened.stores.router.searchFor(query);
  await until(() => opened.stores.list.search === query && opened.stores.list.ids.length > 1);
  (document.activeElement as HTMLElement).blur();
  return opened;
}

test('what_is_found_in_something_new_moves_up_in_a_search_too', async () => {
  const { stores, platform } = await searched('source:work');
  const before = [...stores.list.ids];
  const last = before.at(-1) ?? 0;
  comment(platform, last);
  await until(() => stores.list.ids[0] === last);
  expect([...stores.list.ids].sort()).toEqual([...before].sort());
  expect(stores.list.total).toBe(before.length);
  expect(pill()).toBeNull();
});

test('in_a_search_that_is_being_read_what_is_found_waits_behind_the_button', async () => {
  const { stores, platform } = await searched('source:work');
  makeLow();
  await point(row(stores.list.ids[0] ?? 0));
  const before = [...stores.list.ids];
  const last = before.at(-1) ?? 0;
  comment(platform, last);
  await until(() => pillText() === '1 new');
  expect(stores.list.ids).toEqual(before);
  expect(find('.rows > [data-fresh] ~ .scroll .day').textContent, 'it lies on a heading and covers no row').toBe('');
  expect(row(before[0] ?? 0).style.top).toBe('28px');
  pill()?.click();
  await until(() => stores.list.ids[0] === last && pill() === null);
  expect(document.querySelector('.rows .day')).toBeNull();
});

test('what_is_new_but_not_found_moves_nothing_in_a_search', async () => {
  const { stores, platform } = await searched('source:work');
  const before = [...stores.list.ids];
  const last = before.at(-1) ?? 0;
  // The program still finds what it found before, further down in the thread.
  const asked = platform.threads.bind(platform);
  let answers = 0;
  platform.threads = async (query) => {
    const page = await asked(query);
    answers += 1;
    const time = (id: number) => stores.list.sortKeyAt(before.indexOf(id))?.time ?? 0;
    const rows = page.rows.map((row) => (row.id === last ? { ...row, time: time(last), hit: 'earlier' } : row));
    return { ...page, rows: rows.sort((a, b) => b.time - a.time) };
  };
  comment(platform, last);
  await until(() => answers > 0 && stores.list.rows.get(last)?.hit === 'earlier');
  expect(stores.list.ids).toEqual(before);
  expect(pill()).toBeNull();
});
