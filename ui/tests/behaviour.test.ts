// Tests of settings for what the program does beside its window: test notifications, toasts in a focused window, going on
// without it, and the keys that show it.
import { tick } from 'svelte';
import { expect, test } from 'vitest';
import { globalKeysOf, globalLabels } from '../src/features/settings/keys/global-keys';
import { violations } from './support/axe';
import { announced, asked, button, fill, find, hasButton, open, press, snackbar, there, until } from './support/page';
import { settings, textOf } from './support/settings';

const flip = (label: string) => find(`[role="switch"][aria-label="${label}"]`).click();

test('a_test_notification_says_what_the_desktop_answered', async () => {
  const { platform } = await settings('notifications');
  const row = () => textOf('[data-testid="test-row"]');
  await until(() => hasButton('Send a test notification'));
  button('Send a test notification').click();
  await until(() => row().includes('Shown by the desktop'));
  platform.testAnswer = { outcome: 'held', text: 'Quiet hours last until 07:00' };
  button('Send a test notification').click();
  await until(() => row().includes('Quiet hours last until 07:00'));
  expect(await violations()).toEqual([]);
  platform.testNotification = () => Promise.reject({ code: 'invalid', text: 'The server does not answer' });
  button('Send a test notification').click();
  await until(() => snackbar().includes('The server does not answer'));
  await until(() => row().includes('Sends a real notification'));
});

test('what_a_test_notification_told_goes_when_its_cause_is_gone', async () => {
  const { platform } = await settings('notifications');
  const row = () => textOf('[data-testid="test-row"]');
  const sync = (part: object) =>
    platform.emit({ event: 'sync', sync: { ...platform.sync, ...part }, sources: platform.sources });
  sync({ paused_until: 0 });
  platform.testAnswer = { outcome: 'held', text: 'Held back by the pause' };
  button('Send a test notification').click();
  await until(() => row().includes('Held back by the pause'));
  sync({ paused_until: 0, last_pull: 5 });
  await until(() => row().includes('Held back by the pause'));
  sync({ paused_until: null });
  await until(() => row().includes('Sends a real notification'));
});

test('do_not_disturb_that_a_test_discovered_leaves_its_answer_until_it_ends', async () => {
  const { platform } = await settings('notifications');
  const row = () => textOf('[data-testid="test-row"]');
  const sync = async (on: boolean) => {
    platform.emit({ event: 'sync', sync: { ...platform.sync, do_not_disturb: on }, sources: platform.sources });
    await tick();
  };
  platform.testAnswer = { outcome: 'held', text: 'Held back by the desktop' };
  button('Send a test notification').click();
  await until(() => row().includes('Held back by the desktop'));
  await sync(true);
  expect(row()).toContain('Held back by the desktop');
  await sync(false);
  expect(row()).toContain('Sends a real notification');
  platform.testAnswer = { outcome: 'shown', text: 'Shown by the desktop' };
  button('Send a test notification').click();
  await until(() => row().includes('Shown by the desktop'));
  await sync(true);
  expect(row(), 'the next one would be held back').toContain('Sends a real notification');
});

test('the_palette_sends_a_test_notification_too', async () => {
  const { platform } = await open();
  press('k', { ctrlKey: true });
  await there('.palette input');
  fill(find<HTMLInputElement>('.palette input'), 'send a test');
  // Hits are elements of their own.
  const chosen = () => document.querySelector('.palette [aria-selected="true"]')?.textContent?.replaceAll(/\s/g, '');
  await until(() => chosen()?.includes('Sendatestnotification'));
  press('Enter');
  await until(() => snackbar().includes('Shown by the desktop'));
  expect(asked(platform, 'testNotification')).toHaveLength(1);
});

test('toasts_in_a_focused_window_and_going_on_without_it_are_switched', async () => {
  const { platform } = await settings('notifications-advanced');
  flip('Toasts while this window has the focus');
  await until(() => !platform.now.behaviour.toasts_in_focus);
  find('[data-settings="general"]').click();
  await until(() => textOf().includes('Keep running when the window is closed'));
  flip('Keep running when the window is closed');
  await until(() => !platform.now.behaviour.keep_running);
  expect(platform.now.behaviour.toasts_in_focus, 'one does not change the other').toBe(false);
  expect(platform.now.behaviour.desktop_search, 'off by default').toBe(false);
  flip('Show results in the desktop’s search');
  await until(() => platform.now.behaviour.desktop_search);
});

test('keys_for_the_window_are_recorded_refused_and_switched_off', async () => {
  const { platform } = await settings('keyboard');
  const row = () => textOf('[data-testid="global-shortcut"]');
  await until(() => row().includes('Off'));
  button('Choose shortcut…').click();
  await until(() => document.activeElement?.matches('[data-records-keys]'));
  press('t', { code: 'KeyT' });
  await until(() => row().includes('Press a key together with Ctrl, Alt or Super'));
  press('n', { code: 'KeyN', metaKey: true });
  await until(() => row().includes('Another program uses Super+N'));
  expect(await violations()).toEqual([]);
  press('t', { code: 'KeyT', ctrlKey: true, altKey: true });
  await until(() => platform.shortcut.keys === 'Control+Alt+KeyT');
  await until(() => announced() === 'Ctrl+Alt+T shows and hides the window');
  expect(row()).not.toContain('Another program');
  await until(() => document.activeElement === button('Choose shortcut…'));
  button('Turn off').click();
  await until(() => platform.shortcut.keys === null && row().includes('Off'));
});

test('a_desktop_that_gives_out_no_keys_says_so', async () => {
  const problem = 'On Wayland, only the desktop can set such keys';
  await settings('keyboard', '', (platform) => {
    platform.shortcut = { supported: false, keys: null, problem };
  });
  await until(() => textOf('[data-testid="global-shortcut"]').includes(problem));
  expect(hasButton('Choose shortcut…')).toBe(false);
});

test('keys_for_the_window_are_those_of_the_layout', () => {
  const of = (key: string, code: string, more: KeyboardEventInit) =>
    globalKeysOf(new KeyboardEvent('keydown', { key, code, ...more }));
  expect(of('a', 'KeyQ', { ctrlKey: true }), 'a French keyboard').toBe('Control+KeyA');
  expect(of('!', 'Digit1', { altKey: true, shiftKey: true })).toBe('Alt+Shift+Digit1');
  expect(of('F12', 'F12', { metaKey: true })).toBe('Super+F12');
  expect(of('a', 'KeyA', { shiftKey: true }), 'a letter is everybody’s').toBe('');
  expect(of('Control', 'ControlLeft', { ctrlKey: true })).toBe('');
  expect(globalLabels('Control+Alt+ArrowUp')).toEqual(['Ctrl', 'Alt', 'Up']);
});

test('of_two_changes_in_quick_succession_each_has_the_other', async () => {
  const { stores, platform } = await open();
  const store = platform.settings.bind(platform);
  const waiting: (() => void)[] = [];
  platform.settings = async (settings) => {
    await new Promise<void>((go) => waiting.push(go));
    return store(settings);
  };
  const changes = [stores.settings.change({ theme: 'dark' }), stores.settings.change({ density: 'compact' })];
  const both = { theme: 'dark', density: 'compact' };
  expect(stores.settings.current).toMatchObject(both);
  waiting[0]?.();
  await until(() => waiting.length === 2);
  expect(stores.settings.current, 'after the first answer').toMatchObject(both);
  waiting[1]?.();
  await Promise.all(changes);
  expect(platform.asked.filter(([what]) => what === 'settings').at(-1)?.[1]).toMatchObject(both);
});
