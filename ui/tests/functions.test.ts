// Tests of functions that need no page: times, days, positions of rows, highlighted terms, runs of messages.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { byDay } from '../src/features/list/rows/geometry';
import { Slots } from '../src/features/list/rows/slots';
import { choices } from '../src/features/list/snooze-times';
import { outgoingRuns, runsOf } from '../src/features/reading/conversation/runs';
import { readPercent } from '../src/features/settings/notifications/noise';
import { allEn as en } from '../src/i18n/all';
import { grouped } from '../src/i18n/numbers';
import {
  clockTime,
  dayOf,
  desktop,
  hasTwelveHours,
  moment,
  rowTime,
  shortDate,
  startOfDay,
  weekday,
  writeTimesAs,
} from '../src/i18n/times';
import { zhCN } from '../src/i18n/zh-CN';
import { iconNamed } from '../src/icons';
import { samplePeople } from '../src/platform/scripted/sample-people';
import { syncText } from '../src/state/sources/sync-text';
import { searchTerms, spansOf } from '../src/text/highlight';

const at = (day: number, hour: number, minute = 0, month = 10, year = 2026) =>
  new Date(year, month, day, hour, minute).getTime();
/** Friday, 20 November 2026. */
const today = startOfDay(at(20, 9));

const before = { ...desktop };
beforeEach(() => (desktop.hour12 = false));
afterEach(() => void Object.assign(desktop, before));

test('a_time_in_a_list_has_the_form_of_its_distance', () => {
  const say = (ms: number) => [rowTime(ms, today, 'en'), rowTime(ms, today, 'zh-CN')];
  expect(say(at(20, 9, 41))).toEqual(['09:41', '09:41']);
  expect(say(at(19, 18, 2))).toEqual(['18:02', '18:02']);
  expect(say(at(18, 12))).toEqual(['Wed', '周三']);
  expect(say(at(13, 12))).toEqual(['13 Nov', '11月13日']);
  expect(say(at(13, 12, 0, 10, 2025))).toEqual(['13 Nov 2025', '2025年11月13日']);
});

test('a_desktop_with_twelve_hours_gets_them', () => {
  writeTimesAs('en-US');
  expect(rowTime(at(20, 21, 41), today, 'en')).toBe('9:41 PM');
});

test('english_words_can_stand_beside_a_clock_of_24_hours', () => {
  writeTimesAs('de-DE');
  expect(rowTime(at(20, 21, 41), today, 'en')).toBe('21:41');
});

test('what_stands_in_the_list_is_written_without_intl_and_as_intl_writes_it', () => {
  const before = { ...desktop };
  for (const locale of ['en-US', 'en-GB', 'zh-CN', 'ko-KR', 'de-DE', 'ja-JP', 'pt-BR', 'en-IN', 'ru-RU']) {
    const { hour12 } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions();
    expect(hasTwelveHours(locale), locale).toBe(hour12);
  }
  const formats = (form: string, zh: boolean, hour12: boolean) => ({
    clock: new Intl.DateTimeFormat(zh ? 'zh-CN' : hour12 ? 'en-US' : 'en-GB', {
      hour: hour12 ? 'numeric' : '2-digit',
      minute: '2-digit',
      hour12,
    }),
    weekday: new Intl.DateTimeFormat(form, { weekday: 'short' }),
    date: new Intl.DateTimeFormat(form, { day: 'numeric', month: 'short' }),
    dated: new Intl.DateTimeFormat(form, { day: 'numeric', month: 'short', year: 'numeric' }),
  });
  for (const lang of ['en', 'zh-CN'] as const)
    for (const hour12 of [true, false]) {
      desktop.hour12 = hour12;
      const intl = formats(lang === 'en' ? 'en-GB' : lang, lang === 'zh-CN', hour12);
      for (let step = 0; step < 40; step += 1) {
        const ms = new Date(2026, 0, 1 + 9 * step, step, 7 * step).getTime();
        expect(clockTime(ms, lang)).toBe(intl.clock.format(ms));
        expect(weekday(ms, lang)).toBe(intl.weekday.format(ms));
        expect(shortDate(ms, ms, lang)).toBe(intl.date.format(ms));
        expect(shortDate(ms, 0, lang)).toBe(intl.dated.format(ms));
      }
    }
  Object.assign(desktop, before);
  for (const value of [0, 7, 999, 1_000, 12_345, 1_234_567, -4_321, 0.5])
    for (const lang of ['en', 'zh-CN']) expect(grouped(value)).toBe(new Intl.NumberFormat(lang).format(value));
});

test('a_moment_of_another_day_names_its_day', () => {
  expect(moment(at(20, 13), today, 'en')).toBe('13:00');
  expect(moment(at(21, 8), today, 'en')).toBe('Sat 08:00');
  expect(moment(at(21, 8), today, 'zh-CN')).toBe('周六 08:00');
  expect(moment(at(1, 8, 0, 11), today, 'en')).toBe('1 Dec 08:00');
});

test('the_week_begins_on_monday_and_never_before_yesterday', () => {
  expect(dayOf(at(16, 0), today)).toBe('week');
  expect(dayOf(at(15, 23, 59), today)).toBe('earlier');
  const monday = startOfDay(at(16, 9));
  expect(dayOf(at(15, 12), monday)).toBe('yesterday');
  expect(dayOf(at(14, 12), monday)).toBe('earlier');
});

test('days_without_rows_have_no_header', () => {
  const times = [at(20, 9), at(20, 8), at(13, 8), at(12, 8)];
  expect(byDay(times.length, (index) => ({ rank: 0, time: times[index] ?? 0, id: index }), today)).toEqual([
    { key: 'today', first: 0, count: 2 },
    { key: 'earlier', first: 2, count: 2 },
  ]);
});

test('a_million_rows_are_grouped_without_looking_at_each', () => {
  let looked = 0;
  const groups = byDay(
    1_000_000,
    (index) => {
      looked += 1;
      return { rank: 0, time: at(20, 9) - index * 60_000, id: index };
    },
    today,
  );
  expect(groups.map((group) => group.key)).toEqual(['today', 'yesterday', 'week', 'earlier']);
  expect(groups.reduce((sum, group) => sum + group.count, 0)).toBe(1_000_000);
  expect(looked).toBeLessThan(100);
});

test('a_row_keeps_its_element_within_a_list_and_another_list_takes_it_over', () => {
  const slots = new Slots<string>();
  const of = (list: number, ...drawn: string[]) => drawn.map(slots.of(list, drawn));
  const [a, b, c] = of(1, 'a', 'b', 'c');
  expect(new Set([a, b, c]).size).toBe(3);
  const [d, ...moved] = of(1, 'd', 'c', 'a');
  expect(moved).toEqual([c, a]);
  expect([a, b, c]).not.toContain(d);
  expect(of(2, 'x', 'a')).toEqual([d, c]);
  expect(new Set(of(3, 'p', 'q', 'r')).size).toBe(3);
});

test('snoozing_offers_times_that_are_still_to_come', () => {
  expect(choices(at(20, 9, 42))).toEqual({
    inAnHour: at(20, 10, 42),
    later: at(20, 13),
    tomorrow: at(21, 8),
    nextWeek: at(23, 8),
  });
  expect(choices(at(20, 12, 30)).later).toBe(at(20, 18));
  expect(choices(at(20, 22)).later).toBeNull();
  expect(choices(at(16, 9)).nextWeek).toBe(at(23, 8));
});

test('found_words_are_marked_whatever_their_case_and_operators_are_not', () => {
  expect(searchTerms('from:bo "pull" 同步')).toEqual(['pull', '同步']);
  expect(
    spansOf('先 Pull 再同步', ['pull', '同步'])
      .filter((span) => span.found)
      .map((span) => span.text),
  ).toEqual(['Pull', '同步']);
  expect(spansOf('a+b', ['+'])).toHaveLength(3);
  expect(spansOf('nothing', [])).toEqual([{ text: 'nothing', strong: false, found: false }]);
});

test('a_single_letter_is_marked_where_it_begins_a_word', () => {
  const marked = (text: string, letter: string) =>
    spansOf(text, [letter]).flatMap((span, at) => (span.found ? [`${at}${span.text}`] : []));
  expect(marked('Disk and build done: 4d, xD', 'd')).toEqual(['0D', '2d']);
  expect(marked('磁盘disk', 'd'), 'a word begins after a character').toEqual(['1d']);
  expect(marked('再同步', '同')).toEqual(['1同']);
});

test('an_icon_that_is_not_known_is_a_bell', () => {
  expect(iconNamed('megaphone')).toBe('megaphone');
  expect(iconNamed('constructor')).toBe('bell');
});

test('the_icons_that_the_program_names_are_all_there', () => {
  const named =
    'megaphone radio hard-drive workflow shield-check git-pull-request bell door-open calendar server message-square file-text users at-sign heart reply share-2 user-plus rocket house cloud mail';
  for (const name of named.split(' ')) expect(iconNamed(name)).toBe(name);
});

const message = (msgid: string, actor: string, time: number, own = false) =>
  samplePeople('en').item(msgid, null, time, msgid, { actor, own });

test('messages_of_one_person_join_until_a_pause_a_day_or_the_new_ones', () => {
  const items = [
    message('a', 'mei', at(20, 8)),
    message('b', 'mei', at(20, 8, 5)),
    message('c', 'mei', at(20, 8, 30)),
    message('d', 'me', at(20, 8, 31), true),
    message('e', 'mei', at(20, 8, 32)),
    message('f', 'mei', at(20, 8, 33)),
  ];
  const shape = runsOf(items, at(20, 8, 32)).map((run) => [run.items.map((item) => item.msgid).join(''), run.fresh]);
  expect(shape).toEqual([
    ['ab', false],
    ['c', false],
    ['d', false],
    ['e', false],
    ['f', true],
  ]);
});

test('messages_on_their_way_join_as_far_as_they_have_come', () => {
  const one = (id: string, failed: string | null = null, sent = false) => ({
    id,
    body: id,
    file: null,
    time: at(20, 9),
    failed,
    sent,
  });
  const all = [one('a', null, true), one('b'), one('c'), one('d', 'no'), one('e', 'no'), one('f')];
  expect(outgoingRuns(all).map((run) => run.map(({ id }) => id).join(''))).toEqual(['a', 'bc', 'd', 'e', 'f']);
});

test('messages_that_equally_many_have_read_join', () => {
  const read = (msgid: string, minute: number, by: number) => ({
    ...message(msgid, 'me', at(20, 8, minute), true),
    receipt: { read: by, delivered: 4, members: 5 },
  });
  const runs = runsOf([read('a', 0, 3), read('b', 1, 3), read('c', 2, 2)], null);
  expect(runs.map((run) => run.items.map((item) => item.msgid).join(''))).toEqual(['ab', 'c']);
});

test('counts_and_names_follow_the_wording_in_both_languages', () => {
  expect(en.resultCount(1)).toBe('1 thread, newest first');
  expect(en.pullingOf(12_400, 50_000)).toBe('Fetching 12,400 of 50,000');
  expect(zhCN.pullingOf(12_400, 50_000)).toBe('正在获取 12,400 / 50,000');
  expect(zhCN.offlineBanner('09:41', 3, 0)).toBe('离线。显示的是 09:41 时的内容；3 个标记待发送。');
  expect(en.offlineBanner('09:41', 0, 0)).toBe('Offline. Showing what was here at 09:41.');
  expect(en.offlineBanner(null, 1, 0)).toBe('Offline. Showing what is here; 1 mark waits to be sent.');
  expect(en.offlineBanner(null, 2, 1)).toBe('Offline. Showing what is here; 2 marks and 1 message wait to be sent.');
  expect(zhCN.offlineBanner(null, 2, 1)).toBe('离线。显示的是已有的内容；2 个标记和 1 条消息待发送。');
  expect(Object.keys(zhCN).sort()).toEqual(Object.keys(en).sort());
});

test('the_foot_says_the_worst_first', () => {
  const sync = {
    up_to_date: false,
    offline: false,
    last_pull: 1,
    waiting: 0,
    waiting_messages: 0,
    paused_until: null,
    quiet_until: null,
    do_not_disturb: false,
  };
  const source = (state: Parameters<typeof syncText>[1][number]['state'], name = 'Work') => ({
    id: 1,
    name,
    protocol: 'tidings',
    notify: { level: null, from_priority: null, sound: null },
    muted_until: null,
    show_icons: false,
    own: false,
    url: '',
    count: { unread: 0, counted: 0 },
    state,
  });
  const textOf = (...sources: ReturnType<typeof source>[]) => syncText(sync, sources, en).text(() => 0);
  expect(textOf(source({ state: 'retrying', at: 8000, why: 'No answer (503)', offline: false }))).toBe(
    'Work: retrying in 8 s',
  );
  expect(textOf(source({ state: 'needs_sign_in', since: 0 }, 'ntfy.sh'))).toBe('ntfy.sh needs sign-in');
  expect(textOf(source({ state: 'pulling', done: 12_400, of: 50_000 }))).toBe('Fetching 12,400 of 50,000');
  expect(syncText({ ...sync, offline: true }, [], en).text(() => 0)).toBe('Offline');
});

test('a_percentage_says_all_and_nothing_only_where_it_is_so', () => {
  const percent = (items: number, unread: number) => readPercent({ items, unread });
  expect([percent(0, 0), percent(3, 3), percent(3, 0)]).toEqual([0, 0, 100]);
  expect([percent(1000, 999), percent(1000, 1), percent(4, 1)]).toEqual([1, 99, 75]);
});
