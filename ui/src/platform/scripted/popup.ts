// Shows a menu in the document where the desktop would show its own.
import { mount, unmount } from 'svelte';
import type { MenuEntry } from '../../generated/MenuEntry';
import PopupMenu from './PopupMenu.svelte';

const pointer = { x: 0, y: 0 };
addEventListener(
  'contextmenu',
  (event) => {
    pointer.x = event.clientX;
    pointer.y = event.clientY;
  },
  true,
);

export function showMenu(entries: readonly MenuEntry[]): Promise<string | null> {
  const anchor = document.createElement('div');
  Object.assign(anchor.style, { position: 'fixed', left: `${pointer.x}px`, top: `${pointer.y}px` });
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
