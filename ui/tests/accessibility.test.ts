// axe finds nothing in any of the views.
import { describe, expect, test } from 'vitest';
import { violations } from './support/axe';
import { fill, find, open, press, until } from './support/page';

const views: [string, string, (() => Promise<void>)?][] = [
  ['inbox', ''],
  ['inbox_in_chinese', 'lang=zh'],
  ['thread', 'open=2', () => until(() => document.querySelector('.sheet'))],
  ['conversation', 'open=5', () => until(() => document.querySelector('.conversation'))],
  [
    'conversation_with_readers',
    'open=5&offline&lang=zh',
    async () => {
      await until(() => document.querySelector('[data-receipt]'));
      find('[data-receipt]').click();
      await until(() => document.querySelector('.popover time'));
    },
  ],
  [
    'conversation_with_a_refused_message_and_its_menu',
    'open=5&refuse',
    async () => {
      await until(() => document.querySelector('.composer textarea'));
      const field = find<HTMLTextAreaElement>('.composer textarea');
      fill(field, 'See the notes.');
      field.focus();
      press('Enter');
      await until(() => document.querySelector('.run-time.danger'));
      find('.run-time.danger [aria-haspopup="menu"]').click();
      await until(() => document.querySelector('[role="menu"]'));
    },
  ],
  ['first_run', 'first-run'],
  ['offline_and_quiet', 'offline&quiet'],
  [
    'search',
    '',
    async () => {
      press('/');
      await until(() => document.querySelector('input[type="search"]'));
      fill(find<HTMLInputElement>('input[type="search"]'), 'nowhere to be found');
      await until(() => document.querySelector('.empty'));
    },
  ],
  [
    'a_query_with_chips_and_completions',
    '',
    async () => {
      press('/');
      await until(() => document.querySelector('input[type="search"]'));
      fill(find<HTMLInputElement>('input[type="search"]'), 'is:unread sou');
      await until(() => document.querySelector('[data-chip]') && document.querySelector('.completions'));
    },
  ],
  [
    'filters_and_their_menu',
    'lang=zh',
    async () => {
      find('[data-filters]').click();
      await until(() => document.querySelector('[data-command="filter-unread"]'));
      find('[data-command="filter-unread"]').click();
      await until(() => document.querySelector('[data-filter]'));
      find('[data-filters]').click();
      await until(() => document.querySelector('[data-command="group-day"]'));
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
      await until(() => document.querySelector('[role="menu"]'));
    },
  ],
  [
    'more_menu',
    'open=2',
    async () => {
      await until(() => document.querySelector('.reading-pane [aria-label="More"]'));
      find('.reading-pane [aria-label="More"]').click();
      await until(() => document.querySelector('[role="menu"]'));
    },
  ],
  [
    'keys',
    '',
    async () => {
      press('?');
      await until(() => document.querySelector('[role="dialog"]'));
    },
  ],
  [
    'palette',
    'open=2',
    async () => {
      press('k', { ctrlKey: true });
      await until(() => document.querySelector('.palette [role="option"]'));
      fill(find<HTMLInputElement>('.palette input'), 're');
      await until(() => document.querySelector('#palette-threads'));
    },
  ],
  [
    'palette_in_chinese_that_finds_nothing',
    'lang=zh',
    async () => {
      press('k', { ctrlKey: true });
      await until(() => document.querySelector('.palette input'));
      fill(find<HTMLInputElement>('.palette input'), '找不到的');
      await until(() => document.querySelector('.palette-none'));
    },
  ],
  [
    'snackbar',
    '',
    async () => {
      press('j');
      press('e');
      await until(() => document.querySelector('[data-testid="snackbar"]'));
    },
  ],
];

describe.each(['light', 'dark'])('%s', (theme) => {
  test.each(views)('%s', async (_name, query, prepare) => {
    await open(`${query}&theme=${theme}`);
    await prepare?.();
    expect(await violations()).toEqual([]);
  });
});
