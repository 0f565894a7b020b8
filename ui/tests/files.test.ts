// Tests of attachments: downloaded on request, shown, saved, cancelled.
import { expect, test } from 'vitest';
import type { ItemView } from '../src/generated/ItemView';
import { BACKUPS } from './support/article';
import { violations } from './support/axe';
import { asked, button, find, hasButton, known, open, press, snackbar, there, until } from './support/page';

const LOG = `m${BACKUPS}`;

test('a_file_is_fetched_and_shown_on_request', async () => {
  const { platform } = await open(`open=${BACKUPS}`);
  await there('.attachment');
  expect(find('.attachment').textContent?.replace(/\s+/g, ' ')).toContain('backup.log 18 KB · nas-01.home.arpa');
  expect(asked(platform, 'fetchFile')).toEqual([]);
  button('Show', find('.attachment')).click();
  await there('.attachment-text');
  expect(find('.attachment-text').textContent).toContain('14.2 GB, no errors');
  expect(find('.attachment-note').textContent).toBe('Only the beginning is shown. Save the file to see all of it');
  button('Hide', find('.attachment')).click();
  await until(() => document.querySelector('.attachment-text') === null);
});

test('a_picture_is_shown_as_one', async () => {
  await open('open=8');
  await there('.attachment');
  button('Show', find('.attachment')).click();
  await there('.attachment-image');
  expect(find<HTMLImageElement>('.attachment-image').alt).toBe('door.jpg');
});

/** Puts a picture into the first item of a thread. */
const picture = (url: string, own: boolean) => (early: Parameters<typeof known>[0]) => {
  const item = known(early, BACKUPS).items[0] as ItemView;
  Object.assign(item, { own, attachment: { name: 'garden.png', url, size: 64_000, media: null } });
};

test('a_picture_of_the_own_server_is_shown_at_once_and_enlarges', async () => {
  const { platform, stores } = await open(`open=${BACKUPS}`, picture('http://127.0.0.1:7878/files/garden.png', false));
  await there('.attachment-image');
  expect(asked(platform, 'fetchFile')).toEqual([['fetchFile', BACKUPS, LOG]]);
  button('Enlarge garden.png').focus();
  button('Enlarge garden.png').click();
  await until(() => document.querySelector('[role="dialog"] img'));
  expect(find('[role="dialog"]').getAttribute('aria-label')).toBe('garden.png');
  expect(await violations()).toEqual([]);
  press('Escape');
  await until(() => document.querySelector('[role="dialog"]') === null);
  await until(() => document.activeElement === button('Enlarge garden.png'));
  expect(stores.navigation.threadId).toBe(BACKUPS);

  // What was hidden stays hidden.
  button('Hide', find('.attachment')).click();
  await until(() => document.querySelector('.attachment-image, .attachment-well') === null);
  press('j');
  await until(() => stores.navigation.threadId !== BACKUPS);
  press('k');
  await until(() => stores.navigation.threadId === BACKUPS && document.querySelector('.attachment'));
  expect(asked(platform, 'fetchFile'), 'it is not fetched again').toHaveLength(1);
  expect(document.querySelector('.attachment-image')).toBeNull();
});

test.each([
  ['of_somebody_else_at_another_host', 'https://nas-01.home.arpa/garden.png', false],
  ['of_ones_own_at_another_host', 'https://nas-01.home.arpa/garden.png', true],
])('a_picture_%s_waits_to_be_asked_for', async (_name, url, own) => {
  const { platform } = await open(`open=${BACKUPS}`, picture(url, own));
  await there('.attachment');
  expect(document.querySelector('.attachment-well')).toBeNull();
  expect(asked(platform, 'fetchFile')).toEqual([]);
});

test('a_picture_that_cannot_be_shown_at_once_says_why_with_its_file', async () => {
  await open(`open=${BACKUPS}`, (early) => {
    picture('http://127.0.0.1:7878/files/garden.png', false)(early);
    early.fetchFile = () => Promise.reject({ code: 'outside', text: 'The server does not answer' });
  });
  await until(() => document.querySelector('.attachment-failed')?.textContent?.includes('The server does not answer'));
  expect(snackbar()).toBe('');
  expect(hasButton('Show', find('.attachment'))).toBe(true);
});

test('a_file_of_a_strange_kind_is_only_saved', async () => {
  const { platform } = await open(`open=${BACKUPS}`, (early) => {
    const file = known(early, BACKUPS).items[0] as ItemView;
    file.attachment = { name: 'disk.img', url: 'https://nas-01.home.arpa/disk.img', size: null, media: null };
  });
  await there('.attachment');
  expect(find('.attachment').textContent).not.toContain('Show');
  button('Save…', find('.attachment')).click();
  await until(() => snackbar().includes('disk.img saved'));
  expect(asked(platform, 'saveFile')).toEqual([['saveFile', BACKUPS, LOG]]);
});

test('a_file_on_its_way_says_how_far_it_is_and_can_be_given_up', async () => {
  const { platform } = await open(`open=${BACKUPS}`, (early) => (early.files.latency = null));
  await there('.attachment');
  button('Show', find('.attachment')).click();
  await until(() => document.querySelector('.attachment')?.textContent?.includes('6.1 KB of 18 KB'));
  expect(find('[role="progressbar"]').getAttribute('aria-valuenow')).toBe('6133');
  button('Cancel', find('.attachment')).click();
  await until(() => document.querySelector('[role="progressbar"]') === null);
  expect(asked(platform, 'cancelFile')).toEqual([['cancelFile', BACKUPS, LOG]]);
  button('Show', find('.attachment')).click();
  await there('[role="progressbar"]');
  platform.files.arrive(BACKUPS, LOG);
  await there('.attachment-text');
});

test('a_file_that_got_on_before_its_start_was_answered_does_not_fall_back', async () => {
  const { platform } = await open(`open=${BACKUPS}`, (early) => {
    early.files.latency = null;
    const { fetch } = early.files;
    early.files.fetch = async (thread, msgid) => {
      const started = await fetch.call(early.files, thread, msgid);
      early.emit({ event: 'file', thread, msgid, file: { state: 'fetching', done: 9000, of: 18_400 } });
      return started;
    };
  });
  await there('.attachment');
  button('Show', find('.attachment')).click();
  await there('[role="progressbar"]');
  await until(() => asked(platform, 'fetchFile').length === 1);
  await new Promise((answered) => setTimeout(answered));
  expect(find('[role="progressbar"]').getAttribute('aria-valuenow')).toBe('9000');
});

test('a_file_that_cannot_be_had_says_why', async () => {
  await open(
    `open=${BACKUPS}`,
    (early) => (early.files.failing = 'No answer from nas-01.home.arpa. Try again when it can be reached'),
  );
  await there('.attachment');
  button('Show', find('.attachment')).click();
  await until(() => document.querySelector('.attachment-failed')?.textContent?.includes('No answer from nas-01'));
  button('Show', find('.attachment'));
});

test('pictures_that_do_not_fit_into_memory_together_are_shown_one_in_place_of_the_other', async () => {
  await open(`open=${BACKUPS}`, (early) => {
    early.files.pixels = 40 * 1024 * 1024;
    const thread = known(early, BACKUPS);
    const like = thread.items[0] as ItemView;
    const picture = (name: string): ItemView => {
      const url = `https://nas-01.home.arpa/${name}.png`;
      return { ...like, msgid: name, attachment: { name: `${name}.png`, url, size: 9, media: null } };
    };
    thread.items = ['first', 'second'].map(picture);
  });
  const shown = () => [...document.querySelectorAll<HTMLImageElement>('.attachment-image')].map((one) => one.alt);
  const show = async (name: string) => {
    await there(`[data-item-msgid=${name}] .attachment`);
    button('Show', find(`[data-item-msgid=${name}] .attachment`)).click();
    await until(() => shown().includes(`${name}.png`));
  };
  await show('first');
  await show('second');
  expect(shown()).toEqual(['second.png']);
  await show('first');
  expect(shown()).toEqual(['first.png']);
});
