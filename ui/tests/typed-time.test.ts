// Tests of times in words, which are understood in either language, whatever language the page has.
import { afterEach, expect, test, vi } from 'vitest';
import { readTypedTime } from '../src/features/list/typed-time';
import { desktop, writeTimesAs } from '../src/i18n/times';

/** Sunday, 22 November 2026, 10:20. */
const NOW = new Date(2026, 10, 22, 10, 20).getTime();
const before = { ...desktop };
afterEach(() => void Object.assign(desktop, before));

/** What is understood, as "Fri 11-27 09:00". */
function understood(text: string, now = NOW): string | null {
  const at = readTypedTime(text, now);
  if (at === null) return null;
  const two = (value: number) => String(value).padStart(2, '0');
  const date = new Date(at);
  const day = date.toLocaleDateString('en', { weekday: 'short' });
  return `${day} ${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

test.each([
  ['fri 9:00', 'Fri 11-27 09:00'],
  ['Fri 9', 'Fri 11-27 09:00'],
  ['9 fri', 'Fri 11-27 09:00'],
  ['friday at 5pm', 'Fri 11-27 17:00'],
  ['on friday', 'Fri 11-27 08:00'],
  ['tomorrow 14:00', 'Mon 11-23 14:00'],
  ['tomorrow', 'Mon 11-23 08:00'],
  ['tomorrow morning', 'Mon 11-23 08:00'],
  ['tonight', 'Sun 11-22 20:00'],
  ['in 20 min', 'Sun 11-22 10:40'],
  ['90m', 'Sun 11-22 11:50'],
  ['in half an hour', 'Sun 11-22 10:50'],
  ['in 2 days', 'Tue 11-24 10:20'],
  ['in 2 days at 9:00', 'Tue 11-24 09:00'],
  ['3 dec', 'Thu 12-03 08:00'],
  ['dec 3 at 9', 'Thu 12-03 09:00'],
  ['1 jan', 'Fri 01-01 08:00'],
  ['next week', 'Mon 11-23 08:00'],
  ['next week 14:00', 'Mon 11-23 14:00'],
  ['next month', 'Tue 12-22 08:00'],
  ['weekend', 'Sat 11-28 08:00'],
  // Today's hour is over: a week later. With the day named it is past.
  ['sunday', 'Sun 11-29 08:00'],
  ['sunday 9:00', 'Sun 11-29 09:00'],
  ['today 9:00', 'Sun 11-22 09:00'],
  ['9', 'Mon 11-23 09:00'],
  ['14', 'Sun 11-22 14:00'],
  ['9 pm', 'Sun 11-22 21:00'],
])('%s is understood', (text, time) => expect(understood(text)).toBe(time));

test.each([
  ['明天下午', 'Mon 11-23 15:00'],
  ['周五 9点', 'Fri 11-27 09:00'],
  ['周五下午', 'Fri 11-27 15:00'],
  ['星期五九点半', 'Fri 11-27 09:30'],
  ['下周一上午', 'Mon 11-23 08:00'],
  ['下周三', 'Wed 11-25 08:00'],
  ['下下周一', 'Mon 11-30 08:00'],
  ['下星期五下午两点', 'Fri 11-27 14:00'],
  ['下周', 'Mon 11-23 08:00'],
  ['周日', 'Sun 11-29 08:00'],
  ['周末', 'Sat 11-28 08:00'],
  ['12月3日', 'Thu 12-03 08:00'],
  ['十二月三号上午十点', 'Thu 12-03 10:00'],
  ['1月1日 14：00', 'Fri 01-01 14:00'],
  ['2026年12月3日', 'Thu 12-03 08:00'],
  ['3号', 'Thu 12-03 08:00'],
  ['月底', 'Mon 11-30 08:00'],
  ['下个月', 'Tue 12-22 08:00'],
  ['半小时后', 'Sun 11-22 10:50'],
  ['一个半小时后', 'Sun 11-22 11:50'],
  ['3小时20分钟后', 'Sun 11-22 13:40'],
  ['20分钟', 'Sun 11-22 10:40'],
  ['三天后', 'Wed 11-25 10:20'],
  ['三天后上午9点', 'Wed 11-25 09:00'],
  ['一周后', 'Sun 11-29 10:20'],
  ['今晚', 'Sun 11-22 20:00'],
  ['今晚八点一刻', 'Sun 11-22 20:15'],
  ['明早', 'Mon 11-23 08:00'],
  ['后天 9:30', 'Tue 11-24 09:30'],
  ['大后天中午', 'Wed 11-25 12:00'],
  ['晚上12点', 'Mon 11-23 00:00'],
  ['9点', 'Mon 11-23 09:00'],
  ['下午三点半', 'Sun 11-22 15:30'],
])('%s is understood', (text, time) => expect(understood(text)).toBe(time));

test.each([
  '',
  'foo',
  'buy milk tomorrow',
  'tomorrow 25:00',
  '31 feb',
  '2月30日',
  '胡说',
  '明天胡说',
  '下周八',
  'x'.repeat(400),
])('"%s" is no time', (text) => expect(understood(text)).toBeNull());

test('a_date_in_figures_is_read_in_the_order_of_the_desktop', () => {
  writeTimesAs('en-US');
  expect(understood('12/3')).toBe('Thu 12-03 08:00');
  writeTimesAs('en-GB');
  expect(understood('12/3')).toBe('Fri 03-12 08:00');
});

test('what_is_past_is_understood_as_past', () => {
  expect(readTypedTime('yesterday', NOW)).toBeLessThan(NOW);
  expect(readTypedTime('今天 9点', NOW)).toBeLessThan(NOW);
});

test('a_time_that_the_clock_leaves_out_is_an_hour_later', () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  const now = new Date(2027, 2, 27, 10).getTime();
  for (const text of ['tomorrow 2:30', '明天 2:30']) expect(understood(text, now)).toBe('Sun 03-28 03:30');
  expect(understood('in 24 hours', now)).toBe('Sun 03-28 11:00');
  expect(understood('tomorrow 9:00', now)).toBe('Sun 03-28 09:00');
  expect(understood('明天上午9点', now)).toBe('Sun 03-28 09:00');
  vi.unstubAllEnvs();
});
