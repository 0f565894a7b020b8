// The threads that stories of reading open in the scripted program, and what stands in them.
import type { ItemView } from '../../src/generated/ItemView';
import type { Scripted } from '../../src/platform/scripted/scripted';
import { known, open, until } from './page';

export const BACKUPS = 1;
export const ARTICLE = 2;
export const CREW = 5;

/** The items that stand in the pane. */
export const items = () =>
  [...document.querySelectorAll<HTMLElement>('[data-item-msgid]')].map((item) => item.dataset.itemMsgid);

/** All of a thread in one answer, as the program gives a short one. */
export const withoutEarlier = (id: number) => (platform: Scripted) => {
  known(platform, id).earlier = 0;
};

export async function openArticle(prepare: (platform: Scripted) => void = () => {}, query = '') {
  const opened = await open(`open=${ARTICLE}${query}`, prepare);
  await until(() => document.querySelector('.sheet'));
  return opened;
}

/** The thread of a single item with this body. */
export const withBody = (html: string) => (platform: Scripted) => {
  const thread = known(platform, ARTICLE);
  thread.items = [{ ...(thread.items[4] as ItemView), body: html }];
  thread.earlier = 0;
};
