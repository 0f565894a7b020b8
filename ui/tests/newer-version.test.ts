// Tests of how the page tells of a newer version.
import { expect, test } from 'vitest';
import { violations } from './support/axe';
import { asked, button, find, there, until } from './support/page';
import { settings, textOf } from './support/settings';

const NEWER = { version: '0.2.0', link: 'https://forge.example/tidings/releases/tag/v0.2.0' };
const notice = { code: 'newer_version', text: 'Tidings 0.2.0 is available.', danger: false } as const;
const row = () => [...document.querySelectorAll('.box-row')].map((one) => one.textContent.trim());

test('about_names_a_newer_version_opens_its_page_and_can_be_told_to_ask_no_more', async () => {
  const { platform } = await settings('about');
  await until(() => row().some((text) => text.includes('Tell me about newer versions')));
  expect(row().some((text) => text.includes('is available'))).toBe(false);

  platform.disk.known = { has_feed: true, newer: NEWER };
  platform.emit({ event: 'notices', notices: [notice] });
  await until(() => row().some((text) => text.includes('Tidings 0.2.0 is available')));
  expect(await violations()).toEqual([]);
  button('What’s new').click();
  await until(() => asked(platform, 'openLink').length === 1);
  expect(asked(platform, 'openLink')[0]).toEqual(['openLink', NEWER.link]);

  platform.disk.known = { has_feed: true, newer: null };
  find('[role="switch"][aria-label="Tell me about newer versions"]').click();
  await until(() => !row().some((text) => text.includes('is available')));
  expect(platform.now.behaviour.newer_version).toBe(false);
});

test('a_package_of_a_distribution_has_nothing_to_switch_off_and_the_texts_are_chinese_too', async () => {
  const { platform } = await settings('about', 'lang=zh', (scripted) => {
    scripted.disk.known = { has_feed: false, newer: null };
  });
  await until(() => textOf().includes('数据文件夹'));
  expect(textOf()).not.toContain('提示新版本');
  platform.disk.known = { has_feed: true, newer: NEWER };
  platform.emit({ event: 'notices', notices: [] });
  await until(() => textOf().includes('Tidings 0.2.0 已发布'));
});

test('the_notice_leads_to_about_and_is_closed_for_good', async () => {
  const { platform } = await settings('general');
  platform.emit({ event: 'notices', notices: [notice] });
  await there('[data-notice="newer_version"]');
  button('About…', find('[data-notice="newer_version"]')).click();
  await there('[data-settings="about"][aria-current="page"]');
  expect(document.querySelector('[data-notice]')).toBeNull();
  expect(asked(platform, 'closeReleaseNotice').length).toBe(1);

  platform.emit({ event: 'notices', notices: [] });
  platform.emit({ event: 'notices', notices: [{ ...notice, text: 'Tidings 0.3.0 is available.' }] });
  await there('[data-notice="newer_version"]');
  find('[data-notice="newer_version"] button[aria-label="Dismiss"]').click();
  await until(() => asked(platform, 'closeReleaseNotice').length === 2);
  expect(document.querySelector('[data-notice]')).toBeNull();
});
