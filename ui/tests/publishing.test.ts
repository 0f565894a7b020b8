// Tests of the settings for publishers: lines to copy, tokens, the test notification, and codes for phones.
import { expect, test } from 'vitest';
import { announced, asked, button, find, hasButton, snackbar, there, until } from './support/page';
import { choose, dialog, field, fieldError, fillField, settings, submit, textOf } from './support/settings';

const line = () => textOf('.publish-line pre');

/** The settings for publishers, with other devices let in before. */
const publishers = (query = '', others = false) =>
  settings('publish', query, (platform) => {
    if (others) void platform.own.setServer(null, true);
  });

/** Keeps what is copied. */
function clipboard(): string[] {
  const copied: string[] = [];
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  });
  return copied;
}

test('a_line_follows_the_topic_and_the_tool', async () => {
  await publishers();
  await until(() => line() === 'curl -d "Backup done" http://127.0.0.1:7878/backups');
  fillField('Topic', ' nas-01 ');
  await until(() => line().endsWith('http://127.0.0.1:7878/nas-01'));
  choose('Tool', 'cron');
  await until(() => line().startsWith('cron '));
  expect(textOf()).toContain('A line for crontab -e');
  expect(find('.publish-line').getAttribute('aria-label')).toBe('Line for cron');
  expect(textOf()).toContain('Not needed on this computer');
});

test('a_topic_that_the_server_refuses_has_a_reason_and_no_line', async () => {
  await publishers();
  await there('.publish-line');
  fillField('Topic', 'hooks');
  await until(() => fieldError('Topic').includes('The server itself uses “hooks”'));
  expect(document.querySelector('.publish-line')).toBeNull();
  fillField('Topic', 'two words');
  await until(() => fieldError('Topic').includes('A topic has 1 to 64 characters'));
  choose('Tool', 'apprise');
  fillField('Topic', 'words');
  await until(() => line().startsWith('apprise '));
});

test('a_made_token_is_hidden_in_the_line_and_copied_whole', async () => {
  const { platform } = await publishers();
  const copied = clipboard();
  button('Create token…').click();
  await until(dialog);
  await until(() => document.activeElement === field('Purpose'));
  fillField('Purpose', 'nas-02');
  submit();
  await until(() => dialog() === null);
  expect(asked(platform, 'createToken').at(-1)).toEqual(['createToken', 'nas-02', false]);
  const secret = field('Token').value;
  expect(secret).toMatch(/^tk_/);
  expect(field('Token').type).toBe('password');
  await until(() => snackbar().includes('The line contains the token for nas-02'));
  await until(() => line().includes('Bearer ••••••••'));
  expect(line()).not.toContain(secret);
  button('Copy Line for curl').click();
  await until(() => copied.at(-1)?.includes(`Bearer ${secret}`));
  await until(() => textOf('.publish-tools [aria-live]') === 'Copied');
  button('Show token').click();
  await until(() => line().includes(`Bearer ${secret}`));
  button('Hide token').click();
  await until(() => !line().includes(secret));
});

test('gotify_has_an_application_with_a_token_of_its_own', async () => {
  const { platform } = await publishers();
  fillField('Token', 'tk_topic');
  choose('Tool', 'gotify');
  await until(() => line().includes('Bearer TOKEN'));
  expect(field('Token of the application').value).toBe('');
  expect(button('Send a test').disabled).toBe(true);
  button('Create application…').click();
  await until(dialog);
  fillField('Name', 'NAS');
  submit();
  await until(() => dialog() === null);
  expect(asked(platform, 'createApplication').at(-1)).toEqual(['createApplication', 'NAS']);
  await until(() => field('Token of the application').value === 'tk_application_NAS');
  await until(() => !button('Send a test').disabled);
  button('Send a test').click();
  await until(() => asked(platform, 'testPublishing').length === 1);
  expect(asked(platform, 'testPublishing')[0]?.[2]).toBe('gotify');
  choose('Tool', 'curl');
  await until(() => field('Token').value === 'tk_topic');
});

test('a_token_that_cannot_be_made_says_why_in_its_dialog', async () => {
  const { platform } = await publishers();
  platform.createToken = () => Promise.reject({ code: 'invalid', text: 'Enter a purpose' });
  button('Create token…').focus();
  button('Create token…').click();
  await until(dialog);
  submit();
  await until(() => fieldError('Purpose').includes('Enter a purpose'));
  button('Cancel').click();
  await until(() => dialog() === null);
  await until(() => document.activeElement === button('Create token…'));
});

test('a_test_says_that_it_was_sent_or_why_not', async () => {
  const { platform } = await publishers();
  await there('.publish-line');
  button('Send a test').click();
  await until(() => snackbar().includes('Test sent'));
  await until(() => announced().includes('Test sent'));
  expect(asked(platform, 'testPublishing').at(-1)?.[1]).toMatchObject({ topic: 'backups', token: '' });
  fillField('Token', 'wrong');
  await until(() => line().includes('••••'));
  button('Send a test').click();
  await until(() => snackbar().includes('The server refused the token'));
});

test('another_device_needs_the_door_open_an_address_and_a_token', async () => {
  await publishers();
  await there('.publish-line');
  button('Another device').click();
  await until(() => document.querySelector('.publish-line') === null);
  expect(textOf('[data-section="publish"]')).toContain('Other devices are not allowed');
  button('Allow…').click();
  expect(document.activeElement).toBe(find('[data-others]'));
  find('[data-others]').click();
  await there('.publish-line');
});

test('another_device_gets_the_address_that_is_chosen', async () => {
  await publishers('', true);
  await there('.publish-line');
  button('Another device').click();
  await until(() => line() === 'curl -H "Authorization: Bearer TOKEN" -d "Backup done" http://desk.local:7878/backups');
  expect(textOf()).toContain('Create or enter a token');
  choose('Address that the device can reach', 'http://192.168.1.20:7878');
  await until(() => line().endsWith('http://192.168.1.20:7878/backups'));
});

test('phones_scan_a_code_whose_text_is_there_too', async () => {
  await publishers('', true);
  await there('[data-phone="gotify"]');
  const code = find<HTMLImageElement>('[data-phone="ntfy"] img');
  expect(code.alt).toBe('QR code for ntfy: ntfy://desk.local:7878/backups?secure=false');
  expect(code.src).toContain('data:image/svg+xml');
  expect(textOf('[data-phone="gotify"] code')).toBe('http://desk.local:7878');
  expect(hasButton('Copy http://desk.local:7878')).toBe(true);
  expect(textOf()).toContain('The password is a token that may also read the inbox');
});

test('without_other_devices_there_is_no_code_but_the_way_to_let_them_in', async () => {
  await publishers();
  await there('.publish-line');
  expect(document.querySelector('.phone-code')).toBeNull();
  expect(hasButton('Allow…')).toBe(true);
});

test('a_server_that_does_not_run_has_no_lines', async () => {
  await settings('publish', 'lang=zh', (platform) => {
    platform.own.view = { ...platform.own.view, url: null, trouble: '没有空闲的端口' };
  });
  await until(() => textOf().includes('未运行'));
  expect(document.querySelector('.publish-line')).toBeNull();
  expect(hasButton('服务器设置…')).toBe(true);
});

test('a_server_that_is_not_announced_says_so_beside_its_addresses', async () => {
  await settings('computer', '', (platform) => {
    const trouble = 'Other devices do not find this computer by themselves. Its addresses still work';
    platform.own.view = { ...platform.own.view, discovery_trouble: trouble };
  });
  await until(() => textOf('.prefs-note').includes('Its addresses still work'));
});
