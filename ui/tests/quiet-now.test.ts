// Tests of the one place that shows what is quiet now, why, and until when. It is Friday, 20 November 2026, 09:42.
import { expect, test } from 'vitest';
import { ofCalendar, usualNight } from '../src/features/settings/notifications/quiet-hours';
import type { NotifyLevel } from '../src/generated/NotifyLevel';
import { violations } from './support/axe';
import { asked, button, hasButton, known, press, snackbar, until } from './support/page';
import { field, fillField, settings, textOf } from './support/settings';

const at = (hour: number) => new Date(2026, 10, 20, hour).getTime();
const lines = () =>
  [...document.querySelectorAll('[data-testid="quiet-now"] .box-row')].map((one) =>
    (one.textContent ?? '').replace(/\s+/g, ' ').trim(),
  );

async function quietPage(query = '') {
  const opened = await settings('quiet-hours', query, (platform) => {
    for (const one of platform.inbox) one.row = { ...one.row, muted: one.row.id === 2, muted_until: null };
    const thread = known(platform, 2);
    thread.row = { ...thread.row, muted_until: at(12) };
    const scoped = { ...usualNight(), only: [{ source: 3, origin: '' }] };
    platform.now = { ...platform.now, notify: { ...platform.now.notify, quiet: [scoped] } };
    platform.sync = { ...platform.sync, paused_until: 0, quiet_until: at(10), do_not_disturb: true };
    platform.notifications.origins.set('1:topic:backups', at(11));
    const levels = new Map<number, NotifyLevel>([
      [2, 'badge'],
      [3, 'nothing'],
    ]);
    platform.sources = platform.sources.map((one) => ({
      ...one,
      notify: { ...one.notify, level: levels.get(one.id) ?? null },
    }));
  });
  await until(() => lines().length === 7);
  return opened;
}

test('all_that_is_quiet_is_listed_with_its_reason_and_its_end', async () => {
  await quietPage();
  expect(lines()).toEqual([
    'Toasts Paused · until you end it End',
    'Every day, 22:00–07:00 the next day Quiet hours · Only GitHub · until 10:00 End',
    'Do not disturb The desktop’s Do Not Disturb is on. To see toasts, turn it off there',
    'GitHub Muted source · until you end it End',
    'backups Muted, from This computer · until 11:00 End',
    expect.stringMatching(/^.*Rust in 2026.* Muted thread in Work · until 12:00 End$/),
    'Work Badge only · until you end it End',
  ]);
  expect(await violations()).toEqual([]);
});

test('each_of_them_is_ended_there_and_that_is_undone', async () => {
  const { platform } = await quietPage();
  const end = async (name: string, left: number) => {
    button(`End: ${name}`).click();
    await until(() => lines().length === left && !hasButton(`End: ${name}`));
  };
  await end('Work', 6);
  await until(() => snackbar().startsWith('“Work” now shows toasts'));
  press('z');
  await until(() => lines().length === 7);
  expect(asked(platform, 'setSourceNotify').map(([, , notify]) => (notify as { level: string }).level)).toEqual([
    'toast',
    'badge',
  ]);
  await end('Toasts', 6);
  expect(asked(platform, 'pauseToasts').at(-1)).toEqual(['pauseToasts', null]);
  await end('GitHub', 5);
  expect(asked(platform, 'unmute').at(-1)).toEqual(['unmute', 3, '']);
  await end('backups', 4);
  expect(asked(platform, 'unmute').at(-1)).toEqual(['unmute', 1, 'topic:backups']);
  press('z');
  await until(() => lines().length === 5);
  expect(asked(platform, 'mute').at(-1)).toEqual(['mute', 1, 'topic:backups', at(11)]);

  // Quiet hours are ended this time only.
  const hours = () => platform.now.notify.quiet[0];
  button('End: Every day, 22:00–07:00 the next day').click();
  await until(() => hours()?.ended_until === at(10));
  expect(hours()?.on).toBe(true);
  await until(() => snackbar().startsWith('Quiet hours ended for now'));
  press('z');
  await until(() => hours()?.ended_until === null);
});

test('where_nothing_is_quiet_that_is_said_and_the_rest_of_many_is_found_by_a_search', async () => {
  const { platform, stores } = await settings('quiet-hours', 'lang=zh', (early) => {
    for (const one of early.inbox) one.row = { ...one.row, muted: false };
  });
  await until(() => lines().join() === '当前未处于免打扰状态。收到新通知会显示弹窗');
  platform.notifications.moreMuted = 12;
  platform.emit({ event: 'sync', sync: { ...platform.sync }, sources: platform.sources });
  await until(() => textOf().includes('另有 12 个已静音的会话'));
  button('另有 12 个已静音的会话').click();
  await until(() => stores.scope.query === 'is:muted');
});

test('a_calendar_is_added_by_its_address_and_what_is_wrong_with_it_is_said', async () => {
  const { platform } = await settings('quiet-hours', '', (early) => {
    for (const one of early.inbox) one.row = { ...one.row, muted: false };
  });
  const address = () => platform.now.notify.quiet.at(-1)?.calendar;
  button('Quiet while my calendar is busy').click();
  await until(() => document.activeElement === field('Address of the calendar'));
  expect(textOf()).toContain('While a calendar is busy');
  expect(document.querySelector('[aria-label="Start on"]')).toBeNull();
  fillField('Address of the calendar', ' webcal://cal.example.org/ana.ics?key=1 ');
  await until(() => address() === 'webcal://cal.example.org/ana.ics?key=1');
  // The rest of the address may be a secret.
  await until(() => textOf().includes('While the calendar on cal.example.org is busy'));
  platform.notifications.calendars = [{ at: 0, read_at: null, trouble: 'no_calendar' }];
  platform.emit({ event: 'sync', sync: { ...platform.sync }, sources: platform.sources });
  await until(() => textOf('[data-calendar-trouble]').includes('There is no calendar in the ICS format'));
  expect(await violations()).toEqual([]);
});

test('a_busy_calendar_is_among_what_is_quiet_and_is_ended_there', async () => {
  const { platform } = await settings('quiet-hours', '', (early) => {
    for (const one of early.inbox) one.row = { ...one.row, muted: false };
    const busy = { ...ofCalendar(), calendar: 'https://cal.example.org/ana.ics' };
    early.now = { ...early.now, notify: { ...early.now.notify, quiet: [busy] } };
    early.sync = { ...early.sync, quiet_until: at(10) };
    early.notifications.calendars = [{ at: 0, read_at: at(9), trouble: null }];
  });
  const title = 'While the calendar on cal.example.org is busy';
  await until(() => lines().join() === `${title} Busy in the calendar · until 10:00 End`);
  button(`End: ${title}`).click();
  await until(() => platform.now.notify.quiet[0]?.ended_until === at(10));
});
