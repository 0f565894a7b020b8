// Tests of the sources in the settings: added after a test, signed in to, reordered, muted, removed.
import { expect, test } from 'vitest';
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
  expect(line(5).textContent).toContain('Paused since yesterday. Nothing is pulled');
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
  await until(() => hasButton('Try now', line(3)));
  expect(line(3).textContent).toContain('No answer (503). Retrying');
  button('Try now', line(3)).click();
  await until(() => line(3).textContent?.includes('Live'));
  expect(platform.asked).toContainEqual(['trySource', 3]);
});

test('a_source_is_tested_before_it_can_be_added', async () => {
  const { platform } = await settings('sources');
  button('Add source').click();
  await until(dialog);
  await until(() => document.activeElement === field('Address'));
  expect(button('Add', dialog() ?? document).disabled).toBe(true);
  submit();
  await until(() => fieldError('Address').includes('Write where it is'));
  expect(field('Address').getAttribute('aria-invalid')).toBe('true');

  fillField('Address', 'nowhere.example.org');
  await until(() => !fieldError('Address').includes('Write where it is'));
  submit();
  await until(() => fieldError('Address').includes('nowhere.example.org does not answer. Check the address'));
  expect(button('Add', dialog() ?? document).disabled).toBe(true);

  fillField('Address', 'news.example.org');
  fillField('Token', 'wrong');
  submit();
  await until(() => fieldError('Token').includes('The token was refused'));
  expect(field('Token').type).toBe('password');

  fillField('Token', 'tk_right');
  submit();
  await until(() => dialog()?.textContent?.includes('Signed in as Ana. 12 unread'));
  expect(field('Name').placeholder).toBe('news.example.org');
  expect(button('Add', dialog() ?? document).disabled).toBe(false);
  // The token differs from the tested one, so the source has to be tested again.
  fillField('Token', 'tk_other');
  await until(() => button('Add', dialog() ?? document).disabled);
  fillField('Token', 'tk_right');
  await until(() => !button('Add', dialog() ?? document).disabled);
  fillField('Name', 'Newsroom');
  submit();
  await until(() => dialog() === null);
  await until(() => names().includes('Newsroom'));
  expect(snackbar()).toContain('Newsroom added');
  expect(platform.asked.find(([what]) => what === 'addSource')?.[1]).toEqual({
    protocol: 'tidings',
    url: 'news.example.org',
    token: 'tk_right',
    name: 'Newsroom',
  });
});

test('the_form_that_adds_a_source_says_what_it_speaks_and_gives_the_focus_back', async () => {
  await settings('sources');
  button('Add source').focus();
  button('Add source').click();
  await until(dialog);
  choose('Kind of source', 'ntfy');
  await until(() => field('Address').placeholder === 'ntfy.sh/alerts');
  await until(() => dialog()?.contains(document.activeElement));
  press('Escape');
  await until(() => dialog() === null);
  await until(() => document.activeElement === button('Add source'));
});

test('a_token_that_was_refused_is_replaced', async () => {
  const { platform } = await settings('sources');
  button('Sign in…', line(4)).click();
  await until(dialog);
  expect(dialog()?.getAttribute('aria-label')).toBe('Sign in to ntfy.sh');
  submit();
  await until(() => fieldError('Token').includes('Write the token'));
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
  await chooseMenuItem('More for Work', 'rename');
  await until(dialog);
  expect(field('Name').value).toBe('Work');
  fillField('Name', 'GitHub');
  submit();
  await until(() => fieldError('Name').includes('Another source has this name'));
  fillField('Name', 'Office');
  submit();
  await until(() => dialog() === null && names().includes('Office'));
  expect(textOf()).toContain('What Office may do');
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
  // The own server can neither be renamed nor removed.
  expect(document.querySelector('[data-line="rename"], [data-line="remove"]')).toBeNull();
});

test('removing_a_source_asks_whether_what_it_brought_stays', async () => {
  const { platform } = await settings('sources');
  await chooseMenuItem('More for Home', 'remove');
  await until(dialog);
  expect(dialog()?.textContent).toContain('Remove Home?');
  await until(() => document.activeElement?.textContent === 'Cancel');
  press('Escape');
  await until(() => dialog() === null);
  expect(platform.asked.some(([what]) => what === 'removeSource')).toBe(false);
  await chooseMenuItem('More for Home', 'remove');
  await until(dialog);
  button('Keep what it brought').click();
  await until(() => !names().includes('Home'));
  expect(platform.asked).toContainEqual(['removeSource', 5, true]);
  await chooseMenuItem('More for GitHub', 'remove');
  await until(dialog);
  button('Delete what it brought').click();
  await until(() => !names().includes('GitHub'));
  expect(platform.asked).toContainEqual(['removeSource', 3, false]);
  await until(() => document.activeElement === button('Add source'));
});

test('what_a_removed_source_brought_can_still_be_deleted', async () => {
  await settings('sources', '', (platform) => {
    platform.sources = platform.sources.map((one) => (one.id === 5 ? { ...one, protocol: 'kept' } : one));
  });
  expect(line(5).textContent).toContain('Removed. What it brought is kept');
  expect(hasButton('Resume', line(5))).toBe(false);
  await chooseMenuItem('More for Home', 'remove');
  await until(dialog);
  expect(hasButton('Keep what it brought')).toBe(false);
  button('Delete what it brought').click();
  await until(() => !names().includes('Home'));
});

test('what_a_source_may_do_holds_at_once', async () => {
  const { platform, stores } = await settings('sources');
  expect(textOf()).toContain('What Work may do');
  button('Badge').click();
  await until(() => button('Badge').getAttribute('aria-checked') === 'true');
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
  await until(() => textOf().includes('What GitHub may do'));
  expect(button('GitHub').getAttribute('aria-pressed')).toBe('true');
});

test('a_muted_source_says_so', async () => {
  const { platform } = await settings('sources', 'lang=zh');
  await chooseMenuItem('更多：GitHub', 'mute');
  await until(() => line(3).textContent?.includes('已静音'));
  expect(asked(platform, 'setSourceNotify').at(-1)).toEqual([
    'setSourceNotify',
    3,
    { level: 'nothing', from_priority: null, sound: null },
  ]);
  await chooseMenuItem('更多：GitHub', 'mute');
  await until(() => !line(3).textContent?.includes('已静音'));
});

test('what_the_program_refuses_is_put_back_and_said', async () => {
  const { platform } = await settings('sources');
  platform.pauseSource = () => Promise.reject({ code: 'storage', text: 'The disk is full. Nothing was changed' });
  await chooseMenuItem('More for Work', 'pause');
  await until(() => snackbar().includes('The disk is full'));
  expect(line(2).textContent).toContain('Live');
});

test('the_first_steps_add_a_source_too', async () => {
  const { platform } = await open('first-run');
  expect(textOf('.welcome')).toContain('A Tidings server, ntfy, Gotify or GitHub');
  button('Add a source').click();
  await until(dialog);
  fillField('Address', 'news.example.org');
  submit();
  await until(() => !button('Add', dialog() ?? document).disabled);
  submit();
  await until(() => dialog() === null && snackbar().includes('news.example.org added'));
  expect(platform.sources.at(-1)?.url).toBe('https://news.example.org');
});
