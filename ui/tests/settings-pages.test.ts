// Tests of the settings as a whole: seven pages, each of which begins with little and has the rest a step away.
import { expect, test } from 'vitest';
import { fill, find, open, press, there, until } from './support/page';
import { openSection, settings, textOf } from './support/settings';
import { styleOf } from './support/styles';

const names = () => [...document.querySelectorAll('[data-settings]')].map((one) => one.textContent?.trim());
const STOPS = 'button:not(:disabled), input, select, textarea, a[href], [tabindex]';
const stops = (root: ParentNode) =>
  [...root.querySelectorAll<HTMLElement>(STOPS)].filter((one) => one.tabIndex >= 0 && !one.matches(':disabled'));
/** The controls of the open page. */
const controls = () => stops(find('.prefs'));
const heads = () => [...document.querySelectorAll('[data-section] button')].map((one) => one.textContent.trim());

/** Chooses what the palette finds for a text. */
async function run(text: string): Promise<void> {
  press('k', { ctrlKey: true });
  await there('.palette input');
  fill(find<HTMLInputElement>('.palette input'), text);
  await until(() => textOf('.palette [aria-selected="true"]') === text);
  press('Enter');
  await until(() => document.querySelector('.palette') === null);
}

test('each_of_seven_pages_begins_with_at_most_eight_controls_and_tab_is_at_the_first_in_two_steps', async () => {
  await settings('general', '', (platform) => {
    // Beside this computer a source with everything that one can have, and a computer that others reach in many ways.
    platform.sources = platform.sources.filter((one) => one.own || one.protocol === 'github');
    const addresses = ['desk.local', '192.168.1.20', '10.8.0.3', '172.17.0.1'].map((host) => `http://${host}:7878`);
    platform.own.view = { ...platform.own.view, others: true, addresses };
  });
  expect(names()).toEqual(['General', 'Notifications', 'Sources', 'This computer', 'Keyboard', 'Storage', 'About']);
  for (const page of ['general', 'notifications', 'sources', 'computer', 'keyboard', 'storage', 'about']) {
    find(`[data-settings="${page}"]`).click();
    await there(`[data-settings="${page}"][aria-current="page"]`);
    await there('.prefs .box');
    await until(() => controls().length > 2);
    const written = controls().map((one) => one.outerHTML);
    expect(written.length, `${page}:\n${written.join('\n')}`).toBeLessThanOrEqual(8);
    const all = stops(document.body);
    const from = all.indexOf(find('[data-settings][aria-current]'));
    expect(all.indexOf(controls()[0] ?? find('body')) - from, page).toBeLessThanOrEqual(2);
  }
});

test('the_pages_stand_in_one_line_of_a_narrow_window_which_scrolls_to_the_open_one', async () => {
  expect(styleOf('.is-settings ul', 'display')).toBe('flex');
  expect(styleOf('.is-settings ul', 'flex-wrap')).toBeUndefined();
  expect(styleOf('.is-settings li', 'flex')).toBe('none');
  expect(styleOf('.is-settings .scroll', 'overflow')).toBe('auto hidden');
  expect(styleOf('.is-settings .place > .icon', 'display')).toBe('none');
  const shown: (string | undefined)[] = [];
  Element.prototype.scrollIntoView = function scrollIntoView(this: HTMLElement) {
    shown.push(this.dataset.settings);
  };
  await settings('about');
  await until(() => shown.includes('about'));
  find('[data-settings="storage"]').click();
  await until(() => shown.includes('storage'));
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
});

test.each([
  ['Proxy', 'sources', '[data-testid="proxy"]'],
  ['Certificates', 'sources', 'h3'],
  ['Port', 'computer', 'label'],
  ['Pages in a browser', 'computer', 'h3'],
  ['Free up space', 'storage', 'button'],
] as const)('what_is_seldom_changed_is_in_a_section_that_opens_and_closes: %s', async (name, page, css) => {
  const isThere = () => [...document.querySelectorAll(`.prefs ${css}`)].some((one) => one.textContent?.includes(name));
  await settings(page);
  await until(() => heads().includes('Advanced'));
  expect(isThere()).toBe(false);
  await openSection(`${page}-advanced`);
  await until(isThere);
  find(`[data-section="${page}-advanced"] button`).click();
  await until(() => !isThere());
});

test.each([
  ['Rules', 'notifications', '[data-add-rule]'],
  ['Quiet hours', 'notifications', '[data-add-quiet]'],
  ['Notification statistics', 'notifications', '[data-noise]'],
  ['Proxy', 'sources', '[data-testid="proxy"]'],
  ['Publish', 'computer', '.publish-line'],
  ['Topics', 'computer', '[data-add-topic]'],
  ['Tokens', 'computer', '[data-make-token]'],
  ['Diagnostics', 'about', '[data-finding]'],
  ['Getting started', 'about', '[data-curl]'],
])('what_had_a_page_is_still_found_by_its_name: %s', async (name, tab, there_is) => {
  const { stores } = await open();
  await run(`Settings: ${name}`);
  await there(there_is);
  expect(stores.navigation.settingsTab).toBe(tab);
  await until(() => document.activeElement?.closest('[data-section]')?.contains(find(there_is)));

  // It does so even if its page is open already, and the section was closed again.
  find('[data-section] [aria-expanded="true"]').click();
  await until(() => document.querySelector(there_is) === null);
  await run(`Settings: ${name}`);
  await there(there_is);
});

test('a_section_says_what_is_in_it_before_it_is_opened', async () => {
  await settings('notifications', 'lang=zh');
  expect(textOf('[data-section="quiet-hours"]')).toContain('免打扰');
  find('[data-section="quiet-hours"] button').click();
  await there('[data-add-quiet]');
  find('[data-add-quiet]').click();
  await until(() => textOf('[data-section="quiet-hours"] .disclosure-head').includes('每天，22:00 至次日 07:00'));
});
