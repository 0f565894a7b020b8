// Tests of the snooze menu: the usual times, a time in words, and the calendar.
import { afterEach, expect, test } from 'vitest';
import { desktop, writeTimesAs } from '../src/i18n/times';
import { at } from '../src/platform/scripted/scripted-thread';
import { ARTICLE, openArticle } from './support/article';
import { violations } from './support/axe';
import { asked, button, fill, find, known, marksOf, open, press, row, there, until } from './support/page';
import { fillField } from './support/settings';

const before = { ...desktop };
afterEach(() => void Object.assign(desktop, before));

const input = () => find<HTMLInputElement>('.snooze input');
const offers = () => [...document.querySelectorAll('.snooze [role="option"]')].map((one) => one.textContent?.trim());
const said = () => find('.menu-said').textContent;

/** The snooze menu over the article. It is Friday, 20 November 2026, 09:42. */
async function snooze(query = '') {
  const opened = await openArticle(undefined, query);
  find('.reading-pane .scroll').focus();
  press('h');
  await there('.snooze');
  const until_ = () => (marksOf(opened.platform.asked, 'snooze')[0]?.[2] as { until: string } | undefined)?.until;
  return { ...opened, wakes: () => until_() };
}

async function type(text: string): Promise<void> {
  fill(input(), text);
  await until(() => said() !== '');
}

test('a_thread_sleeps_for_an_hour_with_two_keys_and_the_focus_is_where_it_was', async () => {
  const { wakes } = await snooze();
  expect(document.activeElement).toBe(input());
  expect(offers()[0]).toContain('In 1 hour');
  expect(offers()[0]).toContain('10:42');
  press('Enter');
  await until(() => wakes() === new Date(2026, 10, 20, 10, 42).toISOString());
  await until(() => document.querySelector('.snooze') === null);
});

test('everything_that_is_selected_sleeps_and_not_only_what_is_loaded', async () => {
  const { platform } = await open('rows=500');
  find('[role="listbox"]').focus();
  press('a', { ctrlKey: true });
  await there('[data-testid="selected"]');
  press('h');
  await there('.snooze');
  expect(find('.snooze .menu-title').textContent).toBe('Snooze 512 threads until');
  await until(() => document.activeElement === input());
  press('Enter');
  await until(() => asked(platform, 'markBulk').length === 1);
  expect(asked(platform, 'markBulk')[0]?.slice(1)).toEqual([
    { place: { place: 'inbox' }, search: null, within: false },
    { op: 'snooze', until: new Date(2026, 10, 20, 10, 42).toISOString() },
  ]);
  expect(marksOf(platform.asked, 'snooze')).toEqual([]);
});

test('a_time_in_words_of_either_language_is_shown_before_it_is_taken', async () => {
  const { wakes } = await snooze();
  await type('下周一上午');
  expect(offers()).toEqual(['Monday, 23 November 2026 at 08:00 UTC']);
  await type('tomorrow 14:00');
  expect(offers()).toEqual(['Saturday, 21 November 2026 at 14:00 UTC']);
  expect(said()).toBe('Saturday, 21 November 2026 at 14:00 UTC');
  press('Enter');
  await until(() => wakes() === new Date(2026, 10, 21, 14).toISOString());
});

test('english_words_are_understood_in_the_chinese_window', async () => {
  const { wakes } = await snooze('&lang=zh');
  await type('fri 9:00');
  expect(offers()[0]).toContain('2026年11月27日');
  press('Enter');
  await until(() => wakes() === new Date(2026, 10, 27, 9).toISOString());
});

test('what_is_past_or_no_time_is_said_in_words_and_not_taken', async () => {
  const { platform } = await snooze();
  await type('today 8:00');
  expect(said()).toBe('Friday, 20 November 2026 at 08:00 UTC is in the past');
  expect(offers()).toEqual([]);
  press('Enter');
  await type('soonish');
  expect(said()).toContain('Enter a time such as');
  press('Enter');
  expect(document.querySelector('.snooze')).not.toBeNull();
  fill(input(), '');
  await until(() => offers().length > 2);
  press('Escape');
  await until(() => document.querySelector('.snooze') === null);
  expect(document.activeElement).toBe(find('.reading-pane .scroll'));
  expect(marksOf(platform.asked, 'snooze')).toEqual([]);
});

const day = () => (document.activeElement as HTMLElement).dataset.day;

test('the_calendar_is_moved_in_by_keys_and_has_a_time', async () => {
  writeTimesAs('en-GB');
  const { wakes } = await snooze();
  await type('mon 7:30');
  button('Choose a time…').click();
  await until(() => day() === '2026-11-23');
  const steps: [string, string, KeyboardEventInit?][] = [
    ['ArrowRight', '2026-11-24'],
    ['ArrowDown', '2026-12-01'],
    ['ArrowLeft', '2026-11-30'],
    ['ArrowUp', '2026-11-23'],
    ['End', '2026-11-29'],
    ['Home', '2026-11-23'],
    ['PageDown', '2026-12-23'],
    ['PageDown', '2027-12-23', { shiftKey: true }],
    ['PageUp', '2026-12-23', { shiftKey: true }],
    ['PageUp', '2026-11-23'],
    ['ArrowRight', '2026-11-24'],
  ];
  for (const [key, to, more] of steps) {
    press(key, more);
    await until(() => day() === to);
  }
  expect(find('.calendar-head > span').textContent).toBe('November 2026');
  expect(find('[data-day="2026-11-23"]').getAttribute('aria-selected')).toBe('true');
  press('Enter');
  await until(() => find('[data-day="2026-11-24"]').getAttribute('aria-selected') === 'true');
  expect(said()).toBe('Tuesday, 24 November 2026 at 07:30 UTC');
  fillField('Time', '9 pm');
  await until(() => said() === 'Tuesday, 24 November 2026 at 21:00 UTC');
  expect(await violations()).toEqual([]);
  find<HTMLFormElement>('.snooze form').requestSubmit();
  await until(() => wakes() === new Date(2026, 10, 24, 21).toISOString());
});

test('the_calendar_refuses_days_and_hours_that_are_over', async () => {
  await snooze();
  button('Choose a time…').click();
  await until(() => day() === '2026-11-21');
  expect(find('[data-day="2026-11-19"]').getAttribute('aria-disabled')).toBe('true');
  find('[data-day="2026-11-19"]').click();
  await until(() => day() === '2026-11-19');
  expect(find('[data-day="2026-11-21"]').getAttribute('aria-selected')).toBe('true');
  find('[data-day="2026-11-20"]').click();
  await until(() => said() === 'Friday, 20 November 2026 at 08:00 UTC is in the past');
  expect(find<HTMLButtonElement>('.snooze [type="submit"]').disabled).toBe(true);
});

test('a_week_begins_where_the_desktop_begins_it', async () => {
  writeTimesAs('en-US');
  await snooze();
  button('Choose a time…').click();
  await there('.calendar th');
  expect(find('.calendar th').getAttribute('abbr')).toBe('Sunday');
});

test('a_row_that_came_back_from_a_snooze_says_why_it_is_on_top_and_one_that_asks_has_its_own_time', async () => {
  await open('', (early) => {
    const article = known(early, ARTICLE);
    const woken = { woken_at: at(20, '09:00'), time: at(20, '09:00'), unread: 1 };
    Object.assign(article, { row: { ...article.row, ...woken } });
    const other = known(early, 1);
    Object.assign(other, { row: { ...other.row, time: at(20, '09:30'), shown_at: at(20, '08:15') } });
  });
  const what = row(ARTICLE).querySelector('.thread-what')?.textContent ?? '';
  expect(what).toMatch(/Snoozed until .*9:00/);
  expect(row(ARTICLE).querySelector('.sr-only')?.textContent).toMatch(/Snoozed until .*9:00/);
  expect(row(1).querySelector('time')?.textContent).toMatch(/8:15/);
});
