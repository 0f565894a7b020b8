// Tests of the notifications of other programs on this computer: they are kept once that is switched on, for each
// program that is chosen.
import { expect, test } from 'vitest';
import type { SourceRow } from '../src/generated/SourceRow';
import { asked, button, find, snackbar, until } from './support/page';
import { chooseMenuItem, dialog, openSection, settings, textOf } from './support/settings';

const KEEP = 'Keep notifications from other programs';
const switchOf = (label: string) => find<HTMLButtonElement>(`[role="switch"][aria-label="${label}"]`);
const isOn = (label: string) => switchOf(label).getAttribute('aria-checked') === 'true';
const apps = (...names: [string, boolean][]) => names.map(([name, kept]) => ({ name, kept }));

/** The source as the program has it. */
const desktop = (more: Partial<SourceRow> = {}): SourceRow => ({
  id: 30,
  name: 'Other programs',
  protocol: 'desktop',
  own: false,
  url: 'desktop:Mail',
  count: { unread: 0, counted: 0 },
  state: { state: 'live' },
  notify: { level: 'badge', from_priority: null, sound: null },
  muted_until: null,
  show_icons: false,
  applications: apps(['Chat', false], ['Mail', true]),
  ...more,
});

test('nothing_is_kept_before_it_is_switched_on_and_it_is_said_what_will_be', async () => {
  const { platform } = await settings('other-programs');
  expect(isOn(KEEP)).toBe(false);
  const about = document.getElementById(switchOf(KEEP).getAttribute('aria-describedby') ?? '');
  expect(about?.textContent).toContain('The text stays on this computer. Nothing is sent or downloaded');
  expect(textOf()).not.toContain('No program has shown');
  switchOf(KEEP).click();
  await until(() => isOn(KEEP));
  expect(asked(platform, 'addSource').at(-1)?.[1]).toEqual({
    protocol: 'desktop',
    url: '',
    token: '',
    name: 'Other programs',
  });
  await until(() => textOf().includes('No program has shown a notification since you turned this on'));
  const id = platform.sources.at(-1)?.id;
  const line = find(`[data-source="${id}"]`);
  expect(line.textContent).toContain('No programs yet');
  expect(line.querySelector('use')?.getAttribute('href')).toBe('#icon-app-window');
});

test('a_program_that_is_seen_is_listed_and_kept_only_once_it_is_switched_on', async () => {
  const { platform } = await settings('other-programs', '', (early) => {
    early.sources = [...early.sources, desktop()];
  });
  const [chat, mail] = ['Keep notifications of Chat', 'Keep notifications of Mail'];
  expect([isOn(chat), isOn(mail)]).toEqual([false, true]);
  expect(find('[data-source="30"]').textContent).toContain('1 program');
  switchOf(chat).click();
  await until(() => isOn(chat));
  expect(asked(platform, 'keepApplication')).toEqual([['keepApplication', 30, 'Chat', true]]);
  await until(() => find('[data-source="30"]').textContent?.includes('2 programs'));

  const seen = apps(['Chat', true], ['Mail', true], ['One too many', false]);
  platform.sources = platform.sources.map((one) => (one.id === 30 ? { ...one, applications: seen } : one));
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  await until(() => document.querySelector('[aria-label="Keep notifications of One too many"]'));
  switchOf('Keep notifications of One too many').click();
  await until(() => snackbar().includes('At most 100 can be chosen'));
  expect(isOn('Keep notifications of One too many')).toBe(false);
});

test('switched_off_it_keeps_what_was_kept_and_on_again_it_goes_on', async () => {
  const { platform } = await settings('other-programs', '', (early) => {
    early.sources = [...early.sources, desktop()];
  });
  expect(isOn(KEEP)).toBe(true);
  switchOf(KEEP).click();
  await until(() => !isOn(KEEP));
  expect(asked(platform, 'pauseSource').at(-1)).toEqual(['pauseSource', 30, true]);
  await until(() => textOf().includes('No new notifications are kept. Earlier ones are still in the inbox'));
  switchOf(KEEP).click();
  await until(() => isOn(KEEP));
  expect(asked(platform, 'pauseSource').at(-1)).toEqual(['pauseSource', 30, false]);
  expect(asked(platform, 'addSource')).toEqual([]);
  // Its publishers' icons would be fetched.
  button('Other programs', find('[data-source="30"]')).click();
  await until(() => textOf().includes('Notifications from Other programs'));
  await openSection('source-notify');
  expect(textOf('#source-notify')).not.toContain('Sender icons');
  await chooseMenuItem('More for Other programs', 'remove');
  await until(dialog);
  expect(dialog()?.textContent).toContain('Tidings stops keeping notifications of other programs');
});

test('a_bus_that_lets_nobody_read_along_is_said_and_the_switch_stays_off', async () => {
  const { platform } = await settings('other-programs', 'lang=zh', (early) => {
    early.sourceSettings.desktopRefusal = '会话总线不允许 Tidings 读取通知';
  });
  const keep = '保留其他程序的通知';
  switchOf(keep).click();
  await until(() => snackbar().includes('会话总线不允许'));
  await until(() => !switchOf(keep).disabled);
  expect(isOn(keep)).toBe(false);
  expect(platform.sources.some((one) => one.protocol === 'desktop')).toBe(false);
});

test('the_form_for_a_new_source_leaves_it_to_the_switch', async () => {
  await settings('other-programs');
  button('Add source').click();
  await until(dialog);
  const kinds = [...find<HTMLSelectElement>('.dialog select').options].map((one) => one.value);
  expect(kinds).toContain('feed');
  expect(kinds).not.toContain('desktop');
});

test('where_the_system_has_no_session_bus_there_is_no_switch', async () => {
  await settings('other-programs', '', (early) => {
    early.sourceSettings.protocols = early.sourceSettings.protocols.filter((one) => one.name !== 'desktop');
  });
  expect(document.querySelector(`[aria-label="${KEEP}"]`)).toBeNull();
});
