// Tests of opening what a thread is about: by key, by its buttons and menus, and in the background.
import { expect, test } from 'vitest';
import type { MenuEntry } from '../src/generated/MenuEntry';
import type { Scripted } from '../src/platform/scripted/scripted';
import { ARTICLE, BACKUPS, openArticle } from './support/article';
import { asked, button, find, known, menu, open, press, row, snackbar, there, until } from './support/page';
import { settings } from './support/settings';

const ADDRESS = 'https://blog.example.org/rust-in-2026';
const opened = (platform: Scripted) => asked(platform, 'openLink').map(([, ...rest]) => rest);
const click = (target: HTMLElement, type: string, more: MouseEventInit) =>
  target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, ...more }));

/** Gives threads links of their own. */
const withLinks = (ids: readonly number[]) => (platform: Scripted) => {
  for (const id of ids) known(platform, id).row.link = { url: `https://${id}.example/`, host: `${id}.example` };
};

test('o_opens_the_link_and_not_the_thread_and_its_capital_does_so_in_the_background', async () => {
  const { platform, stores } = await open();
  stores.currentThread.stepTo(ARTICLE);
  await there('.sheet');
  find('[role="listbox"]').focus();
  press('o');
  await until(() => opened(platform).length === 1);
  press('O');
  await until(() => opened(platform).length === 2);
  expect(opened(platform)).toEqual([[ADDRESS], [ADDRESS, 'background']]);
  expect(stores.navigation.threadOpen).toBe(false);
  expect(document.activeElement).toBe(find('[role="listbox"]'));
  press('Enter');
  await until(() => stores.navigation.threadOpen);
  expect(opened(platform).length).toBe(2);
});

test('where_there_is_no_link_o_says_so', async () => {
  const { platform, stores } = await open();
  expect(stores.navigation.threadId).toBe(BACKUPS);
  press('o');
  await until(() => snackbar().startsWith('This thread has no link'));
  expect(opened(platform)).toEqual([]);
});

test('of_several_threads_a_few_links_open_at_once_and_many_do_not', async () => {
  const { platform, stores } = await open('', withLinks([1, 2, 3, 4, 6, 7]));
  stores.selection.set([1, 2, 5]);
  press('o');
  await until(() => opened(platform).length === 2);
  expect(opened(platform)).toEqual([['https://1.example/'], ['https://2.example/']]);
  stores.selection.set([1, 2, 3, 4, 6, 7]);
  press('o');
  await until(() => snackbar().startsWith('6 links are too many to open at once. Select at most 5'));
  stores.selection.set([5]);
  press('o');
  await until(() => snackbar().startsWith('This thread has no link'));
  expect(opened(platform).length).toBe(2);
});

test('the_row_under_the_pointer_and_the_pane_have_a_button_that_names_host_and_key', async () => {
  const { platform } = await openArticle();
  row(ARTICLE).dispatchEvent(Object.assign(new MouseEvent('pointermove', { bubbles: true }), { pointerType: 'mouse' }));
  for (const at of ['.reading-pane', '.quick-actions']) {
    await there(`${at} [data-open-link]`);
    const open = find(`${at} [data-open-link]`);
    expect(open.getAttribute('aria-label')).toBe('Open at blog.example.org (o)');
    expect(open.title).toBe('Open at blog.example.org: Rust in 2026 (o)');
    open.click();
  }
  await until(() => opened(platform).length === 2);
  const others = row(BACKUPS);
  others.dispatchEvent(Object.assign(new MouseEvent('pointermove', { bubbles: true }), { pointerType: 'mouse' }));
  await until(() => !document.querySelector('.quick-actions [data-open-link]'));
});

test('ctrl_and_the_middle_button_open_in_the_background_and_the_right_one_opens_nothing', async () => {
  const { platform } = await openArticle();
  await there('.md a');
  for (const target of [find('.reading-pane [data-open-link]'), find('[data-item-msgid="c7"] .md a')]) {
    const before = opened(platform).length;
    click(target, 'click', { ctrlKey: true });
    click(target, 'auxclick', { button: 1 });
    click(target, 'auxclick', { button: 2 });
    expect(
      opened(platform)
        .slice(before)
        .map(([, how]) => how),
    ).toEqual(['background', 'background']);
  }
  const [first] = document.querySelectorAll<HTMLElement>('[data-item-msgid="c7"] .actions .btn');
  click(first as HTMLElement, 'click', { ctrlKey: true });
  await until(() => asked(platform, 'runAction').length === 1);
  expect(asked(platform, 'runAction')[0]).toEqual(['runAction', ARTICLE, 'c7', 0, 'background']);
});

test('the_menu_of_a_thread_that_is_not_open_opens_its_link_too', async () => {
  const { platform } = await open();
  platform.choices.push('open-link');
  menu(row(ARTICLE));
  await until(() => opened(platform).length === 1);
  const entries = asked(platform, 'popup').flatMap(([, lines]) => (lines as MenuEntry[]).map((entry) => entry.label));
  expect(entries).toContain('Open at blog.example.org\to');
  expect(entries).toContain('Copy link');
});

test('what_a_click_on_a_toast_opens_is_chosen_in_the_settings', async () => {
  const { platform } = await settings('notifications-advanced');
  button('Its link').click();
  await until(() => platform.now.notify.click === 'link');
  await until(() => button('Its link').getAttribute('aria-checked') === 'true');
});
