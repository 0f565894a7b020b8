// Tests of mutes for a time: of threads, of topics and of sources. It is Friday, 20 November 2026, 09:42.
import { expect, test } from 'vitest';
import type { MenuEntry } from '../src/generated/MenuEntry';
import { ARTICLE, BACKUPS, CREW, openArticle } from './support/article';
import { asked, button, find, marksOf, menu, open, press, row, snackbar, there, until } from './support/page';
import { chooseMenuItem, settings } from './support/settings';

const AN_HOUR_LATER = new Date(2026, 10, 20, 10, 42);
const TOMORROW = new Date(2026, 10, 21, 8);
const said = (id: number) => row(id).querySelector('.sr-only')?.textContent ?? '';

/** The lines of the last native menu, with those of submenus. */
function lastMenu(platform: Awaited<ReturnType<typeof open>>['platform']): MenuEntry[] {
  const [, entries] = asked(platform, 'popup').at(-1) as [string, MenuEntry[]];
  return entries.flatMap((entry) => [entry, ...entry.lines]);
}

test('a_thread_is_muted_for_an_hour_and_says_until_when', async () => {
  const { platform } = await open();
  platform.choices.push('mute-hour', null);
  menu(row(ARTICLE));
  await until(() => snackbar().includes('muted until 10:42'));
  expect(marksOf(platform.asked, 'mute')[0]?.[2]).toEqual({ op: 'mute', until: AN_HOUR_LATER.toISOString() });
  expect(said(ARTICLE)).toContain('Muted until 10:42');
  const labels = lastMenu(platform).map((one) => one.label);
  expect(labels).toEqual(expect.arrayContaining(['Mute for a while', 'For an hour', 'Until tomorrow']));
  press('z');
  await until(() => !said(ARTICLE).includes('uted'));
});

test('the_open_thread_is_muted_from_its_menu_and_its_head_says_until_when', async () => {
  const { platform } = await openArticle();
  find('.reading-pane [aria-label="More"]').click();
  await there('[data-line="mute"]');
  find('[data-line="mute"]').click();
  await there('[role="menu"] [data-line="tomorrow"]');
  find('[role="menu"] [data-line="tomorrow"]').click();
  await until(() => find('.sheet').textContent?.includes('Muted until Sat 08:00'));
  expect(marksOf(platform.asked, 'mute')[0]?.[2]).toEqual({ op: 'mute', until: TOMORROW.toISOString() });
  press('m');
  await until(() => !find('.sheet').textContent?.includes('Muted until'));
});

test('a_mute_that_another_level_ended_comes_back_with_its_end', async () => {
  const { platform } = await openArticle();
  platform.choices.push('mute-hour', null);
  menu(row(ARTICLE));
  await until(() => said(ARTICLE).includes('Muted until 10:42'));
  find('.reading-pane [aria-label="More"]').click();
  await there('[data-notify-option="level"]');
  find('[data-notify-option="level"]').click();
  const levels = () => [...document.querySelectorAll<HTMLElement>('[role="menuitemradio"]')];
  await until(() => levels().length === 4);
  levels()
    .find((one) => one.textContent?.trim() === 'Badge only')
    ?.click();
  await until(() => snackbar().startsWith('Notification settings of this thread changed'));
  await until(() => !said(ARTICLE).includes('uted'));
  press('z');
  await until(() => said(ARTICLE).includes('Muted until 10:42'));
});

test('the_head_of_a_conversation_says_until_when_it_is_muted', async () => {
  await open(`open=${CREW}`);
  const head = () => document.querySelector('.is-conversation')?.textContent ?? '';
  await until(() => head() !== '' && !head().includes('Muted'));
  find('.reading-pane [aria-label="More"]').click();
  await there('[data-line="mute"]');
  find('[data-line="mute"]').click();
  await there('[role="menu"] [data-line="hour"]');
  find('[role="menu"] [data-line="hour"]').click();
  await until(() => head().includes('Muted until 10:42'));
});

test('a_topic_is_muted_as_a_whole_and_the_mute_is_undone', async () => {
  const { platform } = await open('lang=zh');
  platform.choices.push('origin-mute-tomorrow', null);
  menu(row(BACKUPS));
  await until(() => snackbar().startsWith('已静音“backups”到周六 08:00'));
  expect(asked(platform, 'mute')).toEqual([['mute', 1, 'topic:backups', TOMORROW.getTime()]]);
  await until(() => said(BACKUPS).includes('静音到周六 08:00'));
  menu(row(BACKUPS));
  await until(() => asked(platform, 'popup').length === 2);
  const labels = lastMenu(platform).map((one) => one.label);
  expect(labels).toContain('取消来自“backups”的静音');
  press('z');
  await until(() => asked(platform, 'unmute').length === 1);
  await until(() => !said(BACKUPS).includes('静音'));
  // What has no topic offers none.
  platform.choices.push(null);
  menu(row(ARTICLE));
  await until(() => asked(platform, 'popup').length === 3);
  expect(lastMenu(platform).map((one) => one.id)).not.toContain('mute-origin');
});

test('a_source_is_muted_for_a_time_from_its_menus', async () => {
  const { platform } = await settings('sources');
  const line = () => find('[data-source="3"]').textContent ?? '';
  await chooseMenuItem('More for GitHub', 'mute-hour');
  await until(() => line().includes('Muted until 10:42'));
  expect(asked(platform, 'mute')).toEqual([['mute', 3, '', AN_HOUR_LATER.getTime()]]);
  await until(() => snackbar().startsWith('“GitHub” muted until 10:42'));
  button('More for GitHub').click();
  await there('[role="menu"]');
  expect(find('[data-line="unmute"]').textContent?.replace(/\s+/g, ' ')).toContain('until 10:42');
  press('Escape');
  await until(() => document.querySelector('[role="menu"]') === null);
  press('z');
  await until(() => !line().includes('Muted'));

  press('Escape');
  await there('[data-place="source-3"]');
  const place = () => find('[data-place="source-3"]');
  expect(place().querySelector('.state')).toBeNull();
  for (const [line, said] of [
    ['mute-ever', 'Muted'],
    ['unmute', undefined],
    ['mute-tomorrow', 'Muted until Sat 08:00'],
  ] as const) {
    platform.choices.push(line);
    menu(place());
    await until(() => place().querySelector('.state')?.textContent === said);
    expect(place().title).toBe(said === undefined ? 'GitHub' : `GitHub · ${said}`);
  }
  expect(asked(platform, 'mute').slice(-2)).toEqual([
    ['mute', 3, '', null],
    ['mute', 3, '', TOMORROW.getTime()],
  ]);
});
