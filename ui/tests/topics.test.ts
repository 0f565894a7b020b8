// Tests of the settings of topics: the list, the form, templates tried while they are written, and secrets.
import { expect, test } from 'vitest';
import { asked, button, fill, find, hasButton, press, snackbar, there, until } from './support/page';
import {
  choose,
  chooseMenuItem,
  dialog,
  field,
  fieldError,
  fillField,
  settings,
  submit,
  textOf,
} from './support/settings';

type Prepare = Parameters<typeof settings>[2];

/** The settings of topics, once they are there. */
async function topics(query = '', prepare?: Prepare) {
  const opened = await settings('topics', query, prepare);
  await there('[data-add-topic]');
  return opened;
}

async function edit(prepare?: Prepare) {
  const opened = await topics('', prepare);
  await chooseMenuItem('More for Backups', 'edit');
  await until(dialog);
  // The dialog takes the focus a moment after it is there.
  await until(() => document.activeElement === field('Name'));
  return opened;
}

/** Opens what is seldom set of a topic. */
async function advanced(): Promise<void> {
  button('Advanced', dialog() ?? document).click();
  await until(() => hasLabel('Template'));
}

const template = () => field('Template') as unknown as HTMLTextAreaElement;
/** The field for the name of a new topic; the page has one with the same label. */
const topicField = () => find<HTMLInputElement>('.dialog input[placeholder="backups"]');
const hasLabel = (label: string) => [...document.querySelectorAll('label')].some((one) => one.textContent === label);
const tried = () => [...document.querySelectorAll<HTMLElement>('[data-tried]')].map((one) => one.textContent ?? '');

test('a_topic_is_listed_with_what_is_set_for_it', async () => {
  await topics();
  const row = textOf('[data-topic="backups"]');
  expect(row).toContain('Backups');
  expect(row).toContain('backups · At least High (4) · Template · Signed by GitHub');
});

test('a_topic_is_added_with_all_its_settings', async () => {
  const { platform } = await topics();
  button('Add topic…').click();
  await until(dialog);
  await until(() => document.activeElement === topicField());
  fill(topicField(), ' nas ');
  fillField('Name', 'The NAS');
  fillField('Address of an icon', 'https://nas.example/i.png');
  choose('Lowest priority', '4');
  fillField('Expect a notification at least every', '26 h');
  await advanced();
  choose('Who may publish', 'named');
  await until(() => hasLabel('User names of publishers'));
  expect(field('User names of publishers').value).toBe('me');
  fillField('User names of publishers', 'me, ana');
  choose('Who may read', 'named');
  await until(() => hasLabel('User names of readers'));
  expect(field('User names of readers').value).toBe('me');
  fillField('User names of readers', 'me bo');
  submit();
  await until(() => dialog() === null);
  expect(asked(platform, 'saveTopic').at(-1)?.[1]).toEqual({
    topic: 'nas',
    new: true,
    name: 'The NAS',
    icon: 'https://nas.example/i.png',
    priority_floor: 4,
    expect: '26 h',
    template: '',
    publishers: ['me', 'ana'],
    readers: ['me', 'bo'],
    secrets: [],
  });
  await until(() => snackbar().includes('The NAS saved'));
  await until(() =>
    textOf('[data-topic="nas"]').includes(
      'nas · At least High (4) · Expected every 26 h · Published by me, ana only · Read by me, bo only',
    ),
  );
});

test('who_may_publish_and_read_the_template_and_secrets_are_closed_away_until_they_are_asked_for', async () => {
  await topics();
  button('Add topic…').click();
  await until(dialog);
  const seldom = ['Who may publish', 'Who may read', 'Template', 'Secrets of webhooks'];
  const texts = () => [...(dialog()?.querySelectorAll('*') ?? [])].map((one) => one.textContent);
  const shown = () => seldom.filter((name) => texts().includes(name));
  expect(shown()).toEqual([]);
  await advanced();
  expect(shown()).toEqual(seldom);
});

test('what_is_refused_is_said_at_its_field_and_nothing_typed_is_lost', async () => {
  await topics();
  button('Add topic…').click();
  await until(dialog);
  fill(topicField(), 'backups');
  fillField('Name', 'Mine');
  submit();
  await until(() => textOf('.dialog .field-error').includes('“backups” is already in the list'));
  expect(field('Name').value).toBe('Mine');
  fill(topicField(), 'nas');
  fillField('Address of an icon', 'nas.example');
  await advanced();
  choose('Who may publish', 'named');
  await until(() => hasLabel('User names of publishers'));
  fillField('User names of publishers', ' ');
  // What is wrong in it opens it again.
  button('Advanced', dialog() ?? document).click();
  await until(() => !hasLabel('User names of publishers'));
  submit();
  await until(() => fieldError('User names of publishers').includes('Enter at least one user name'));
  choose('Who may publish', 'anybody');
  choose('Who may read', 'named');
  await until(() => hasLabel('User names of readers'));
  fillField('User names of readers', ' ');
  submit();
  await until(() => fieldError('User names of readers').includes('Enter at least one user name'));
  choose('Who may read', 'all');
  submit();
  await until(() => fieldError('Address of an icon').includes('Enter an address that begins with http'));
  expect(field('Name').value).toBe('Mine');
});

test('how_often_a_topic_is_expected_is_shown_where_it_is_set_and_what_says_no_time_is_refused', async () => {
  await edit((program) => {
    const [backups] = program.topicSettings.rows;
    if (backups) backups.expect_secs = 129_600;
  });
  const label = 'Expect a notification at least every';
  expect(field(label).value).toBe('36 h');
  fillField(label, 'now and then');
  submit();
  await until(() => fieldError(label).includes('Enter a time such as 26 h'));
  fillField(label, '');
  submit();
  await until(() => dialog() === null);
  expect(textOf('[data-topic="backups"]')).not.toContain('Expected');
});

test('a_topic_in_other_letters_is_refused_in_its_field_before_it_is_sent', async () => {
  const { platform } = await topics();
  button('Add topic…').click();
  await until(dialog);
  fill(topicField(), '备份');
  await until(() => textOf('.dialog .field-error').includes('the letters A to Z and a to z, digits, - and _'));
  expect(topicField().getAttribute('aria-invalid')).toBe('true');
  submit();
  expect(asked(platform, 'saveTopic')).toEqual([]);
  fill(topicField(), 'backup-2');
  await until(() => topicField().getAttribute('aria-invalid') === null);
  submit();
  await until(() => dialog() === null);
  expect(asked(platform, 'saveTopic').length).toBe(1);
});

test('a_server_that_does_not_answer_leaves_the_form_as_it_is', async () => {
  const { platform } = await edit();
  platform.saveTopic = () => Promise.reject({ code: 'invalid', text: 'This computer’s own server did not answer' });
  fillField('Name', 'Nightly');
  submit();
  await until(() => textOf('.dialog [role="alert"]').includes('did not answer'));
  expect(field('Name').value).toBe('Nightly');
  expect(dialog()).not.toBeNull();
});

test('a_template_is_tried_on_the_last_payloads_while_it_is_written', async () => {
  const { platform } = await edit();
  await until(() => tried().length === 2);
  expect(tried()[0]).toContain('nas: Backup done');
  expect(tried()[0]).toContain('Unknown sender');
  expect(tried()[1]).toContain('github · push');
  expect(tried()[1]).toContain('Known sender');
  expect(find('[data-tried] time').getAttribute('datetime')).toMatch(/^2\d{3}-/);
  fill(template(), 'It says {{ state }}');
  await until(() => tried()[0]?.includes('It says Backup done'));
  expect(asked(platform, 'saveTopic')).toEqual([]);
  fill(template(), '{{ fail }}');
  await until(() => tried()[0]?.includes('The template failed: line 1: undefined value'));
  expect(tried()[0]).toContain('As it arrived');
});

test('quick_typing_is_tried_once_when_it_pauses', async () => {
  const { platform } = await edit();
  await until(() => tried().length === 2);
  const before = asked(platform, 'tryTemplate').length;
  for (const text of ['a', 'ab', 'abc']) fill(template(), text);
  await until(() => tried()[0]?.includes('abc'));
  expect(asked(platform, 'tryTemplate').length).toBe(before + 1);
});

test('a_template_that_cannot_be_read_says_where_and_keeps_what_was_seen', async () => {
  const { platform } = await edit();
  await until(() => tried().length === 2);
  fill(template(), 'a\n{{ state');
  await until(() => fieldError('Template').includes('The template can’t be read: line 2: unexpected end'));
  expect(template().getAttribute('aria-invalid')).toBe('true');
  expect(tried()[0]).toContain('nas: Backup done');
  expect(textOf('.dialog')).toContain('This is the result from before the error');
  submit();
  await until(() => asked(platform, 'saveTopic').length === 1);
  expect(template().value).toBe('a\n{{ state');
  fill(template(), 'b {{ state }}');
  await until(() => template().getAttribute('aria-invalid') === null);
  await until(() => tried()[0]?.includes('b Backup done'));
});

test('an_older_trial_that_answers_late_does_not_replace_a_newer_one', async () => {
  const { platform } = await edit();
  await until(() => tried().length === 2);
  const answer = platform.tryTemplate;
  let letGo = () => {};
  platform.tryTemplate = async (topic, text) => {
    platform.tryTemplate = answer;
    const early = await answer(topic, text);
    await new Promise<void>((done) => (letGo = done));
    return early;
  };
  fill(template(), 'old');
  await until(() => platform.tryTemplate === answer);
  fill(template(), 'new');
  await until(() => tried()[0]?.includes('new'));
  letGo();
  fill(template(), 'newest');
  await until(() => tried()[0]?.includes('newest'));
  expect(tried().join()).not.toContain('old');
});

test('without_payloads_there_is_the_line_that_sends_one', async () => {
  const { platform } = await edit((program) => {
    program.topicSettings.payloads = {};
  });
  await there('[data-hook-line]');
  expect(find('[data-hook-line]').dataset.hookLine).toContain('http://127.0.0.1:7878/hooks/backups');
  expect(textOf('.dialog')).toContain('No request has arrived yet');
  expect(hasButton('Copy curl')).toBe(true);
  platform.topicSettings.payloads = { backups: [{ sender: '', event: '', job: 'nas', state: 'Now' }] };
  button('Check for new requests').click();
  await until(() => tried()[0]?.includes('nas: Now'));
});

test('secrets_are_set_replaced_and_removed_and_never_shown', async () => {
  const { platform } = await edit();
  expect(textOf('[data-secret="github"]')).toContain('Set');
  button('Replace the secret of GitHub').click();
  await until(() => document.activeElement === field('Secret of GitHub'));
  expect(field('Secret of GitHub').type).toBe('password');
  expect(field('Secret of GitHub').value).toBe('');
  submit();
  await until(() => textOf('.dialog .field-error').includes('Enter the secret, or keep the current one'));
  expect(asked(platform, 'saveTopic')).toEqual([]);
  fill(field('Secret of GitHub'), 'new one');
  choose('Add a secret for', 'sentry');
  await until(() => document.activeElement === field('Secret of Sentry'));
  fill(field('Secret of Sentry'), 's3cret');
  choose('Add a secret for', 'gitlab');
  await there('[data-secret="gitlab"]');
  button('Keep the secret of GitLab').click();
  await until(() => document.querySelector('[data-secret="gitlab"]') === null);
  submit();
  await until(() => dialog() === null);
  expect(asked(platform, 'saveTopic').at(-1)?.[1]).toMatchObject({
    new: false,
    secrets: [
      { sender: 'github', secret: 'new one' },
      { sender: 'sentry', secret: 's3cret' },
    ],
  });
  await until(() => textOf('[data-topic="backups"]').includes('Signed by GitHub, Sentry'));
  expect(document.body.innerHTML).not.toContain('s3cret');

  await chooseMenuItem('More for Backups', 'edit');
  await until(dialog);
  button('Remove the secret of GitHub').click();
  await until(() => textOf('[data-secret="github"]').includes('Removed when you save'));
  submit();
  await until(() => dialog() === null);
  expect(platform.topicSettings.rows[0]?.secrets).toEqual(['sentry']);
});

test('leaving_asks_where_something_was_changed', async () => {
  await edit();
  press('Escape');
  await until(() => dialog() === null);
  await chooseMenuItem('More for Backups', 'edit');
  await until(dialog);
  fill(template(), 'a long one');
  press('Escape');
  await until(() => hasButton('Leave'));
  expect(textOf('[aria-label="Leave without saving?"]')).toContain('Your changes here will be lost');
  button('Cancel', find('[aria-label="Leave without saving?"]')).click();
  await until(() => !hasButton('Leave'));
  expect(template().value).toBe('a long one');
  button('Cancel', dialog() ?? document).click();
  await until(() => hasButton('Leave'));
  button('Leave').click();
  await until(() => dialog() === null);
});

test('a_topic_is_removed_after_a_question', async () => {
  const { platform } = await topics();
  await chooseMenuItem('More for Backups', 'remove');
  await until(dialog);
  expect(textOf('.dialog')).toContain('What was published stays');
  button('Remove', dialog() ?? document).click();
  await until(() => document.querySelector('[data-topic]') === null);
  expect(asked(platform, 'removeTopic').at(-1)).toEqual(['removeTopic', 'backups']);
  await until(() => textOf().includes('No topics with settings'));
  await until(() => document.activeElement === button('Add topic…'));
});

test('without_a_server_there_are_no_topics', async () => {
  await settings('topics', 'lang=zh', (platform) => {
    platform.own.view = { ...platform.own.view, url: null, trouble: '没有空闲的端口' };
  });
  await until(() => textOf().includes('未运行'));
  expect(document.querySelector('[data-add-topic]')).toBeNull();
});
