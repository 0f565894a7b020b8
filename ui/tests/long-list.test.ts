// Tests of long lists, and of lists that change while they are read.
import { tick } from 'svelte';
import { expect, test } from 'vitest';
import { EMPTY, NOW } from '../src/platform/scripted/scripted-thread';
import { generatedThread } from '../src/platform/scripted/state';
import {
  announced,
  count,
  delayNextList,
  find,
  open,
  point,
  press,
  row,
  rows,
  sendThreads,
  until,
} from './support/page';

/** This many threads that arrive at once, with consecutive ids and times. */
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: from + at, time: NOW + from + at }));

/** The button that names the number of new threads above. */
const fresh = () => document.querySelector<HTMLElement>('[data-testid="new-threads"]');

test('a_long_list_keeps_a_window_of_rows_and_its_ends_are_one_key_away', async () => {
  const { stores, platform } = await open('rows=1000000');
  press('j');
  press('End');
  await until(() => stores.list.ids.at(-1) === 10_000 + 999_999);
  expect(stores.navigation.threadId).toBe(10_000 + 999_999);
  expect(stores.list.offset + stores.list.ids.length).toBe(1_000_012);
  expect(row(1_009_999).getAttribute('aria-posinset')).toBe('1000012');
  const scroll = (px: number) => {
    find('[role="listbox"]').scrollTop = px;
    find('[role="listbox"]').dispatchEvent(new Event('scroll'));
  };
  scroll(100 * 64);
  for (let turn = 0; turn < 9; turn += 1) {
    const before = stores.list.ids[0];
    await stores.list.more('above');
    expect(stores.list.ids[0]).not.toBe(before);
    scroll(100 * 64);
  }
  expect(stores.list.ids.length).toBeLessThanOrEqual(2000);
  expect(stores.list.rows.size).toBe(stores.list.ids.length);
  const ids = stores.list.ids;
  expect(ids.every((id, at) => at === 0 || id === (ids[at - 1] ?? 0) + 1)).toBe(true);
  await stores.list.more('below');
  expect(stores.list.ids.every((id, at, all) => at === 0 || id === (all[at - 1] ?? 0) + 1)).toBe(true);
  press('Home');
  await until(() => stores.list.ids[0] === 1 && stores.navigation.threadId === 1);
  expect(stores.list.offset).toBe(0);
  expect(
    platform.asked
      .filter(([what]) => what === 'threads')
      .every(([, query]) => (query as { limit: number }).limit <= 500),
  ).toBe(true);
});

test('a_storm_at_the_top_keeps_the_window_small_and_the_order_right', async () => {
  const { stores, platform } = await open('rows=1000000');
  const from = 5_000_000;
  for (let batch = 0; batch < 30; batch += 1) {
    platform.arriveTogether(many(from + batch * 100, 100));
    await new Promise((done) => setTimeout(done));
  }
  await until(() => stores.list.ids.length <= 2000 && stores.list.ids[0] === from + 2999);
  expect(stores.list.ids.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, at) => from + 2999 - at));
  expect(new Set(stores.list.ids).size).toBe(stores.list.ids.length);
});

test('a_list_that_is_asked_for_again_leaves_out_no_row', async () => {
  const { stores, platform } = await open('rows=1000000');
  sendThreads(platform);
  await until(() => stores.list.ids.length > 200);
  await stores.list.more('below');
  await until(() => stores.list.ids.length === 600);
  const generated = stores.list.ids.filter((id) => id >= 10_000);
  expect(generated.every((id, at) => id === 10_000 + at)).toBe(true);
});

test('another_list_begins_with_few_rows_and_goes_on_without_a_gap', async () => {
  const { stores } = await open('rows=1000000');
  const { ids } = stores.list;
  await stores.list.show(stores.list.listing);
  expect(stores.list.total).toBe(1_000_012);
  // Only a row of the second half asks for more.
  await stores.list.loadNear(0, 19);
  expect(stores.list.ids.length).toBe(40);
  await stores.list.loadNear(0, 20);
  expect(stores.list.ids.length).toBe(240);
  expect(stores.list.ids.slice(0, ids.length)).toEqual(ids);
});

test('a_list_that_is_read_from_its_end_and_asked_for_again_leaves_out_no_row', async () => {
  const { stores } = await open('rows=1000000');
  await stores.list.jump('bottom');
  const end = stores.list.ids.at(-1) as number;
  await stores.list.refetch();
  await stores.list.more('above');
  await until(() => stores.list.ids.length === 600);
  expect(stores.list.ids.every((id, at) => id === end - 599 + at)).toBe(true);
});

test('further_down_a_storm_waits_and_is_let_in_at_the_top', async () => {
  const { stores, platform } = await open('rows=1000000');
  stores.list.atTop = false;
  stores.list.topVisible = stores.list.ids[100] ?? null;
  const before = stores.list.ids;
  platform.arriveTogether(many(5_000_000, 800));
  await until(() => fresh()?.textContent?.trim() === '800 new');
  expect(stores.list.ids).toEqual(before);
  fresh()?.click();
  await until(() => stores.list.ids[0] === 5_000_799);
  await until(() => fresh() === null);
  expect(announced()).toContain('new');
});

test('a_million_threads_keep_few_rows_in_the_document', async () => {
  const { stores } = await open('rows=1000000');
  expect(stores.list.total).toBe(1_000_012);
  expect(row(1).getAttribute('aria-setsize')).toBe('1000012');
  for (let turn = 0; turn < 3; turn += 1) await stores.list.more();
  await until(() => stores.list.ids.length >= 600);
  expect(rows().length).toBeLessThan(60);
});

test('a_storm_that_asks_for_the_list_again_moves_no_row_and_keeps_what_was_read', async () => {
  const { platform } = await open();
  find('[data-place="unread"]').click();
  await until(() => rows().length === 7);
  await point(row(2));
  row(2).click();
  await until(() => row(2).dataset.unread === '0');
  const before = rows().map((one) => one.dataset.threadId);
  platform.inbox = platform.inbox.map((one) =>
    one.row.id === 6 ? { ...one, row: { ...one.row, time: one.row.time + 3_600_000, unread: 2 } } : one,
  );
  sendThreads(platform);
  await until(() => row(6).dataset.unread === '2');
  expect(rows().map((one) => one.dataset.threadId)).toEqual(before);
});

test('what_changes_while_an_answer_is_awaited_is_not_lost', async () => {
  const { platform } = await open('', (early) => {
    const answer = early.bootstrap.bind(early);
    early.bootstrap = async (hear) => {
      const boot = await answer(hear);
      early.arrive({ id: 20_001, who: 'in between' });
      return boot;
    };
  });
  expect(rows()[0]?.dataset.threadId).toBe('20001');
  expect(count('inbox')).toBe(String(platform.places().inbox.counted));
});

test('a_change_of_everything_while_the_page_starts_is_asked_for_once_more', async () => {
  let added: string | undefined;
  await open('', (early) => {
    const answer = early.bootstrap.bind(early);
    early.bootstrap = async (hear) => {
      const [one] = early.inbox;
      early.inbox = early.inbox.slice(1);
      const boot = await answer(hear);
      early.inbox = one ? [one, ...early.inbox] : early.inbox;
      added = String(one?.row.id);
      sendThreads(early);
      // The list that the event asks for is there before the page has started.
      await new Promise((asked) => setTimeout(asked, 20));
      return boot;
    };
  });
  await until(() => rows()[0]?.dataset.threadId === added);
});

test('what_changes_while_another_list_is_on_its_way_is_asked_for_once_more', async () => {
  const { stores, platform } = await open();
  const [one] = platform.inbox;
  platform.inbox = platform.inbox.slice(1);
  await stores.router.go({ place: 'done' });
  const letGo = delayNextList(platform, 'before it waits');
  const back = stores.router.go({ place: 'inbox' });
  await tick();
  platform.inbox = one ? [one, ...platform.inbox] : platform.inbox;
  sendThreads(platform);
  letGo();
  await back;
  await until(() => rows()[0]?.dataset.threadId === String(one?.row.id));
});

test('what_arrives_at_the_top_comes_in_and_further_down_it_waits', async () => {
  const { stores, platform } = await open('rows=500');
  platform.arrive({ id: 20_001, who: 'first' });
  await until(() => rows()[0]?.dataset.threadId === '20001');
  stores.list.atTop = false;
  platform.arrive({ id: 20_002, who: 'second' });
  platform.arrive({ id: 20_003, who: 'third' });
  await until(() => fresh()?.textContent?.trim() === '2 new');
  expect(rows()[0]?.dataset.threadId).toBe('20001');
  fresh()?.click();
  await until(() => rows()[0]?.dataset.threadId === '20003');
  expect(fresh()).toBeNull();
});

test('archiving_faster_than_rows_are_loaded_goes_on_with_the_next_one', async () => {
  const { stores, platform } = await open('', (early) => {
    early.inbox = Array.from({ length: 205 }, (_, at) => ({ ...EMPTY, row: generatedThread(at), title: `Job ${at}` }));
  });
  expect(stores.list.ids.length).toBe(200);
  press('j');
  const letGo = delayNextList(platform, 'before it waits');
  for (let n = 0; n < 200; n += 1) press('e');
  expect(stores.list.ids.length).toBe(0);
  await until(() => stores.navigation.threadId !== null);
  letGo();
  await until(() => stores.list.ids.length === 5);
  expect(stores.navigation.threadId).toBe(stores.list.ids[0]);
  for (let n = 0; n < 5; n += 1) press('e');
  await until(() => rows().length === 0);
});

test('what_was_archived_does_not_come_back_with_an_answer_from_before_it', async () => {
  const { stores, platform } = await open();
  const letGo = delayNextList(platform, 'before it waits');
  const asked = stores.list.show(stores.list.listing);
  await tick();
  platform.mark = () => new Promise(() => {});
  press('j');
  const archived = stores.navigation.threadId;
  expect(stores.list.ids).toContain(archived);
  press('e');
  letGo();
  await asked;
  expect(stores.list.ids.length).toBeGreaterThan(0);
  expect(stores.list.ids).not.toContain(archived);
});
