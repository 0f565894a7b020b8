// Tests that axe finds nothing in the menus and dialogs of a thread, nor in the form that saves a search.
import { expect, test } from 'vitest';
import { violations } from './support/axe';
import { button, clickOn, fill, find, open, press, there, until } from './support/page';

const BACKUPS = 1;
const ARTICLE = 2;
const CREW = 5;
const DOORBELL = 8;

async function search(words: string): Promise<void> {
  press('/');
  await there('input[type="search"]');
  fill(find<HTMLInputElement>('input[type="search"]'), words);
  await until(() => document.querySelector('[data-testid="result-count"]')?.textContent);
}

const states: [string, string, () => Promise<void>][] = [
  [
    'coloured_code_tables_and_actions',
    `open=${ARTICLE}`,
    async () => {
      await there('.hl-keyword');
      find('.earlier').click();
      await there('.remote-image');
    },
  ],
  [
    'a_file_shown_as_text',
    `open=${BACKUPS}`,
    async () => {
      await there('.attachment');
      button('Show').click();
      await there('.attachment-text');
    },
  ],
  [
    'a_file_shown_as_a_picture',
    `open=${DOORBELL}&lang=zh`,
    async () => {
      await there('.attachment');
      button('显示').click();
      await there('.attachment-image');
    },
  ],
  [
    'files_attached_and_a_file_that_waits',
    `open=${CREW}&offline`,
    async () => {
      await there('.composer .attach');
      const target = find('.reading-pane .scroll');
      const drop = (...files: File[]) => {
        const event = new Event('drop', { bubbles: true, cancelable: true });
        Object.defineProperty(event, 'dataTransfer', { value: { files, types: ['Files'] } });
        target.dispatchEvent(event);
      };
      drop(new File(['a'], 'a.txt'));
      await until(() => !find<HTMLButtonElement>('.composer .send').disabled);
      find('.composer textarea').focus();
      press('Enter');
      await there('[data-outgoing] .attachment');
      drop(new File(['b'], 'b.txt'));
      await there('.composer-file');
    },
  ],
  ['those_who_have_read_it', `open=${CREW}`, () => clickOn('[data-receipt]').then(() => there('.popover time'))],
  [
    'those_who_are_in_a_group',
    `open=${CREW}&offline`,
    () => clickOn('[data-members]').then(() => there('.popover li')),
  ],
  [
    'how_much_a_thread_may_tell',
    `open=${ARTICLE}`,
    () =>
      clickOn('.reading-pane [aria-label="More"]', '[data-notify-option="level"]').then(() =>
        there('[role="menuitemradio"]'),
      ),
  ],
  [
    'a_time_of_ones_own_to_snooze_until',
    `open=${ARTICLE}`,
    async () => {
      await clickOn('.reading-pane [data-snooze]');
      await clickOn('[data-calendar]');
      await there('.calendar td');
    },
  ],
  [
    'everything_that_matches_selected',
    '',
    async () => {
      press('j');
      press('x');
      press('a', { ctrlKey: true });
      await until(() => document.querySelector('[data-testid="selected"]')?.textContent?.startsWith('All'));
    },
  ],
  [
    'a_search_that_is_kept',
    '',
    async () => {
      await search('ci');
      button('Save').click();
      await there('.popover input');
    },
  ],
  [
    'a_kept_search_that_is_renamed',
    '',
    async () => {
      find('[data-place="saved-1"]').focus();
      press('F2');
      await there('.place-name');
    },
  ],
  ['an_empty_inbox', 'first-run&lang=zh', () => clickOn('.welcome-foot button').then(() => there('.list .empty'))],
];

test.each(states)('%s', async (_name, query, prepare) => {
  await open(query);
  await prepare();
  expect(await violations()).toEqual([]);
});
