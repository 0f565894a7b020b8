// Tests that axe finds nothing on any page of the settings, nor in any of their dialogs and menus.
import { beforeAll, expect, test } from 'vitest';
import * as lazy from '../src/features/lazy';
import type { SettingsSection, SettingsTab } from '../src/state/navigation/navigation.svelte';
import { violations } from './support/axe';
import { button, find, hasButton, open, there, until } from './support/page';
import { choose, dialog, fillField, openSection, settings, submit } from './support/settings';

/** The pages, each with its sections. */
const pages: [SettingsTab, ...SettingsSection[]][] = [
  ['general'],
  ['sources', 'source-notify', 'other-programs', 'sources-advanced'],
  ['notifications', 'quiet-hours', 'rules', 'noise', 'notifications-advanced'],
  ['computer', 'publish', 'topics', 'tokens', 'people', 'computer-advanced'],
  ['keyboard', 'keys-threads'],
  ['storage', 'storage-advanced'],
  ['about', 'diagnosis', 'first-steps'],
];

/** Waits until a menu or a dialog is open. */
const thereIs = (role: 'menu' | 'dialog') => there(`[role="${role}"]`);

const states: [string, Parameters<typeof settings>[0], () => Promise<void>][] = [
  [
    'a_source_that_cannot_be_added',
    'sources',
    async () => {
      button('添加来源').click();
      await thereIs('dialog');
      fillField('地址', 'nowhere.example.org');
      submit();
      await there('.answer.is-danger');
    },
  ],
  [
    'the_menu_of_a_source',
    'sources',
    async () => {
      find('[data-source-menu="2"]').click();
      await thereIs('menu');
    },
  ],
  [
    'removing_a_source',
    'sources',
    async () => {
      find('[data-source-menu="2"]').click();
      await thereIs('menu');
      find('[data-line="remove"]').click();
      await thereIs('dialog');
    },
  ],
  [
    'quiet_hours_with_a_wrong_time',
    'quiet-hours',
    async () => {
      find('[data-add-quiet]').click();
      await there('.quiet-form');
      fillField('从', '早上');
      await there('.field-error');
    },
  ],
  [
    'a_rule_that_says_what_is_missing',
    'rules',
    async () => {
      button('添加规则').click();
      await thereIs('dialog');
      submit();
      await until(() => document.querySelectorAll('.field-error').length === 2);
    },
  ],
  [
    'a_rule_that_was_tried',
    'rules',
    async () => {
      button('添加规则').click();
      await thereIs('dialog');
      fillField('关于', 'ci');
      button('试运行').click();
      await there('.trial-rows');
    },
  ],
  [
    'a_token_that_was_made',
    'tokens',
    async () => {
      button('新建令牌…').click();
      await thereIs('dialog');
      fillField('用途', 'nas-02');
      submit();
      await there('[data-token-secret]');
    },
  ],
  [
    'the_form_of_a_new_token',
    'tokens',
    async () => {
      button('新建令牌…').click();
      await thereIs('dialog');
    },
  ],
  [
    'revoking_a_token',
    'tokens',
    async () => {
      find('[data-token] button').click();
      await thereIs('dialog');
    },
  ],
  [
    'codes_for_phones_and_a_token_that_is_shown',
    'publish',
    async () => {
      find('[data-others]').click();
      await until(() => document.body.textContent?.includes('http://desk.local:7878'));
      await there('.publish-line');
      button('另一台设备').click();
      fillField('令牌', 'tk_nas');
      await until(() => hasButton('显示令牌'));
      button('显示令牌').click();
      await there('.phone-code');
    },
  ],
  [
    'the_form_of_a_new_application',
    'publish',
    async () => {
      choose('工具', 'gotify');
      await until(() => hasButton('新建应用…'));
      button('新建应用…').click();
      await thereIs('dialog');
    },
  ],
  [
    'a_topic_that_is_refused',
    'publish',
    async () => {
      fillField('主题', 'hooks');
      await there('.field-error');
    },
  ],
  [
    'a_topic_with_a_template_that_cannot_be_read_and_secrets',
    'topics',
    async () => {
      await until(() => hasButton('Backups 的更多操作'));
      button('Backups 的更多操作').click();
      await thereIs('menu');
      find('[data-line="edit"]').click();
      await there('[data-tried]');
      fillField('模板', '{{ state');
      await there('.dialog .field-error');
      choose('谁可以发布', 'named');
      choose('添加密钥', 'sentry');
      button('移除 GitHub 的密钥').click();
      await there('[data-secret="sentry"] input');
    },
  ],
  [
    'a_new_topic_that_is_left_after_a_change',
    'topics',
    async () => {
      await until(() => hasButton('添加主题…'));
      button('添加主题…').click();
      await thereIs('dialog');
      fillField('名称', 'NAS');
      button('取消').click();
      await until(() => hasButton('离开'));
    },
  ],
  [
    'an_origin_that_is_none',
    'computer-advanced',
    async () => {
      fillField('允许的网页', '*');
      button('添加').click();
      await there('.field-error');
    },
  ],
  [
    'removing_a_rule',
    'rules',
    async () => {
      find('[data-rule-menu]').click();
      await thereIs('menu');
      find('[data-line="remove"]').click();
      await thereIs('dialog');
    },
  ],
  [
    'the_form_of_quiet_hours',
    'quiet-hours',
    async () => {
      find('[data-add-quiet]').click();
      await there('.quiet-form');
    },
  ],
  [
    'signing_in_again',
    'sources',
    async () => {
      find('[data-source-menu="4"]').click();
      await thereIs('menu');
      find('[data-line="sign-in"]').click();
      await thereIs('dialog');
    },
  ],
  [
    'editing_a_source',
    'sources',
    async () => {
      find('[data-source-menu="2"]').click();
      await thereIs('menu');
      find('[data-line="edit"]').click();
      await thereIs('dialog');
    },
  ],
  [
    'restoring',
    'storage',
    async () => {
      button('恢复…').click();
      await thereIs('dialog');
    },
  ],
];

// Whatever page came first would take several times as long as any other, for the modules that all of them need.
beforeAll(async () => {
  await lazy.settings();
  await violations();
});

test.each(pages)('settings_%s_and_each_section_of_it', async (page, ...sections) => {
  await settings(page);
  expect(await violations()).toEqual([]);
  for (const section of sections) {
    await openSection(section);
    expect(await violations(), section).toEqual([]);
    find(`[data-section="${section}"] button`).click();
    await until(() => find(`[data-section="${section}"] button`).getAttribute('aria-expanded') === 'false');
  }
});

test.each(states)('settings_with_%s', async (_name, tab, prepare) => {
  await settings(tab, 'lang=zh');
  await prepare();
  expect(await violations()).toEqual([]);
});

test('first_run_with_the_form_that_adds_a_source', async () => {
  await open('first-run');
  expect(await violations()).toEqual([]);
  button('Add a source').click();
  await until(dialog);
  expect(await violations()).toEqual([]);
});
