// The threads that tests of the reading pane open in the scripted program, and their items.
import type { ItemView } from '../../src/generated/ItemView';
import type { Scripted } from '../../src/platform/scripted/scripted';
import { known, open, until } from './page';

export const BACKUPS = 1;
export const ARTICLE = 2;
export const CREW = 5;
export const ANNOUNCEMENTS = 6;

/** The msgids of the items in the pane. */
export const items = () =>
  [...document.querySelectorAll<HTMLElement>('[data-item-msgid]')].map((item) => item.dataset.itemMsgid);

/** Puts all of a thread into one answer, as the program does with a short one. */
export const withoutEarlier = (id: number) => (platform: Scripted) => {
  known(platform, id).earlier = 0;
};

export async function openArticle(prepare: (platform: Scripted) => void = () => {}, query = '') {
  const opened = await open(`open=${ARTICLE}${query}`, prepare);
  await until(() => document.querySelector('.sheet'));
  return opened;
}

/** Gives the article's thread a single item with this body. */
export const withBody = (html: string) => (platform: Scripted) => {
  const thread = known(platform, ARTICLE);
  thread.items = [{ ...(thread.items[4] as ItemView), body: html }];
  thread.earlier = 0;
};

/** Makes all seven comments unread and puts them into one answer. */
export function allUnread(platform: Scripted): void {
  const thread = known(platform, ARTICLE);
  thread.items = thread.items.map((item) => ({ ...item, unread: true, own: false }));
  Object.assign(thread, { earlier: 0, since: null, row: { ...thread.row, unread: 7, total: 7 } });
}
