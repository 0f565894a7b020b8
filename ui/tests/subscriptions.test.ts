// Tests of subscriptions at the services that keep them: menus, palette, keys, and what is asked on opening.
import { expect, test } from 'vitest';
import type { MenuEntry } from '../src/generated/MenuEntry';
import type { Scripted } from '../src/platform/scripted/scripted';
import { BACKUPS } from './support/article';
import { asked, fill, find, menu, open, press, row, selectedRow, snackbar, there, until } from './support/page';

/** The thread of a pull request, whose service keeps subscriptions. */
const pullRequest = (platform: Scripted) => {
  const found = platform.inbox.find((one) => one.row.follow);
  if (!found) throw new Error('no thread has a subscription');
  return found.row.id;
};

const menuOf = (platform: Scripted, nth: number) =>
  (asked(platform, 'popup')[nth] as [string, MenuEntry[]])[1].map((one) => one.label.split('\t')[0]);

test('a_menu_offers_what_the_service_of_the_thread_can_and_no_more', async () => {
  const { platform, stores } = await open();
  const id = pullRequest(platform);
  const closed = () => until(() => stores.selection.menuTarget === null);
  platform.choices.push('nothing', 'nothing', 'subscription', 'nothing');
  menu(row(BACKUPS));
  await until(() => asked(platform, 'popup').length === 1);
  expect(menuOf(platform, 0).join()).not.toContain('GitHub');
  await closed();
  menu(row(id));
  await until(() => asked(platform, 'popup').length === 2);
  expect(menuOf(platform, 1)).toEqual(
    expect.arrayContaining(['Mute this thread', 'Mute here and at GitHub', 'Unsubscribe at GitHub']),
  );
  await closed();
  menu(row(id));
  await until(() => snackbar().includes('unsubscribed from at GitHub'));
  expect(asked(platform, 'mark')).toContainEqual(['mark', [id], { op: 'unsubscribe' }]);
  await closed();
  menu(row(id));
  await until(() => asked(platform, 'popup').length === 4);
  expect(menuOf(platform, 3)).toContain('Subscribe at GitHub');
});

test('a_key_unsubscribes_and_another_takes_it_back', async () => {
  const { platform, stores } = await open();
  const id = pullRequest(platform);
  await stores.router.openThread(id);
  await until(() => selectedRow() === row(id));
  press('S');
  await until(() => snackbar().includes('unsubscribed from at GitHub'));
  expect(stores.list.rows.get(id)?.follow?.subscription).toBe('unsubscribed');
  press('z');
  await until(() => asked(platform, 'undo').length === 1);
  await until(() => stores.list.rows.get(id)?.follow?.subscription === null);
  press('M');
  await until(() => snackbar().includes('muted here and at GitHub'));
  expect(stores.list.rows.get(id)).toMatchObject({ muted: true, follow: { subscription: 'ignored' } });
});

test('the_palette_and_the_menu_of_the_pane_offer_it_too', async () => {
  const { platform, stores } = await open('lang=zh');
  const id = pullRequest(platform);
  await stores.router.openThread(id);
  await there('.reading-pane [aria-label="更多"]');
  find('.reading-pane [aria-label="更多"]').click();
  await there('[role="menu"]');
  const lines = [...document.querySelectorAll('[role="menuitem"]')].map((one) => one.textContent ?? '');
  expect(lines.some((line) => line.includes('在 GitHub 上取消订阅'))).toBe(true);
  expect(lines.some((line) => line.includes('在这里和 GitHub 上静音'))).toBe(true);
  press('Escape');
  await until(() => document.querySelector('[role="menu"]') === null);
  press('k', { ctrlKey: true });
  await there('.palette input');
  fill(find<HTMLInputElement>('.palette input'), '取消订阅');
  await until(() => find('.palette [aria-selected="true"]').textContent?.includes('在 GitHub 上取消订阅'));
  press('Enter');
  await until(() => asked(platform, 'mark').some(([, , mark]) => (mark as { op: string }).op === 'unsubscribe'));
});

test('the_service_is_asked_about_a_thread_when_it_is_opened_and_about_no_other', async () => {
  const { platform, stores } = await open();
  const id = pullRequest(platform);
  await stores.router.openThread(BACKUPS);
  await until(() => stores.reading.view?.row.id === BACKUPS);
  await stores.router.openThread(id);
  await until(() => stores.reading.view?.row.id === id);
  expect(asked(platform, 'lookUp')).toEqual([['lookUp', id]]);
});
