// Tests of the reading pane's menus: snooze times, a thread's notify settings, and actions on an item.
import { expect, test } from 'vitest';
import type { MenuEntry } from '../src/generated/MenuEntry';
import { ARTICLE, BACKUPS, CREW, openArticle } from './support/article';
import { asked, button, fill, find, menu, open, press, row, selectedRow, snackbar, there, until } from './support/page';

const menuOver = (msgid: string) => menu(find(`[data-item-msgid="${msgid}"]`));

test('a_thread_sleeps_until_a_time_of_ones_own_and_the_focus_is_where_it_was', async () => {
  const { platform } = await openArticle();
  find('.reading-pane .scroll').focus();
  press('h');
  await there('[role="menu"]');
  button('Choose a time…', find('[role="menu"]')).click();
  await until(() => document.activeElement === document.querySelector('input[type="datetime-local"]'));
  expect(document.querySelector('[role="menu"]')).toBeNull();
  fill(find<HTMLInputElement>('input[type="datetime-local"]'), '2026-11-24T07:30');
  await until(() => !find<HTMLButtonElement>('.popover [type="submit"]').disabled);
  find<HTMLFormElement>('.popover form').requestSubmit();
  const wakes = new Date(2026, 10, 24, 7, 30).toISOString();
  await until(() => asked(platform, 'mark').some(([, , mark]) => (mark as { until?: string }).until === wakes));
  await until(() => document.querySelector('.popover') === null);
});

test('the_menu_says_how_much_a_thread_may_tell_and_changes_it', async () => {
  const { platform } = await openArticle();
  const more = () => find('.reading-pane [aria-label="More"]');
  const line = (name: string) => find(`[data-notify-option="${name}"]`).textContent?.replace(/\s+/g, ' ').trim();
  more().click();
  await there('[role="menu"]');
  expect(line('level')).toBe('Tell me with Default');
  find('[data-notify-option="level"]').click();
  await until(() => document.querySelectorAll('[role="menuitemradio"]').length === 4);
  expect(document.activeElement?.textContent?.trim()).toBe('Default');
  press('ArrowDown');
  press('ArrowDown');
  (document.activeElement as HTMLElement).click();
  await until(() => asked(platform, 'setThreadNotify').length === 1);
  await until(() => snackbar().startsWith('What this thread may tell is changed'));
  expect(asked(platform, 'setThreadNotify')).toEqual([
    ['setThreadNotify', ARTICLE, { level: 'badge', from_priority: null, sound: null }],
  ]);
  more().click();
  await until(() => document.querySelector('[data-notify-option="level"]') && line('level') === 'Tell me with Badge');
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

test('an_item_has_a_menu_of_the_desktop', async () => {
  const { platform } = await openArticle();
  platform.choices.push('unread', 'archive');
  menuOver('c6');
  await until(() => asked(platform, 'unreadFrom').length === 1);
  const [, entries] = asked(platform, 'popup')[0] as [string, MenuEntry[]];
  expect(entries.map((one) => one.label)).toEqual(['Copy text', '', 'Mark unread from here', 'Archive']);
  expect(asked(platform, 'unreadFrom')).toEqual([['unreadFrom', ARTICLE, 'c6']]);
  await until(() => row(ARTICLE).querySelector('.pill')?.textContent === '2');
  press('z');
  await until(() => row(ARTICLE).querySelector('.pill') === null);
  menuOver('c6');
  await until(() => document.querySelector(`[data-thread-id="${ARTICLE}"]`) === null);
});

test('ones_own_message_can_be_copied_and_never_be_new', async () => {
  const { platform } = await open(`open=${CREW}`);
  await there('.bubble');
  platform.choices.push(null);
  menuOver('r7');
  await until(() => asked(platform, 'popup').length === 1);
  const [, entries] = asked(platform, 'popup')[0] as [string, MenuEntry[]];
  expect(entries.map((one) => one.label)).toEqual(['Copy text', '', 'Archive']);
});
