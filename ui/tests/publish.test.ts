// Tests of the form that publishes on a topic of a source, on the whole page.
import { afterEach, expect, test } from 'vitest';
import { isEmpty, loadPublicationDraft, savePublicationDraft } from '../src/features/compose/publication-draft';
import type { MenuEntry } from '../src/generated/MenuEntry';
import type { NewPublication } from '../src/generated/NewPublication';
import type { Scripted } from '../src/platform/scripted/scripted';
import { BACKUPS } from './support/article';
import { violations } from './support/axe';
import {
  asked,
  button,
  fill,
  find,
  known,
  menu,
  type Opened,
  open,
  press,
  row,
  snackbar,
  there,
  until,
} from './support/page';
import { choose, dialog, field, fieldError, fillField, textOf } from './support/settings';

afterEach(() => savePublicationDraft(null));

const NTFY = 4;
/** Puts the first thread on a topic of the source with topics. */
const onTopic = (topic: string) => (platform: Scripted) => {
  const thread = known(platform, BACKUPS);
  thread.row = { ...thread.row, source: NTFY, topic };
};
const text = () => find<HTMLTextAreaElement>('.compose-message');
const topic = () => find<HTMLSelectElement>('.dialog select');
const state = () => textOf('[data-testid="publish-state"]');
const published = ({ platform }: Opened) =>
  asked(platform, 'publishOnTopic').map(([, publication]) => publication as NewPublication);

const offered = () => [...document.querySelectorAll('.palette [role="option"]')].map((one) => one.textContent ?? '');

/** Types into the palette until the first command is this one. */
async function search(typed: string, first: string): Promise<void> {
  press('k', { ctrlKey: true });
  await there('.palette input');
  fill(find<HTMLInputElement>('.palette input'), typed);
  await until(() => document.querySelector('.palette [aria-selected="true"]')?.textContent?.includes(first));
}

/** Opens the form by the palette, and waits until its first field has the focus. */
async function again(chinese = false): Promise<void> {
  await (chinese ? search('发布到主题', '发布到主题…') : search('publish to a', 'Publish to a topic…'));
  press('Enter');
  await until(() => dialog()?.querySelector('.compose-message'));
  await until(() => document.activeElement?.matches('[data-publish="title"] input'));
}

async function begin(query = '', prepare?: Parameters<typeof open>[1]): Promise<Opened> {
  const opened = await open(query, prepare);
  await again(query.includes('lang=zh'));
  return opened;
}

test('with_the_keyboard_alone_a_notification_is_published_on_the_topic_in_view', async () => {
  const opened = await begin(`open=${BACKUPS}`, onTopic('door'));
  await until(() => topic().value === `${NTFY}/door`);
  choose('Topic', `${NTFY}/alerts`);
  fill(field('Title'), ' Lunch ');
  text().focus();
  fill(text(), 'Soup\nand bread');
  press('Enter');
  expect(published(opened), 'Enter begins a line').toEqual([]);
  choose('Priority', '4');
  fill(field('Tags'), 'stew, bell,');
  await until(() => document.querySelectorAll('.dialog [data-chip]').length === 2);
  find('.dialog [role="checkbox"]').click();
  fillField('Address to open when clicked', 'https://menu.example/today');
  text().focus();
  press('Enter', { ctrlKey: true });
  await until(() => dialog() === null);
  const [sent] = published(opened);
  expect(sent).toMatchObject({
    source: NTFY,
    topic: 'alerts',
    title: 'Lunch',
    text: 'Soup\nand bread',
    markdown: true,
    priority: 4,
    tags: ['stew', 'bell'],
    click: 'https://menu.example/today',
  });
  expect(sent?.key).toMatch(/^[0-9a-f]{24}$/);
  await until(() => snackbar() === 'Published to alerts');
  expect(isEmpty(loadPublicationDraft()), 'nothing is left of it').toBe(true);
});

test('it_is_offered_only_where_a_source_has_topics', async () => {
  const without = (platform: Scripted) => {
    platform.sources = platform.sources.map(({ topics: _, ...rest }) => rest);
  };
  await open('', without);
  await search('publish', 'Publish');
  expect(offered().join()).not.toContain('Publish to a topic');
});

test('the_menus_of_a_thread_an_item_and_a_source_lead_to_its_topic', async () => {
  const { platform } = await open(`open=${BACKUPS}`, onTopic('door'));
  await there('[data-item-msgid]');
  const labels = () =>
    asked(platform, 'popup').flatMap(([, entries]) => (entries as MenuEntry[]).map((one) => one.label));
  for (const [target, label, value] of [
    [() => row(BACKUPS), 'Publish to “door”…', 'door'],
    [() => find('[data-item-msgid]'), 'Publish to “door”…', 'door'],
    [() => find(`[data-place="source-${NTFY}"]`), 'Publish to a topic…', 'alerts'],
  ] as const) {
    platform.choices.push('publish');
    menu(target());
    await until(() => dialog()?.querySelector('.compose-message'));
    expect(labels()).toContain(label);
    expect(topic().value).toBe(`${NTFY}/${value}`);
    press('Escape');
    await until(() => dialog() === null);
  }
  find('.reading-pane [aria-label="More"]').click();
  await there('[role="menu"]');
  button('Publish to “door”…').click();
  await until(() => dialog()?.querySelector('.compose-message') && topic().value === `${NTFY}/door`);
});

test('what_is_missing_or_too_long_is_said_where_it_is_and_nothing_is_sent', async () => {
  const opened = await begin();
  button('Publish').click();
  await until(() => fieldError('Text').startsWith('Enter some text'));
  await until(() => document.activeElement === text());
  fill(text(), '语'.repeat(1366));
  await until(() => fieldError('Text').startsWith('2 bytes too long'));
  expect(text().getAttribute('aria-invalid')).toBe('true');
  button('Publish').click();
  fill(text(), '语'.repeat(1365));
  await until(() => text().getAttribute('aria-invalid') === null);
  fillField('Address to open when clicked', 'menu.example');
  button('Publish').click();
  await until(() => fieldError('Address to open when clicked').startsWith('Enter an address'));
  await until(() => document.activeElement === field('Address to open when clicked'));
  expect(await violations()).toEqual([]);
  expect(published(opened)).toEqual([]);
});

test('a_refusal_is_told_in_words_and_what_was_written_is_there_after_coming_back', async () => {
  const opened = await begin('', onTopic('alerts'));
  choose('Topic', `${NTFY}/door`);
  fill(text(), 'Lunch is served');
  button('Publish').click();
  await until(() => state() === 'You may not publish to “door” at ntfy.sh');
  expect(await violations()).toEqual([]);
  press('Escape');
  await until(() => dialog() === null);
  await again();
  expect(text().value, 'nothing is lost by closing').toBe('Lunch is served');
  choose('Topic', `${NTFY}/alerts`);
  button('Publish').click();
  await until(() => dialog() === null);
  expect(published(opened).map((one) => one.topic)).toEqual(['door', 'alerts']);
});

test('each_try_of_a_notification_has_its_key_and_another_one_a_key_of_its_own', async () => {
  const opened = await begin();
  fill(text(), 'lost');
  button('Publish').click();
  await until(() => state() === 'ntfy.sh did not answer');
  button('Publish').click();
  await until(() => published(opened).length === 2);
  await until(() => !button('Publish').disabled);
  fill(text(), '');
  await until(() => isEmpty(loadPublicationDraft()));
  fill(text(), 'Something else');
  button('Publish').click();
  await until(() => dialog() === null);
  const [first, second, third] = published(opened).map((one) => one.key);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('axe_finds_nothing_in_the_form_in_chinese', async () => {
  await begin('lang=zh');
  button('发布').click();
  await until(() => fieldError('正文').startsWith('输入正文'));
  expect(await violations()).toEqual([]);
});
