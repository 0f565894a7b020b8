// Tests of the settings for storage, the own server, and exported and imported files.
import { expect, test } from 'vitest';
import { formatSize } from '../src/i18n/sizes';
import { violations } from './support/axe';
import { announced, asked, button, fill, find, hasButton, open, press, snackbar, there, until } from './support/page';
import { dialog, field, fieldError, fillField, openSection, settings, submit, textOf } from './support/settings';

test('storage_says_how_much_lies_where_and_gives_room_back', async () => {
  const { platform, stores } = await settings('storage');
  await openSection('storage-advanced');
  expect(textOf()).toContain('128,400 notifications, with the search index');
  expect(textOf()).toContain('412 MB');
  expect(textOf()).toContain('Frees about 38 MB');
  button('Free up space').click();
  await until(() => snackbar().includes('38 MB freed'));
  expect(textOf()).toContain('Nothing to free');
  expect(button('Free up space').disabled).toBe(true);
  button('90 days').click();
  await until(() => platform.now.keep_days === 90);
  button('Everything').click();
  await until(() => stores.settings.current?.keep_days === null);
  button('Open folder: Data folder').click();
  expect(asked(platform, 'openFolder').at(-1)).toEqual(['openFolder', 'data']);
});

test('what_works_here_is_told_with_what_to_do_and_a_report_is_copied', async () => {
  const copied: string[] = [];
  const writeText = async (text: string) => void copied.push(text);
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
  const { platform } = await settings('diagnosis');
  await there('[data-finding="source"]');
  expect(textOf('[data-finding="disk"]')).toMatch(/^Disk: works ?40 GB$/);
  expect(textOf('[data-finding="source"]')).toMatch(/^ntfy\.sh: does not work ?No answer ?Check the address$/);
  button('Copy Report').click();
  await until(() => copied.length > 0);
  expect(copied).toEqual(['Tidings 1.2.3\n✗ ntfy ntfy.sh: No answer\n']);
  button('Check again').click();
  await until(() => asked(platform, 'diagnosis').length === 2);
});

test('a_number_of_days_from_elsewhere_is_offered_too', async () => {
  await settings('storage', '', (platform) => {
    platform.now = { ...platform.now, keep_days: 14 };
  });
  expect(button('14 days').getAttribute('aria-checked')).toBe('true');
});

test('a_clock_that_jumped_says_for_how_long_nothing_is_removed', async () => {
  await settings('storage', '', (platform) => {
    const storage = platform.storage.bind(platform);
    platform.storage = async () => ({ ...(await storage()), hold_hours: 24 });
  });
  expect(textOf()).toContain('nothing is removed in the next 24 hours of running');
});

test('export_and_backup_say_where_the_file_is_and_restore_asks_first', async () => {
  const { platform } = await settings('storage');
  button('Export…').click();
  await there('[role="menu"]');
  button('mbox, for a mail program').click();
  await until(() => snackbar().includes('128,400 notifications exported: /home/ana/Documents/tidings.mbox'));
  expect(asked(platform, 'exportInbox').at(-1)).toEqual(['exportInbox', 'mbox']);
  await until(() => !button('Back up…').disabled);
  button('Back up…').click();
  await until(() => snackbar().includes('Everything is in the backup'));

  await until(() => !button('Restore…').disabled);
  button('Restore…').click();
  await until(dialog);
  expect(textOf('.dialog')).toContain('The backup replaces everything here');
  await until(() => document.activeElement?.textContent === 'Cancel');
  button('Cancel').click();
  await until(() => dialog() === null);
  expect(platform.asked.some(([what]) => what === 'restore')).toBe(false);
  button('Restore…').click();
  await until(dialog);
  button('Choose a file…').click();
  await until(() => snackbar().includes('128,400 notifications are back'));
});

test('a_cancelled_file_dialog_says_nothing_and_a_refusal_does', async () => {
  const { platform } = await settings('storage', 'lang=zh');
  platform.disk.path = null;
  button('导出设置').click();
  await until(() => asked(platform, 'exportSettings').length > 0);
  expect(snackbar()).toBe('');
  platform.disk.path = '/home/ana/设置';
  button('导入设置').click();
  await until(() => snackbar().includes('已导入设置、2 条规则和 1 个来源：/home/ana/设置'));
  platform.exportSettings = () => Promise.reject({ code: 'outside', text: '文件夹不可写。换一个文件夹' });
  button('导出设置').click();
  await until(() => snackbar().includes('文件夹不可写'));
});

test('the_most_of_one_pull_is_chosen_with_the_storage', async () => {
  const { platform } = await settings('storage-advanced');
  await until(() => document.body.textContent?.includes('4 GiB'));
  expect(textOf()).toContain('512 MiB of disk space stays free');
  button('4 GiB').click();
  await until(() => platform.disk.store.pull_mebibytes === 4096);
});

test('sizes_are_words', () => {
  const all: [number, string][] = [
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1 KB'],
    [9_640, '9.6 KB'],
    [412_000_000, '412 MB'],
    [999_600_000, '1 GB'],
    [12_000_000_000_000, '12 TB'],
  ];
  for (const [bytes, said] of all) expect(formatSize(bytes, 'en')).toBe(said);
  expect(formatSize(0, 'zh-CN')).toBe('0 字节');
});

test('the_server_moves_to_another_port_unless_it_is_taken', async () => {
  const { platform, stores } = await settings('computer-advanced');
  expect(textOf()).toContain('http://127.0.0.1:7878');
  expect(hasButton('Copy http://127.0.0.1:7878')).toBe(true);
  fillField('Port', '80');
  await until(() => fieldError('Port').includes('Enter a port from 1024 to 65535'));
  expect(platform.asked.some(([what]) => what === 'setServer')).toBe(false);
  fillField('Port', '8080');
  await until(() =>
    fieldError('Port').includes('Another program uses port 8080. It still answers at http://127.0.0.1:7878'),
  );
  fillField('Port', '9000');
  await until(() => textOf().includes('http://127.0.0.1:9000'));
  expect(field('Port').getAttribute('aria-invalid')).toBeNull();
  expect(stores.firstRun.state.publish_url).toBe('http://127.0.0.1:9000');
  await until(() => announced() === 'http://127.0.0.1:9000');
  fillField('Port', '');
  await until(() => textOf().includes('http://127.0.0.1:7878'));
  expect(asked(platform, 'setServer').at(-1)).toEqual(['setServer', null, false]);
});

test('other_devices_are_let_in_with_the_likeliest_address_and_advanced_has_the_others', async () => {
  const { platform } = await settings('computer');
  expect(textOf()).toContain('On the same network, and with a token');
  find('[data-others]').click();
  await until(() => textOf().includes('http://desk.local:7878'));
  expect(textOf()).toContain('Address for other devices');
  expect(hasButton('Copy http://desk.local:7878')).toBe(true);
  expect(textOf()).not.toContain('http://192.168.1.20:7878');
  await openSection('computer-advanced');
  await until(() => textOf().includes('More addresses for other devices http://192.168.1.20:7878'));
  expect(hasButton('Copy http://192.168.1.20:7878')).toBe(true);
  platform.setServer = () => Promise.reject({ code: 'outside', text: 'The firewall keeps others out' });
  find('[data-others]').click();
  await until(() => textOf().includes('The firewall keeps others out'));
});

test('a_server_that_does_not_run_says_why', async () => {
  await settings('computer', '', (platform) => {
    platform.own.view = { ...platform.own.view, url: null, trouble: 'No port is free. Choose one' };
  });
  expect(textOf()).toContain('Not running');
  expect(find('.prefs [role="alert"]').textContent).toContain('No port is free. Choose one');
});

test('a_token_is_shown_once_with_its_line_and_can_be_revoked', async () => {
  const { platform } = await settings('tokens');
  button('Create token…').click();
  await until(dialog);
  await until(() => document.activeElement === field('Purpose'));
  submit();
  await until(() => fieldError('Purpose').includes('Enter a purpose'));
  fillField('Purpose', 'nas-02');
  button('Publish and read the inbox').click();
  submit();
  await there('[data-token-secret]');
  const made = platform.own.view.tokens[0];
  const secret = find('[data-token-secret] code').textContent;
  expect(find('[data-curl]').dataset.curl).toContain(`Bearer ${secret}`);
  expect(textOf('.dialog')).toContain('Copy it now. It is shown only once');
  await until(() => document.activeElement === button('Copy Token'));
  button('Done').click();
  await until(() => dialog() === null);
  await until(() => textOf(`[data-token="${made?.id}"]`).includes('Publishes and reads the inbox. Created 20 Nov'));
  expect(document.body.textContent).not.toContain(secret);

  button('Revoke the token for nas-02').click();
  await until(dialog);
  expect(textOf('.dialog')).toContain('Programs that use it are refused from now on');
  button('Revoke', dialog() ?? document).click();
  await until(() => !textOf().includes('nas-02'));
  expect(asked(platform, 'revokeToken').at(-1)).toEqual(['revokeToken', made?.id]);
  await until(() => document.activeElement === button('Create token…'));
});

test('a_token_says_which_one_made_it_and_goes_with_that', async () => {
  const { platform } = await settings('tokens');
  await until(() => textOf('[data-token="t3"]').includes('with the token for phone'));
  expect(textOf('[data-token="t2"]')).not.toContain('with the token');
  button('Revoke the token for phone').click();
  await until(dialog);
  expect(textOf('.dialog')).toContain('A token that was created with it is revoked too.');
  button('Revoke', dialog() ?? document).click();
  await until(() => document.querySelector('[data-token="t2"]') === null);
  expect(document.querySelector('[data-token="t3"]')).toBeNull();
  expect(asked(platform, 'revokeToken').at(-1)).toEqual(['revokeToken', 't2']);
});

test('people_on_the_server_are_added_renamed_and_removed_after_a_question', async () => {
  const { platform } = await settings('people');
  await there('[data-user="bo"]');
  expect(await violations()).toEqual([]);
  button('Add…').click();
  await until(dialog);
  submit();
  await until(() => fieldError('User name').includes('Enter a user name'));
  fillField('User name', 'bo');
  submit();
  await until(() => fieldError('User name').includes('bo is taken'));
  fillField('User name', 'ana');
  fillField('Name', 'Ana Ortiz');
  submit();
  await until(() => dialog() === null);
  await until(() => textOf('[data-user="ana"]').includes('Ana Ortiz'));
  button('Rename Ana Ortiz').click();
  await until(dialog);
  fillField('Name', 'Ana Ruiz');
  submit();
  await until(() => textOf('[data-user="ana"]').includes('Ana Ruiz'));
  button('Export all data of Ana Ruiz').click();
  await until(() => asked(platform, 'exportUser').length === 1);

  expect(document.querySelector('[data-user="me"] .danger')).toBeNull();
  button('Remove Ana Ruiz').click();
  await until(() => textOf('.dialog').includes('Remove Ana Ruiz for good?'));
  expect(textOf('.dialog')).toContain('their user name is never given to anyone else');
  expect(await violations()).toEqual([]);
  find('.dialog [role="checkbox"]').click();
  button('Remove', dialog() ?? document).click();
  await until(() => document.querySelector('[data-user="ana"]') === null);
  expect(asked(platform, 'removeUser')).toEqual([['removeUser', 'ana', true]]);
  await until(() => document.activeElement === button('Add…'));
});

test('about_leads_to_the_folders', async () => {
  const { platform } = await settings('about');
  await until(() => hasButton('Open folder: Log folder'));
  expect(textOf()).toContain('0.1.0');
  expect(textOf()).toContain('/home/ana/.local/state/tidings/logs');
  button('Open folder: Log folder').click();
  expect(asked(platform, 'openFolder').at(-1)).toEqual(['openFolder', 'logs']);
});

test('the_palette_opens_the_form_that_adds_a_source', async () => {
  await open();
  press('k', { ctrlKey: true });
  await there('.palette input');
  const input = find<HTMLInputElement>('.palette input');
  fill(input, 'add a source');
  await until(() => find('.palette [aria-selected="true"]').textContent?.includes('Add a source'));
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await until(() => dialog()?.getAttribute('aria-label') === 'Add a source');
});

test('what_is_passed_by_is_read_again_from_its_notice', async () => {
  const { platform } = await open();
  const notice = { code: 'passed_by', text: 'Passed by: what Blog sent', danger: false } as const;
  platform.emit({ event: 'notices', notices: [notice] });
  await there('[data-notice="passed_by"]');
  button('Try again', find('[data-notice="passed_by"]')).click();
  await until(() => asked(platform, 'readAgain').length === 1);
});

test('a_full_disk_leads_to_storage_and_a_taken_port_to_the_server', async () => {
  const { platform, stores } = await open();
  const danger = { code: 'disk_full', text: 'The disk is full. What is here stays', danger: true } as const;
  const taken = { code: 'port_taken', text: 'Another program uses port 7878', danger: false } as const;
  const plain = { code: 'no_tray', text: 'This desktop has no tray', danger: false } as const;
  platform.emit({ event: 'notices', notices: [danger, taken, plain] });
  await there('[data-notice="disk_full"]');
  button('Storage…', find('[data-notice="disk_full"]')).click();
  await until(() => stores.navigation.settingsTab === 'storage' && textOf().includes('412 MB'));
  button('Server settings…', find('[data-notice="port_taken"]')).click();
  await until(() => stores.navigation.settingsTab === 'computer' && document.activeElement === button('Advanced'));
  expect(field('Port')).toBeDefined();
  expect(find('[data-notice="no_tray"]').querySelectorAll('.btn').length).toBe(0);
});

test('pages_in_a_browser_are_let_in_by_their_origin_and_shut_out_again', async () => {
  const { platform } = await settings('computer-advanced');
  expect(textOf()).toContain('Other pages are refused');
  button('Add').click();
  await until(() => fieldError('Allow pages from').includes('Enter the origin of a page'));
  expect(asked(platform, 'setOrigins')).toEqual([]);
  fillField('Allow pages from', 'https://*.example');
  button('Add').click();
  await until(() => fieldError('Allow pages from').includes('“https://*.example” is not an origin'));
  expect(field('Allow pages from').value).toBe('https://*.example');
  fillField('Allow pages from', ' https://ntfy.example ');
  button('Add').click();
  await there('[data-origin="https://ntfy.example"]');
  expect(asked(platform, 'setOrigins').at(-1)).toEqual(['setOrigins', ['https://ntfy.example']]);
  expect(field('Allow pages from').value).toBe('');
  await until(() => announced() === 'Pages from https://ntfy.example are allowed');
  button('Remove https://ntfy.example').click();
  await until(() => document.querySelector('[data-origin]') === null);
  expect(platform.own.view.origins).toEqual([]);
});
