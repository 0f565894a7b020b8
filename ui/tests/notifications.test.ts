// Tests of the settings for notifications: defaults, quiet hours, rules.
import { expect, test } from 'vitest';
import { formatDays, quietSummary, usualNight } from '../src/features/settings/notifications/quiet-hours';
import { ruleErrors, ruleName, ruleSentence } from '../src/features/settings/rules/rule-text';
import { i18n } from '../src/i18n/i18n.svelte';
import { desktop, minutesAsTime, readMinutes } from '../src/i18n/times';
import { scripted } from '../src/platform/scripted/scripted';
import { emptyRule } from '../src/state/settings/empty-rule';
import { announced, asked, button, find, hasButton, open, press, snackbar, there, until } from './support/page';
import {
  addPart,
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

const switchOf = (label: string) => find(`[role="switch"][aria-label^="${label}"]`);
const quiet = (platform: ReturnType<typeof scripted>['platform']) => platform.now.notify.quiet;

test('what_is_told_of_by_default_holds_at_once', async () => {
  const { platform } = await settings('notifications-advanced');
  for (const [label, key] of [
    ['Sound', 'sound'],
    ['Show content in toasts', 'preview'],
    ['Return snoozed threads early', 'early_wake'],
  ] as const) {
    expect(switchOf(label).getAttribute('aria-checked')).toBe('true');
    switchOf(label).click();
    await until(() => platform.now.notify[key] === false);
    await until(() => switchOf(label).getAttribute('aria-checked') === 'false');
  }
  choose('From priority', '5');
  await until(() => platform.now.notify.from_priority === 5);
  await until(() => textOf().includes('Urgent (5)'));
});

test('each_priority_has_its_sound_from_the_theme_or_a_file_or_none', async () => {
  const { platform } = await settings('notifications-advanced');
  const sounds = () => platform.now.notify.sounds;
  choose('Sound when urgent', 'bell');
  await until(() => sounds().urgent === 'bell');
  choose('Sound at high priority', 'silent');
  await until(() => sounds().high === '');
  choose('Sound at low priority', 'file');
  await until(() => sounds().low === '/home/sam/Music/ding.oga');
  await until(() => textOf().includes('ding.oga'));
  platform.notifications.soundFile = null;
  choose('Sound at normal priority', 'file');
  await until(() => asked(platform, 'chooseSound').length === 2);
  const normal = () => find<HTMLSelectElement>('select[aria-label="Sound at normal priority"]').value;
  await until(() => normal() === 'message-new-instant');
  expect(sounds().normal).toBe('message-new-instant');
  switchOf('Sound').click();
  await until(() => !textOf().includes('Sound when urgent'));
});

test('quiet_hours_are_added_changed_and_removed', async () => {
  const { platform } = await settings('quiet-hours');
  expect(textOf()).toContain('No quiet hours. Toasts appear at any time');
  button('Add quiet hours').click();
  await until(() => textOf().includes('Every day, 22:00–07:00 the next day'));
  expect(quiet(platform)).toEqual([usualNight()]);
  expect(textOf()).toContain('Toasts only for Urgent (5)');

  button('Sat').click();
  await until(() => button('Sat').getAttribute('aria-pressed') === 'false');
  button('Sun').click();
  await until(() => textOf().includes('Weekdays, 22:00–07:00 the next day'));
  fillField('From', '9.30');
  await until(() => field('From').value === '09:30' && quiet(platform)[0]?.from === 570);
  fillField('To', '25:00');
  await until(() => fieldError('To').includes('Enter a time like 22:00'));
  expect(quiet(platform)[0]?.to).toBe(420);
  fillField('To', '12');
  await until(() => textOf().includes('Weekdays, 09:30–12:00'));
  expect(field('To').getAttribute('aria-invalid')).toBeNull();
  choose('Show toasts anyway for', '0');
  await until(() => textOf().includes('No toasts'));
  switchOf('Quiet hours: Weekdays').click();
  await until(() => quiet(platform)[0]?.on === false);

  button('Add quiet hours').click();
  await until(() => quiet(platform).length === 2);
  find('.quiet-form .btn.danger').click();
  await until(() => quiet(platform).length === 1);
  expect(quiet(platform)[0]?.from).toBe(570);
  await until(() => document.activeElement === button('Add quiet hours'));
});

test('quiet_hours_are_for_the_sources_and_topics_that_are_chosen', async () => {
  const { platform, stores } = await settings('quiet-hours');
  button('Add quiet hours').click();
  await until(() => document.querySelector('.quiet-form'));
  const chip = (name: string) =>
    [...document.querySelectorAll<HTMLElement>('.quiet-form .chip')].find((one) => one.textContent?.trim() === name);
  const pressed = (name: string) => chip(name)?.getAttribute('aria-pressed');
  expect(pressed('Everything')).toBe('true');
  chip('GitHub')?.click();
  await until(() => quiet(platform)[0]?.only.length === 1);
  await until(() => chip('backups of This computer'));
  chip('backups of This computer')?.click();
  await until(() => textOf().includes('Only backups of This computer, GitHub · Toasts only for Urgent (5)'));
  expect(quiet(platform)[0]?.only).toEqual([
    { source: 3, origin: '' },
    { source: 1, origin: 'topic:backups' },
  ]);
  expect(pressed('Everything')).toBe('false');

  chip('GitHub')?.click();
  await until(() => quiet(platform)[0]?.only.length === 1);
  // What the report does not tell of has the name that the list of what is quiet has for it.
  platform.notifications.quietNames = [{ source: 2, origin: 'topic:nas-7', name: 'Disks of the NAS' }];
  const hours = quiet(platform).map((one) => ({ ...one, only: [{ source: 2, origin: 'topic:nas-7' }] }));
  await stores.settings.change({ notify: { ...platform.now.notify, quiet: hours } });
  await until(() => textOf().includes('Only Disks of the NAS of Work'));
  expect(pressed('Disks of the NAS of Work')).toBe('true');
  chip('Everything')?.click();
  await until(() => quiet(platform)[0]?.only.length === 0);
  await until(() => pressed('Everything') === 'true' && !textOf().includes('Only'));
});

test('quiet_hours_that_are_on_say_until_when', async () => {
  const { platform } = await settings('notifications', 'lang=zh');
  const sync = { ...platform.sync, quiet_until: new Date(2026, 10, 20, 10).getTime() };
  platform.emit({ event: 'sync', sync, sources: platform.sources });
  await until(() => textOf().includes('免打扰至 10:00'));
});

/** Sends the page the causes that hold toasts back. */
function hold(platform: ReturnType<typeof scripted>['platform'], part: Partial<typeof platform.sync>): void {
  platform.sync = { ...platform.sync, ...part };
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
}
const at = (hour: number) => new Date(2026, 10, 20, hour).getTime();
const silence = () => document.querySelector<HTMLElement>('[data-testid="silence"]');

test('the_window_says_until_when_toasts_are_held_back_and_leads_to_what_ends_it', async () => {
  const { platform } = await open();
  const inbox = () => find('[data-place="inbox"]').textContent;
  const before = inbox();
  expect(silence()).toBeNull();
  hold(platform, { quiet_until: at(10) });
  await until(() => silence()?.textContent?.trim() === 'Quiet until 10:00');
  await until(() => announced() === 'Quiet until 10:00');
  expect(inbox(), 'numbers go on').toBe(before);

  // The later end is shown; a pause ends at once, quiet hours go on.
  hold(platform, { paused_until: at(12) });
  await until(() => silence()?.textContent?.trim() === 'Quiet until 12:00');
  expect(silence()?.title).toContain('Resume toasts');
  // If the places are hidden, the head of the list has it.
  expect(hasButton('Quiet until 12:00. Resume toasts', find('.list'))).toBe(true);
  silence()?.click();
  await until(() => silence()?.textContent?.trim() === 'Quiet until 10:00');
  expect(asked(platform, 'pauseToasts').at(-1)).toEqual(['pauseToasts', null]);

  hold(platform, { quiet_until: null, do_not_disturb: true });
  await until(() => silence()?.textContent?.trim() === 'Do not disturb');
  silence()?.click();
  await until(() => document.querySelector('[data-settings="notifications"][aria-current="page"]'));
  const quietHours = () => find('[data-section="quiet-hours"] .disclosure-head').textContent;
  expect(quietHours()).not.toContain('any time');
  hold(platform, { paused_until: at(12) });
  await until(() => quietHours().includes('Quiet until 12:00'));
  hold(platform, { paused_until: null });
  await until(() => textOf().includes('The desktop’s Do Not Disturb is on'));
  expect(textOf()).not.toContain('as they arrive');
  hold(platform, { do_not_disturb: false });
  await until(() => textOf().includes('New notifications are shown as toasts'));
  await until(() => announced() === 'Toasts are shown again');
});

test('days_and_times_are_worded_and_read', () => {
  const days = (text: string) => [...text].map((one) => one === 'x');
  i18n.lang = 'en';
  expect(formatDays(days('xxxxxxx'))).toBe('Every day');
  expect(formatDays(days('xxxxx..'))).toBe('Weekdays');
  expect(formatDays(days('.....xx'))).toBe('Weekends');
  expect(formatDays(days('xxxx...'))).toBe('Mon–Thu');
  expect(formatDays(days('x.x....'))).toBe('Mon, Wed');
  expect(formatDays(days('.......'))).toBe('No day chosen');
  i18n.lang = 'zh-CN';
  expect(formatDays(days('xxxx...'))).toBe('周一至周四');
  expect(quietSummary(usualNight())).toBe('每天，22:00 至次日 07:00');
  i18n.lang = 'en';
  const times: [string, number | null][] = [
    ['22:00', 1320],
    ['7', 420],
    ['730', 450],
    ['07：05', 425],
    ['10 pm', 1320],
    ['12 am', 0],
    ['24:00', null],
    ['7:75', null],
    ['10:00 p.m.', 1320],
    ['10:00\u202fPM', 1320],
    ['下午10:00', 1320],
    ['上午 7:05', 425],
    ['13 pm', null],
    ['soon', null],
  ];
  for (const [text, minutes] of times) expect([text, readMinutes(text)]).toEqual([text, minutes]);
  expect(minutesAsTime(425, 'en')).toBe('07:05');
});

test('what_a_time_field_shows_is_written_as_all_texts_and_read_back', () => {
  const before = { ...desktop };
  for (const hour12 of [true, false])
    for (const lang of ['en', 'zh-CN'] as const) {
      desktop.hour12 = hour12;
      for (const minutes of [0, 425, 720, 1320]) expect(readMinutes(minutesAsTime(minutes, lang))).toBe(minutes);
    }
  Object.assign(desktop, before);
});

test('the_fields_of_quiet_hours_show_the_clock_of_the_reader', async () => {
  const { platform } = await settings('quiet-hours', '', () => (desktop.hour12 = true));
  button('Add quiet hours').click();
  await until(() => textOf().includes('Every day, 10:00 PM–7:00 AM the next day'));
  expect(field('From').value.replace('\u202f', ' ')).toBe('10:00 PM');
  fillField('From', '21:30');
  await until(() => field('From').value.replace('\u202f', ' ') === '9:30 PM' && quiet(platform)[0]?.from === 1290);
  fillField('To', 'late');
  await until(() => fieldError('To').replace('\u202f', ' ').includes('Enter a time like 10:00 PM'));
  fillField('To', '8 am');
  await until(() => quiet(platform)[0]?.to === 480 && field('To').value.replace('\u202f', ' ') === '8:00 AM');
  desktop.hour12 = false;
});

test('a_rule_without_a_name_is_worded_from_what_it_does', () => {
  const { sources } = scripted().platform;
  const rule = emptyRule();
  const when = { ...rule.when, source: 2, kind: 'reminder' as const, actor: 'ana', words: 'deploy', at_most: 2 };
  const full = { ...rule, when, then: { ...rule.then, mute: true, archive: true, no_toast: true } };
  i18n.lang = 'en';
  expect(ruleSentence(full, sources)).toBe(
    'Activity from Work by ana with “deploy” of priority 2 or lower: mute, archive and no toast',
  );
  expect(ruleName({ ...full, name: 'Quiet deploys' }, sources)).toBe('Quiet deploys');
  const raised = { ...rule, when: { ...rule.when, target: 'ci' }, then: { ...rule.then, priority: 1 } };
  expect(ruleSentence(raised, sources)).toBe('Everything about ci: raise the priority by 1');
  expect(ruleSentence({ ...raised, when: { ...rule.when, source: 99 } }, sources)).toBe(
    'Everything from a source that was removed: raise the priority by 1',
  );
  i18n.lang = 'zh-CN';
  expect(ruleSentence(full, sources)).toBe(
    '动态，来自 Work，由 ana 发出，含“deploy”，优先级 2 及以下：静音、归档并不弹窗',
  );
  expect(ruleSentence(raised, sources)).toBe('关于 ci：优先级提高 1 级');
  i18n.lang = 'en';
  expect(ruleErrors({ ...raised, when: { ...raised.when, at_least: 4, at_most: 2 } }).priorities).not.toBeNull();
});

test('a_rule_is_tried_before_it_is_saved', async () => {
  const { platform } = await settings('rules');
  button('Add rule').click();
  await until(dialog);
  submit();
  await until(() => textOf('.dialog').includes('Set at least one condition'));
  expect(textOf('.dialog')).toContain('Choose at least one action');
  const group = find('.dialog fieldset');
  expect(document.getElementById(group.getAttribute('aria-describedby') ?? '')?.textContent).toContain(
    'Set at least one condition',
  );
  fillField('About', 'ci');
  button('Try').click();
  await until(() => textOf('.dialog').includes('1 of the newest'));
  expect(textOf('.trial-rows')).toContain('Build 4812 failed');
  // A trial is of other conditions than the changed ones, so it disappears.
  fillField('About', 'nothing like it');
  await until(() => document.querySelector('.trial-rows') === null);
  button('Try').click();
  await until(() => textOf('.dialog').includes('None of the newest'));

  fillField('About', 'ci');
  addPart('Priority');
  choose('Lowest priority', '4');
  choose('Highest priority', '2');
  await until(() => textOf('.dialog').includes('The lowest priority is above the highest'));
  choose('Highest priority', '');
  find('.dialog [role="checkbox"]').click();
  await until(() => find('.dialog [role="checkbox"]').getAttribute('aria-checked') === 'true');
  addPart('Priority');
  choose('Priority', '2');
  submit();
  await until(() => dialog() === null);
  await until(() => textOf().includes('Everything about ci of priority 4 or higher: mute and raise the priority by 2'));
  expect(snackbar()).toContain('Rule saved');
  const saved = platform.notifications.rules.at(-1);
  expect(saved).toMatchObject({ on: true, name: '', when: { target: 'ci', at_least: 4, at_most: null } });
  expect(saved?.then).toEqual({ mute: true, archive: false, read: false, pin: false, priority: 2, no_toast: false });
});

test('a_rule_may_be_for_a_reason', async () => {
  const { platform } = await settings('rules');
  button('Add rule').click();
  await until(dialog);
  fillField('Reason', 'review-requested');
  find('.dialog [role="checkbox"]').click();
  submit();
  await until(() => dialog() === null);
  await until(() => textOf().includes('Everything with the reason “review-requested”: mute'));
  expect(platform.notifications.rules.at(-1)?.when.action).toBe('review-requested');
});

test('rules_are_switched_changed_ordered_and_removed', async () => {
  const { platform } = await settings('rules');
  await there('[data-rule="2"]');
  const first = 'Everything from Work with “deploy”: no toast';
  expect(textOf()).toContain(`${first}`);
  expect(textOf('[data-rule="2"]')).toContain('Everything about ci: pin and raise the priority by 1');
  switchOf('Failed builds').click();
  await until(() => platform.notifications.rules[1]?.on === true);
  await chooseMenuItem('More for Failed builds', 'up');
  await until(() => platform.notifications.rules[0]?.id === 2);
  await until(() => announced().includes('Failed builds is number 1 of 2'));
  await chooseMenuItem('More for Failed builds', 'edit');
  await until(dialog);
  expect(field('Name').value).toBe('Failed builds');
  expect(field('About').value).toBe('ci');
  fillField('Name', 'Builds');
  submit();
  await until(() => dialog() === null && textOf().includes('Builds'));
  expect(platform.notifications.rules[0]).toMatchObject({ id: 2, name: 'Builds', on: true });
  await chooseMenuItem('More for Builds', 'remove');
  await until(() => dialog()?.contains(document.activeElement));
  press('Escape');
  await until(() => dialog() === null);
  await chooseMenuItem('More for Builds', 'remove');
  await until(dialog);
  button('Remove').click();
  await until(() => document.querySelector('[data-rule="2"]') === null);
  expect(asked(platform, 'removeRule').at(-1)).toEqual(['removeRule', 2]);
});

test('what_is_refused_is_said_and_the_rules_stay_as_they_were', async () => {
  const { platform } = await settings('rules');
  platform.saveRule = () => Promise.reject({ code: 'storage', text: 'The disk is full. The rules are as before' });
  switchOf('Failed builds').click();
  await until(() => snackbar().includes('The disk is full'));
  expect(switchOf('Failed builds').getAttribute('aria-checked')).toBe('false');
  button('Add rule').click();
  await until(dialog);
  fillField('Words', 'deploy');
  find('.dialog [role="checkbox"]').click();
  submit();
  await until(() => textOf('.dialog').includes('The disk is full'));
});
