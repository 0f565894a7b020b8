// Shows a menu in the document in place of a native one.
import { mount, unmount } from 'svelte';
import type { MenuEntry } from '../../generated/MenuEntry';
import { menuPlace } from '../menu-place';
import PopupMenu from './PopupMenu.svelte';

export function showMenu(entries: readonly MenuEntry[]): Promise<string | null> {
  const anchor = document.createElement('div');
  Object.assign(anchor.style, { position: 'fixed', left: `${menuPlace.x}px`, top: `${menuPlace.y}px` });
  document.body.append(anchor);
  return new Promise((done) => {
    const answer = (id: string | null) => {
      void unmount(menu);
      anchor.remove();
      done(id);
    };
    const menu = mount(PopupMenu, { target: document.body, props: { anchor, entries, label: 'Menu', answer } });
  });
}
