// Tests of publishers' icons and of the emoji that tags name.
import { expect, test, vi } from 'vitest';
import { tintOf } from '../src/components/icons/tint';
import type { ItemView } from '../src/generated/ItemView';
import type { MenuEntry } from '../src/generated/MenuEntry';
import type { Scripted } from '../src/platform/scripted/scripted';
import { ARTICLE } from './support/article';
import { asked, fill, find, known, open, press, row, there, until } from './support/page';

const ICON = 'https://img.example.org/nas.png';

/** Gives the newest item of a thread, and its row, an icon and a tag's emoji. */
const withIcon = (platform: Scripted) => {
  const thread = known(platform, ARTICLE);
  thread.row = { ...thread.row, icon: ICON };
  const last = thread.items.length - 1;
  thread.items[last] = { ...(thread.items[last] as ItemView), icon: ICON, emoji: '⚠️' };
};
const picture = () => row(ARTICLE).querySelector<HTMLImageElement>('img.avatar');

test('a_publisher_s_icon_is_fetched_once_the_reader_asks_for_it', async () => {
  const { platform } = await open('', withIcon);
  await until(() => asked(platform, 'icon').length > 0);
  expect(asked(platform, 'icon')).toEqual([['icon', expect.any(Number), ICON, false]]);
  expect(picture()).toBeNull();
  row(ARTICLE).click();
  await there('[data-item-msgid="c7"]');
  const popup = vi.fn(async (entries: MenuEntry[]) => entries.find((one) => one.id === 'icon')?.id ?? null);
  platform.popup = popup;
  find('[data-item-msgid="c7"]').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
  await until(picture);
  expect(popup.mock.calls[0]?.[0].find((one) => one.id === 'icon')?.label).toContain('img.example.org');
  expect(picture()?.src).toContain(ICON);
  expect(picture()?.alt).toBe('');
  expect(find('[data-item-msgid="c7"] img.avatar')).toBeTruthy();
});

test('with_a_source_set_so_the_icons_of_its_publishers_come_by_themselves', async () => {
  const { stores, platform } = await open('', withIcon);
  await until(() => asked(platform, 'icon').length > 0);
  const { source } = known(platform, ARTICLE).row;
  await stores.sourceActions.setIcons(source, true);
  await until(picture);
  expect(asked(platform, 'setSourceIcons')).toEqual([['setSourceIcons', source, true]]);
});

test('the_emoji_that_tags_name_stand_before_what_they_are_about', async () => {
  await open('', withIcon);
  row(ARTICLE).click();
  await there('[data-item-msgid="c7"]');
  expect(find('[data-item-msgid="c7"] .item-emoji').textContent).toBe('⚠️');
});

test('a_topic_without_an_icon_has_a_letter_and_a_tint_of_its_own', async () => {
  await open('', (platform) => {
    for (const [id, who, icon] of [
      [1, 'home-lab', 'radio'],
      [2, 'Éclair', 'unheard-of'],
      [3, 'ci', 'workflow'],
    ] as const) {
      const thread = known(platform, id);
      thread.row = { ...thread.row, who, avatar: { shape: 'thing', icon } };
    }
  });
  const avatar = (id: number) => row(id).querySelector<HTMLElement>('.avatar');
  expect(avatar(1)?.textContent).toBe('H');
  expect(avatar(2)?.textContent).toBe('É');
  expect(avatar(1)?.className).toMatch(/\bc[0-7]\b/);
  expect(avatar(3)?.querySelector('svg'), 'its icon says more').not.toBeNull();
  press('k', { ctrlKey: true });
  await there('.palette input');
  fill(find<HTMLInputElement>('.palette input'), 'éclair');
  await until(() => document.querySelector('.palette .is-letter')?.textContent === 'É');
  expect(new Set(Array.from({ length: 200 }, (_, at) => tintOf(`topic-${at}`))).size).toBe(8);
});
