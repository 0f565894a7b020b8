// axe finds nothing on any page of the settings, nor in any of their dialogs and menus.
import axe from 'axe-core';
import { expect, test } from 'vitest';
import { button, dialog, settings, submit, write } from './settings';
import { find, open, until } from './window';

async function violations(): Promise<string[]> {
  const found = await axe.run(document, {
    rules: { 'color-contrast': { enabled: false }, 'scrollable-region-focusable': { enabled: false } },
  });
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

document.title = 'Tidings';

const tabs = [
  'general',
  'sources',
  'notifications',
  'rules',
  'appearance',
  'shortcuts',
  'storage',
  'server',
  'first-steps',
  'about',
];

/** Opens a menu, or a dialog, and waits for it. */
const there = (role: 'menu' | 'dialog') => until(() => document.querySelector(`[role="${role}"]`));

const states: [string, string, () => Promise<void>][] = [
  [
    'a_source_that_cannot_be_added',
    'sources',
    async () => {
      button('添加来源').click();
      await there('dialog');
      write('地址', 'nowhere.example.org');
      submit();
      await until(() => document.querySelector('.answer.is-danger'));
    },
  ],
  [
    'the_menu_of_a_source',
    'sources',
    async () => {
      find('[data-source-menu="2"]').click();
      await there('menu');
    },
  ],
  [
    'removing_a_source',
    'sources',
    async () => {
      find('[data-source-menu="2"]').click();
      await there('menu');
      find('[data-line="remove"]').click();
      await there('dialog');
    },
  ],
  [
    'quiet_hours_with_a_wrong_time',
    'notifications',
    async () => {
      find('[data-add-quiet]').click();
      await until(() => document.querySelector('.quiet-form'));
      write('从', '早上');
      await until(() => document.querySelector('.field-error'));
    },
  ],
  [
    'a_rule_that_says_what_is_missing',
    'rules',
    async () => {
      button('添加规则').click();
      await there('dialog');
      submit();
      await until(() => document.querySelectorAll('.field-error').length === 2);
    },
  ],
  [
    'a_rule_that_was_tried',
    'rules',
    async () => {
      button('添加规则').click();
      await there('dialog');
      write('关于', 'ci');
      button('试一下').click();
      await until(() => document.querySelector('.trial-rows'));
    },
  ],
  [
    'a_token_that_was_made',
    'server',
    async () => {
      find('[role="switch"]').click();
      button('新建令牌…').click();
      await there('dialog');
      write('用途', 'nas-02');
      submit();
      await until(() => document.querySelector('[data-token-secret]'));
    },
  ],
  [
    'restoring',
    'storage',
    async () => {
      button('恢复…').click();
      await there('dialog');
    },
  ],
];

test.each(tabs)('settings_%s', async (tab) => {
  await settings(tab);
  expect(await violations()).toEqual([]);
});

test.each(states)('settings_with_%s', async (_name, tab, prepare) => {
  await settings(tab, 'lang=zh');
  await prepare();
  expect(await violations()).toEqual([]);
});

test('first_run_with_the_form_that_adds_a_source', async () => {
  await open('first-run');
  button('Add a source').click();
  await until(dialog);
  expect(await violations()).toEqual([]);
});
