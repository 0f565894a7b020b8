// Tests that axe finds nothing in any of the views, and that a theme adds nothing to find.
import { flushSync } from 'svelte';
import { expect, test } from 'vitest';
import { violations } from './support/axe';
import { clickOn, fill, find, open, press, there, until } from './support/page';

const views: [string, string, (() => Promise<void>)?][] = [
  ['inbox', ''],
  ['inbox_in_chinese', 'lang=zh'],
  ['thread', 'open=2', () => until(() => document.querySelector('.sheet'))],
  ['conversation', 'open=5', () => until(() => document.querySelector('.conversation'))],
  [
    'conversation_with_readers',
    'open=5&offline&lang=zh',
    () => clickOn('[data-receipt]').then(() => there('.popover time')),
  ],
  [
    'conversation_with_a_refused_message_and_its_menu',
    'open=5&refuse',
    async () => {
      await there('.composer textarea');
      const field = find<HTMLTextAreaElement>('.composer textarea');
      fill(field, 'See the notes.');
      field.focus();
      press('Enter');
      await there('.run-time.danger');
      find('.run-time.danger [aria-haspopup="menu"]').click();
      await there('[role="menu"]');
    },
  ],
  ['first_run', 'first-run'],
  ['offline_and_quiet', 'offline&quiet'],
  [
    'search',
    '',
    async () => {
      press('/');
      await there('input[type="search"]');
      fill(find<HTMLInputElement>('input[type="search"]'), 'nowhere to be found');
      await there('.empty');
    },
  ],
  [
    'a_query_with_chips_and_completions',
    '',
    async () => {
      press('/');
      await there('input[type="search"]');
      fill(find<HTMLInputElement>('input[type="search"]'), 'is:unread sou');
      await until(() => document.querySelector('[data-chip]') && document.querySelector('.completions'));
    },
  ],
  [
    'filters_and_their_menu',
    'lang=zh',
    async () => {
      await clickOn('[data-filters]', '[data-command="filter-unread"]');
      await there('[data-filter]');
      find('[data-filters]').click();
      await there('[data-command="group-day"]');
    },
  ],
  [
    'selection_with_the_snooze_menu',
    '',
    async () => {
      press('j');
      press('x');
      press('J');
      press('h');
      await there('.snooze');
    },
  ],
  ['more_menu', 'open=2', () => clickOn('.reading-pane [aria-label="More"]').then(() => there('[role="menu"]'))],
  [
    'keys',
    '',
    async () => {
      press('?');
      await there('[role="dialog"]');
    },
  ],
  [
    'palette',
    'open=2',
    async () => {
      press('k', { ctrlKey: true });
      await there('.palette [role="option"]');
      fill(find<HTMLInputElement>('.palette input'), 're');
      await there('#palette-threads');
    },
  ],
  [
    'palette_in_chinese_that_finds_nothing',
    'lang=zh',
    async () => {
      press('k', { ctrlKey: true });
      await there('.palette input');
      fill(find<HTMLInputElement>('.palette input'), '找不到的');
      await there('.palette-none');
    },
  ],
  [
    'snackbar',
    '',
    async () => {
      press('j');
      press('e');
      await there('[data-testid="snackbar"]');
    },
  ],
];

test.each(views)('%s', async (_name, query, prepare) => {
  await open(query);
  await prepare?.();
  expect(await violations()).toEqual([]);
});

// So what axe finds in one theme it finds in each; the colours of both are compared by themselves.
test.each(['', 'open=2', 'open=5', 'first-run'])('a_theme_changes_colours_and_no_markup: "%s"', async (query) => {
  const { stores } = await open(`${query}&theme=light`);
  flushSync();
  const light = document.body.innerHTML;
  const stored = stores.settings.change({ theme: 'dark' });
  flushSync();
  expect(document.documentElement.dataset.theme).toBe('dark');
  expect(document.body.innerHTML).toBe(light);
  await stored;
});
