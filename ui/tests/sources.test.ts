// Tests of the sources in the settings: added if they answer, signed in to, reordered, muted, removed.
import { expect, test, vi } from 'vitest';
import { announced, asked, button, find, hasButton, open, press, snackbar, there, until } from './support/page';
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

const line = (id: number) => find(`[data-source="${id}"]`);
const names = () => [...document.querySelectorAll('.source-name b')].map((one) => one.textContent);

test('each_source_says_how_it_is_doing_and_offers_what_helps', async () => {
  const { platform } = await settings('sources');
  expect(line(2).textContent).toContain('Live');
  expect(line(3).textContent).toContain('Up to date');
  expect(line(4).textContent).toContain('Needs sign-in. The token was refused at 08:12');
  expect(line(5).textContent).toContain('Paused since yesterday. Nothing is fetched');
  button('Resume', line(5)).click();
  await until(() => line(5).textContent?.includes('Live'));
  expect(platform.asked).toContainEqual(['pauseSource', 5, false]);
  const retrying = {
    state: 'retrying',
    at: platform.sync.last_pull ?? 0,
    why: 'No answer (503)',
    offline: false,
  } as const;
  platform.sources = platform.sources.map((one) => (one.id === 3 ? { ...one, state: retrying } : one));
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  await until(() => hasButton('Check now', line(3)));
  expect(line(3).textContent).toContain('No answer (503). Retrying');
  button('Check now', line(3)).click();
  await until(() => line(3).textContent?.includes('Live'));
  expect(platform.asked).toContainEqual(['trySource', 3]);
});

test('a_pull_that_ended_at_its_limit_and_items_that_could_not_be_read_are_told_in_the_row_of_the_source', async () => {
  const { platform } = await settings('sources');
  const ended = {
    state: 'ended',
    at: Date.now() + 3_600_000,
    why: 'This source stopped at its limit of 1,024 MiB. What arrived is kept, and the rest follows',
  } as const;
  const malformed = { items: 5, msgids: ['m3', 'm7'] };
  platform.sources = platform.sources.map((one) => (one.id === 3 ? { ...one, state: ended, malformed } : one));
  platform.emit({ event: 'sync', sync: { ...platform.sync, up_to_date: false }, sources: platform.sources });
  await until(() => line(3).textContent?.includes('What arrived is kept, and the rest follows. Continuing'));
  expect(line(3).textContent).toContain('5 items could not be read and were skipped (m3, m7, …). All others arrived');
  button('Check now', line(3)).click();
  await until(() => platform.asked.some((call) => call[0] === 'trySource'));
});

test('adding_a_source_tests_it_and_says_what_it_found', async () => {
  const { platform } = await settings('sources');
  const scrolledTo: (string | undefined)[] = [];
  Element.prototype.scrollIntoView = function scrollIntoView(this: HTMLElement) {
    scrolledTo.push(this.dataset.source);
  };
  const add = button('Add source');
  const focus = vi.spyOn(add, 'focus');
  add.focus();
  add.click();
  await until(dialog);
  await until(() => document.activeElement === field('Address'));
  submit();
  await until(() => fieldError('Address').includes('Enter an address'));
  expect(asked(platform, 'testSource')).toEqual([]);
  expect(field('Address').getAttribute('aria-invalid')).toBe('true');

  fillField('Address', 'nowhere.example.org');
  await until(() => !fieldError('Address').includes('Enter an address'));
  submit();
  await until(() => fieldError('Address').includes('nowhere.example.org does not answer. Check the address'));

  fillField('Address', 'news.example.org');
  fillField('Token', 'wrong');
  submit();
  await until(() => fieldError('Token').includes('The token was refused'));
  expect(field('Token').type).toBe('password');

  expect(asked(platform, 'addSource')).toEqual([]);
  fillField('Token', 'tk_right');
  fillField('Name', 'Newsroom');
  submit();
  await until(() => dialog() === null);
  await until(() => names().includes('Newsroom'));
  await until(() => scrolledTo.includes(String(platform.sources.at(-1)?.id)));
  await until(() => document.activeElement === add);
  expect(focus, 'the row stays in sight').toHaveBeenLastCalledWith({ preventScroll: true });
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
  expect(snackbar()).toContain('“Newsroom” added. Signed in as Ana. 12 unread');
  expect(platform.asked.find(([what]) => what === 'addSource')?.[1]).toEqual({
    protocol: 'tidings',
    url: 'news.example.org',
    token: 'tk_right',
    name: 'Newsroom',
  });
});

test('what_is_given_up_while_it_is_tested_is_not_added', async () => {
  const { platform } = await settings('sources');
  button('Add source').click();
  await until(dialog);
  let answer = () => {};
  const test = platform.testSource.bind(platform);
  platform.testSource = async (form) => {
    await new Promise<void>((done) => (answer = done));
    return test(form);
  };
  fillField('Address', 'news.example.org');
  submit();
  await until(() => dialog()?.textContent?.includes('Testing'));
  expect(button('Add', dialog() ?? document).disabled).toBe(true);
  press('Escape');
  await until(() => hasButton('Leave'));
  button('Leave').click();
  await until(() => dialog() === null);
  answer();
  await until(() => asked(platform, 'testSource').length === 1);
  expect(asked(platform, 'addSource')).toEqual([]);
  expect(snackbar()).toBe('');
});

test('the_form_that_adds_a_source_says_what_it_speaks_and_gives_the_focus_back', async () => {
  await settings('sources');
  button('Add source').focus();
  button('Add source').click();
  await until(dialog);
  choose('Type', 'ntfy');
  await until(() => field('Address').placeholder === 'ntfy.sh');
  expect(field('Topics').placeholder).toBe('alerts');
  await until(() => dialog()?.contains(document.activeElement));
  press('Escape');
  await until(() => dialog() === null);
  await until(() => document.activeElement === button('Add source'));
});

test('the_form_fits_the_kind_of_source_that_is_chosen', async () => {
  const { platform } = await settings('sources');
  button('Add source').click();
  await until(dialog);
  expect(fieldError('Address')).toBe('');
  expect(textOf('.dialog')).toContain('Reading an item here marks it read there, and vice versa');
  expect(fieldError('Token')).toContain('may read the inbox. Stored in the desktop’s keyring');

  // An address of its own is filled in, and the rights of the token are named before one signs in.
  choose('Type', 'github');
  await until(() => field('Address').value === 'https://api.github.com');
  expect(fieldError('Token')).toContain('“notifications”');
  choose('Type', 'gotify');
  await until(() => field('Address').value === '');
  expect(fieldError('Token')).toContain('of a client');
  // What was typed stays.
  fillField('Address', 'ntfy.sh/alerts,backups');
  choose('Type', 'ntfy');
  await until(() => fieldError('Topics').includes('Separated by commas'));
  expect(field('Address').value).toBe('ntfy.sh/alerts,backups');
  expect(fieldError('Token')).toContain('Leave empty for topics that everyone may read');

  // A feed has no token, and what was entered for another kind is not sent.
  fillField('Token', 'tk_secret');
  choose('Type', 'feed');
  await until(() => [...document.querySelectorAll('label')].every((one) => one.textContent !== 'Token'));
  expect(textOf('.dialog')).toContain('saved on this computer only. New items count on the badge');
  const select = find<HTMLSelectElement>('.dialog select');
  expect(document.getElementById(select.getAttribute('aria-describedby') ?? '')?.textContent).toContain('badge');
  fillField('Address', 'example.org/feed.xml');
  submit();
  await until(() => dialog() === null && names().includes('example.org'));
  expect(asked(platform, 'addSource').at(-1)?.[1]).toEqual({
    protocol: 'feed',
    url: 'example.org/feed.xml',
    token: '',
    name: '',
  });
  const added = platform.sources.at(-1);
  expect(added?.notify.level).toBe('badge');
  expect(line(added?.id ?? 0).textContent).toContain('Feed · example.org');
  expect(
    line(added?.id ?? 0)
      .querySelector('use')
      ?.getAttribute('href'),
  ).toBe('#icon-rss');
  // There is nothing to sign in with.
  button('More for example.org').click();
  await there('[role="menu"]');
  expect(document.querySelector('[data-line="sign-in"]')).toBeNull();
  expect(document.querySelector('[data-line="pause"]')).not.toBeNull();
});

test('a_kind_with_an_address_of_its_own_is_added_without_typing_one', async () => {
  const { platform } = await settings('sources');
  button('Add source').click();
  await until(dialog);
  choose('Type', 'github');
  await until(() => field('Address').value !== '');
  fillField('Address', '');
  fillField('Token', 'ghp_right');
  submit();
  await until(() => dialog() === null);
  expect(platform.sources.at(-1)?.url).toBe('https://api.github.com');
});

test('a_kind_that_this_page_has_no_words_for_is_offered_with_the_general_ones', async () => {
  await settings('sources', 'lang=zh', (platform) => {
    const [known] = platform.sourceSettings.protocols;
    if (known)
      platform.sourceSettings.protocols.push({
        ...known,
        name: 'pigeon',
        label: 'Pigeon Post',
        example: 'loft.example',
      });
    platform.sources = platform.sources.map((one) => (one.id === 5 ? { ...one, protocol: 'pigeon' } : one));
  });
  expect(line(5).textContent).toContain('Pigeon Post');
  button('添加来源').click();
  await until(dialog);
  choose('类型', 'pigeon');
  await until(() => field('地址').placeholder === 'loft.example');
  expect(fieldError('令牌')).toBe('如果桌面有密钥环，则保存在其中');
});

test('a_token_that_was_refused_is_replaced', async () => {
  const { platform } = await settings('sources');
  button('Sign in…', line(4)).click();
  await until(dialog);
  expect(dialog()?.getAttribute('aria-label')).toBe('Sign in to ntfy.sh');
  submit();
  await until(() => fieldError('Token').includes('Enter a token'));
  fillField('Token', 'wrong');
  submit();
  await until(() => fieldError('Token').includes('The token was refused'));
  fillField('Token', 'tk_right');
  submit();
  await until(() => dialog() === null && line(4).textContent?.includes('Live'));
  expect(asked(platform, 'signInSource').at(-1)).toEqual(['signInSource', 4, 'tk_right']);
});

test('a_source_gets_another_name_unless_it_is_taken', async () => {
  await settings('sources');
  await chooseMenuItem('More for Work', 'edit');
  await until(dialog);
  expect(field('Name').value).toBe('Work');
  fillField('Name', 'GitHub');
  submit();
  await until(() => fieldError('Name').includes('Another source has this name'));
  fillField('Name', 'Office');
  submit();
  await until(() => dialog() === null && names().includes('Office'));
  expect(textOf()).toContain('Notifications from Office');
});

test('topics_are_typed_beside_the_server_and_only_where_the_address_has_them', async () => {
  const { platform } = await settings('sources');
  button('Add source').click();
  await until(dialog);
  expect([...document.querySelectorAll('.dialog label')].map((one) => one.textContent)).not.toContain('Topics');
  choose('Type', 'ntfy');
  await until(() => document.querySelectorAll('.dialog input').length === 4);
  fillField('Address', 'https://push.example.org/');
  fillField('Topics', 'alerts, doorbell，');
  submit();
  await until(() => dialog() === null);
  expect(asked(platform, 'addSource').at(-1)?.[1]).toEqual({
    protocol: 'ntfy',
    url: 'https://push.example.org/alerts,doorbell',
    token: '',
    name: '',
  });
});

test('a_source_gets_one_more_topic_in_one_field_and_what_fails_is_said_and_changes_nothing', async () => {
  const { platform } = await settings('sources');
  await chooseMenuItem('More for ntfy.sh', 'edit');
  await until(dialog);
  expect(dialog()?.getAttribute('aria-label')).toBe('Edit ntfy.sh');
  expect([field('Address').value, field('Topics').value]).toEqual(['https://ntfy.sh', 'alerts,door']);
  fillField('Address', 'https://nowhere.example');
  submit();
  await until(() => dialog()?.querySelector('[role="status"]')?.textContent?.includes('does not answer'));
  expect(textOf('.source[data-source="4"]')).not.toContain('nowhere');
  fillField('Address', 'https://ntfy.sh');
  fillField('Topics', 'alerts,door,backups');
  await until(() => dialog()?.querySelector('[role="status"]')?.textContent?.trim() === '');
  submit();
  await until(() => dialog() === null);
  expect(asked(platform, 'editSource').at(-1)).toEqual([
    'editSource',
    4,
    { protocol: 'ntfy', url: 'https://ntfy.sh/alerts,door,backups', token: '', name: 'ntfy.sh' },
  ]);
});

test('sources_change_places_by_the_menu_and_it_is_said', async () => {
  const { platform } = await settings('sources');
  await chooseMenuItem('More for Work', 'down');
  await until(() => names().join() === 'This computer,GitHub,Work,ntfy.sh,Home');
  expect(asked(platform, 'orderSources').at(-1)).toEqual(['orderSources', [1, 3, 2, 4, 5]]);
  await until(() => announced() === 'Work is number 3 of 5');
  await until(() => document.activeElement === button('More for Work'));
  button('More for This computer').click();
  await there('[role="menu"]');
  expect(find<HTMLButtonElement>('[data-line="up"]').disabled).toBe(true);
  // The own server can neither be edited nor removed.
  expect(document.querySelector('[data-line="edit"], [data-line="remove"]')).toBeNull();
});

test('removing_a_source_asks_whether_what_it_brought_stays', async () => {
  const { platform } = await settings('sources');
  await chooseMenuItem('More for Home', 'remove');
  await until(dialog);
  expect(dialog()?.textContent).toContain('Remove “Home”?');
  await until(() => document.activeElement?.textContent === 'Cancel');
  press('Escape');
  await until(() => dialog() === null);
  expect(platform.asked.some(([what]) => what === 'removeSource')).toBe(false);
  await chooseMenuItem('More for Home', 'remove');
  await until(dialog);
  button('Keep its notifications').click();
  await until(() => !names().includes('Home'));
  expect(platform.asked).toContainEqual(['removeSource', 5, true]);
  await chooseMenuItem('More for GitHub', 'remove');
  await until(dialog);
  await until(() => dialog()?.textContent?.includes('revoke it at https://github.com/settings/applications'));
  button('Delete its notifications').click();
  await until(() => !names().includes('GitHub'));
  expect(snackbar()).toContain('until you revoke it at https://github.com/settings/applications');
  expect(platform.asked).toContainEqual(['removeSource', 3, false]);
  await until(() => document.activeElement === button('Add source'));
});

test('what_a_removed_source_brought_can_still_be_deleted', async () => {
  await settings('sources', '', (platform) => {
    platform.sources = platform.sources.map((one) => (one.id === 5 ? { ...one, protocol: 'kept' } : one));
  });
  expect(line(5).textContent).toContain('Removed. Its notifications are kept');
  expect(hasButton('Resume', line(5))).toBe(false);
  await chooseMenuItem('More for Home', 'remove');
  await until(dialog);
  expect(hasButton('Keep its notifications')).toBe(false);
  button('Delete its notifications').click();
  await until(() => !names().includes('Home'));
});

test('what_a_source_may_do_holds_at_once', async () => {
  const { platform, stores } = await settings('source-notify');
  expect(textOf()).toContain('Notifications from Work');
  button('Badge only').click();
  await until(() => button('Badge only').getAttribute('aria-checked') === 'true');
  choose('From priority', '4');
  await until(() => textOf('#source-notify').includes('High (4)'));
  find('#source-notify [role="switch"]').click();
  await until(() => find('#source-notify [role="switch"]').getAttribute('aria-checked') === 'false');
  expect(asked(platform, 'setSourceNotify').at(-1)).toEqual([
    'setSourceNotify',
    2,
    { level: 'badge', from_priority: 4, sound: false },
  ]);
  choose('From priority', '');
  await until(() => stores.places.sources.find((one) => one.id === 2)?.notify.from_priority === null);
  button('GitHub').click();
  await until(() => textOf().includes('Notifications from GitHub'));
  expect(button('GitHub').getAttribute('aria-pressed')).toBe('true');
});

test('a_source_and_each_of_its_topics_have_sounds_of_their_own', async () => {
  const { platform } = await settings('source-notify');
  const headings = () => [...document.querySelectorAll('h3')].map((one) => one.textContent);
  await until(() => textOf('#source-sounds').includes('Which sound'));
  expect(headings(), 'a source without topics has one row').not.toContain('Which sound');
  button('ntfy.sh').click();
  await until(() => headings().includes('Which sound'));
  const rows = [...document.querySelectorAll('#source-sounds .box-row p')].map((one) => one.textContent);
  expect(rows.slice(0, 3)).toEqual(['ntfy.sh', 'alerts', 'door']);
  choose('Sound: ntfy.sh', 'bell');
  await until(() => platform.now.notify.sounds.chosen.length === 1);
  choose('Sound: door of ntfy.sh', 'silent');
  await until(() => platform.now.notify.sounds.chosen.length === 2);
  expect(platform.now.notify.sounds.chosen).toEqual([
    { source: 4, origin: '', sound: 'bell' },
    { source: 4, origin: 'topic:door', sound: '' },
  ]);
  choose('Sound: ntfy.sh', 'inherited');
  await until(() => platform.now.notify.sounds.chosen.length === 1);
});

test('what_of_a_forge_makes_toasts_is_chosen_by_reason_and_kept_as_a_rule', async () => {
  const { platform } = await settings('source-notify');
  button('GitHub').click();
  await until(() => textOf().includes('Show toasts from GitHub for'));
  const toggle = (name: string) => find(`#source-reasons [aria-label="Toasts: ${name}"]`);
  expect(textOf('#source-reasons')).toContain('Your review is requested');
  toggle('Repositories that you watch').click();
  await until(() => toggle('Repositories that you watch').getAttribute('aria-checked') === 'false');
  const rule = platform.notifications.rules.at(-1);
  expect(rule).toMatchObject({ on: true, when: { source: 3, action: 'subscribed' }, then: { no_toast: true } });
  expect(toggle('You are mentioned').getAttribute('aria-checked')).toBe('true');
  toggle('Repositories that you watch').click();
  await until(() => toggle('Repositories that you watch').getAttribute('aria-checked') === 'true');
  expect(asked(platform, 'removeRule').at(-1)).toEqual(['removeRule', rule?.id]);
  // A source that only counts makes no toasts for any reason.
  button('Badge only').click();
  await until(() => document.querySelector('#source-reasons') === null);
});

test('a_muted_source_says_so', async () => {
  const { platform } = await settings('sources', 'lang=zh');
  await chooseMenuItem('更多：GitHub', 'mute-ever');
  await until(() => line(3).textContent?.includes('已静音'));
  expect(asked(platform, 'mute').at(-1)).toEqual(['mute', 3, '', null]);
  await chooseMenuItem('更多：GitHub', 'unmute');
  await until(() => !line(3).textContent?.includes('已静音'));
});

test('what_the_program_refuses_is_put_back_and_said', async () => {
  const { platform } = await settings('sources');
  platform.pauseSource = () => Promise.reject({ code: 'storage', text: 'The disk is full. Nothing was changed' });
  await chooseMenuItem('More for Work', 'pause');
  await until(() => snackbar().includes('The disk is full'));
  expect(line(2).textContent).toContain('Live');
});

test('what_told_how_much_is_listed_and_muted_with_one_click', async () => {
  const { platform } = await settings('noise');
  await there('[data-noise="3"]');
  const noise = (of: string) => find(`[data-noise="${of}"]`);
  expect(textOf('[data-noise="3"]')).toContain('GitHub 1,240 notifications, 10% read');
  expect(textOf('[data-noise="3:rust-lang/rust"]')).toContain('1,100 notifications, 1% read');
  expect(textOf('[data-noise="1:topic:backups"]')).toContain('30 notifications, all read');

  button('Mute GitHub').click();
  await until(() => hasButton('Unmute GitHub', noise('3')));
  expect(asked(platform, 'mute')).toEqual([['mute', 3, '', null]]);

  button('Mute rust-lang/rust of GitHub').click();
  await until(() => snackbar().startsWith('“rust-lang/rust” muted'));
  expect(asked(platform, 'mute').at(-1)).toEqual(['mute', 3, 'rust-lang/rust', null]);
  await until(() => hasButton('Unmute rust-lang/rust of GitHub'));
  button('Unmute rust-lang/rust of GitHub').click();
  await until(() => hasButton('Mute rust-lang/rust of GitHub'));
  expect(asked(platform, 'unmute').at(-1)).toEqual(['unmute', 3, 'rust-lang/rust']);
});

test('a_mute_that_the_program_refuses_is_said_and_not_shown', async () => {
  const { platform } = await settings('noise', 'lang=zh');
  await there('[data-noise="1:topic:backups"]');
  platform.mute = () => Promise.reject({ code: 'storage', text: '磁盘已满' });
  button('静音：本机的 backups').click();
  await until(() => snackbar().includes('磁盘已满'));
  expect(hasButton('静音：本机的 backups')).toBe(true);
});

test('the_first_steps_add_a_source_too', async () => {
  const { platform } = await open('first-run');
  expect(textOf('.welcome')).toContain('A Tidings server, ntfy, Gotify, GitHub, Mastodon or a feed');
  button('Add a source').click();
  await until(dialog);
  fillField('Address', 'news.example.org');
  submit();
  await until(() => dialog() === null && snackbar().includes('“news.example.org” added'));
  expect(platform.sources.at(-1)?.url).toBe('https://news.example.org');
});

const asksFor = () => textOf('[data-sign-in]');

test('one_signs_in_with_the_browser_by_a_code_after_the_rights_were_said', async () => {
  const { platform } = await settings('sources', '', (program) => {
    program.sourceSettings.clients.set('github https://api.github.com', 'client-of-ana');
  });
  button('Add source').click();
  await until(dialog);
  expect(document.querySelector('[data-sign-in]')).toBeNull();
  choose('Type', 'github');
  await until(() => asksFor().includes('Tidings may: read your notifications'));
  await until(() => field('Client ID').value === 'client-of-ana');
  expect(fieldError('Client ID')).toContain('Enable Device Flow');
  find('[data-sign-in] [role="checkbox"]').click();
  button('Sign in with the browser').click();
  await until(() => find('.sign-in-code output').textContent === 'WDJB-MJHT');
  await until(() => document.activeElement?.textContent?.trim() === 'Open the page');
  expect(asksFor()).toContain('Open the page of github.com and enter this code');
  expect(find('[data-sign-in] [role="status"]').textContent).toContain('Waiting until you agree');
  expect(hasButton('Copy Code') || document.querySelector('[aria-label="Copy Code"]') !== null).toBe(true);
  button('Open the page').click();
  await until(() => platform.asked.some(([what]) => what === 'openLink'));
  expect(asked(platform, 'openLink').at(-1)).toEqual(['openLink', 'https://github.com/login/device']);
  expect(asked(platform, 'beginSignIn').at(-1)?.[1]).toEqual({
    protocol: 'github',
    url: 'https://api.github.com',
    source: null,
    client_id: 'client-of-ana',
    more: true,
  });

  platform.sourceSettings.agree(true);
  await until(() => dialog()?.textContent?.includes('Signed in as Ana'));
  const id = asked(platform, 'finishSignIn').at(-1)?.[1];
  submit();
  await until(() => dialog() === null);
  const added = asked(platform, 'addSource').at(-1)?.[1];
  expect(added).toEqual({ protocol: 'github', url: 'https://api.github.com', token: '', name: '', sign_in: id });
});

test('a_sign_in_that_fails_or_is_given_up_says_so_and_can_be_begun_again', async () => {
  const { platform } = await settings('sources');
  button('Add source').click();
  await until(dialog);
  choose('Type', 'github');
  await until(() => document.querySelector('[data-sign-in]'));
  button('Sign in with the browser').click();
  await until(() => fieldError('Client ID').includes('Enter the client ID first'));
  fillField('Client ID', 'wrong');
  button('Sign in with the browser').click();
  await until(() => asksFor().includes('does not accept this client ID'));

  // Enter in the field begins the sign-in, and no test without a token.
  fillField('Client ID', 'mine');
  field('Client ID').focus();
  submit();
  await until(() => hasButton('Open the page'));
  expect(asked(platform, 'testSource')).toEqual([]);
  platform.sourceSettings.agree(false);
  await until(() => asksFor().includes('The sign-in at github.com was denied'));
  await until(() => document.activeElement === button('Sign in with the browser'));

  button('Sign in with the browser').click();
  await until(() => hasButton('Open the page'));
  const id = asked(platform, 'finishSignIn').at(-1)?.[1];
  button('Stop').click();
  await until(() => hasButton('Sign in with the browser'));
  expect(asked(platform, 'cancelSignIn').at(-1)).toEqual(['cancelSignIn', id]);
  // Answers of a sign-in that was given up are ignored.
  platform.sourceSettings.agree(true);
  await until(() => document.activeElement === button('Sign in with the browser'));
  expect(dialog()?.textContent).not.toContain('Signed in as Ana');

  // Another address is another sign-in.
  button('Sign in with the browser').click();
  await until(() => hasButton('Open the page'));
  fillField('Address', 'https://git.example/api/v3');
  await until(() => hasButton('Sign in with the browser'));
  expect(asked(platform, 'cancelSignIn')).toHaveLength(2);
  expect(field('Client ID').value).toBe('mine');
});

test('a_source_that_was_refused_is_signed_in_to_again_with_the_browser', async () => {
  const { platform } = await settings('sources', 'lang=zh', (program) => {
    program.sources = program.sources.map((one) =>
      one.id === 4 ? { ...one, protocol: 'mastodon', url: 'https://m.example' } : one,
    );
  });
  button('登录…', line(4)).click();
  await until(() => asksFor().includes('Tidings 可以'));
  expect(asksFor()).toContain('查看你的身份');
  expect([...document.querySelectorAll('label')].some((one) => one.textContent === '客户端 ID')).toBe(false);
  button('用浏览器登录').click();
  // The page opens by itself, since there is no code to be read first.
  await until(() => platform.asked.some(([what]) => what === 'openLink'));
  expect(asked(platform, 'openLink').at(-1)).toEqual(['openLink', 'https://m.example/oauth']);
  expect(asked(platform, 'beginSignIn').at(-1)?.[1]).toMatchObject({ source: 4, protocol: 'mastodon' });
  platform.sourceSettings.agree(true);
  await until(() => dialog() === null && line(4).textContent?.includes('实时'));
});

test('the_source_whose_settings_are_below_stands_out_and_is_the_one_just_added', async () => {
  const { platform } = await settings('sources');
  const chosen = () =>
    [...document.querySelectorAll<HTMLElement>('.source.is-chosen')].map((one) => one.dataset.source);
  expect(chosen()).toEqual(['2']);
  find('[data-source="3"] .source-pick').click();
  await until(() => chosen().join() === '3');
  const like = platform.sources.find((one) => one.id === 2);
  if (!like) throw new Error('no source is like it');
  platform.sources = [...platform.sources, { ...like, id: 40, name: 'Just added' }];
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  await until(() => chosen().join() === '40');
  find('[data-source="3"] .source-pick').click();
  await until(() => chosen().join() === '3');
});
