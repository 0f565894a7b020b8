// Tests of the reading pane's menu: a thread's notify settings.
import { expect, test } from 'vitest';
import type { MenuEntry } from '../src/generated/MenuEntry';
import { ARTICLE, BACKUPS, openArticle } from './support/article';
import { asked, find, menu, press, row, selectedRow, snackbar, there, until } from './support/page';

test('the_menu_says_how_much_a_thread_may_tell_and_changes_it', async () => {
  const { platform } = await openArticle();
  const more = () => find('.reading-pane [aria-label="More"]');
  const line = (name: string) => find(`[data-notify-option="${name}"]`).textContent?.replace(/\s+/g, ' ').trim();
  more().click();
  await there('[role="menu"]');
  expect(line('level')).toBe('Notify with Same as the source');
  find('[data-notify-option="level"]').click();
  await until(() => document.querySelectorAll('[role="menuitemradio"]').length === 4);
  expect(document.activeElement?.textContent?.trim()).toBe('Same as the source');
  press('ArrowDown');
  press('ArrowDown');
  (document.activeElement as HTMLElement).click();
  await until(() => asked(platform, 'setThreadNotify').length === 1);
  await until(() => snackbar().startsWith('Notification settings of this thread changed'));
  expect(asked(platform, 'setThreadNotify')).toEqual([
    ['setThreadNotify', ARTICLE, { level: 'badge', from_priority: null, sound: null }],
  ]);
  more().click();
  await until(
    () => document.querySelector('[data-notify-option="level"]') && line('level') === 'Notify with Badge only',
  );
  find('[data-notify-option="from_priority"]').click();
  await until(() => document.querySelectorAll('[role="menuitemradio"]').length === 6);
  press('Escape');
  await until(() => document.querySelector('[role="menu"]') === null);
  press('z');
  await until(() => asked(platform, 'setThreadNotify').length === 2);
  expect(asked(platform, 'setThreadNotify')[1]?.[2]).toEqual({ level: null, from_priority: null, sound: null });
});

test('what_is_muted_is_told_of_with_nothing', async () => {
  await openArticle(undefined, '&lang=zh');
  find('.reading-pane [aria-label^="将此会话静音"]').click();
  find('.reading-pane [aria-label="更多"]').click();
  await until(() => document.querySelector('[data-notify-option="level"]')?.textContent?.includes('不提醒'));
});

test('the_menu_over_a_row_speaks_of_that_row_whatever_is_open', async () => {
  const { platform } = await openArticle();
  platform.choices.push('open');
  menu(row(BACKUPS));
  await until(() => selectedRow() === row(BACKUPS));
  const [, entries] = asked(platform, 'popup')[0] as [string, MenuEntry[]];
  expect(entries.map((one) => one.id)).not.toContain('copy-link');
});
