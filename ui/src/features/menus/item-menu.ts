// The desktop's native context menu for an item.
import { copyText } from '../../dom/clipboard';
import type { ItemView } from '../../generated/ItemView';
import type { MenuEntry } from '../../generated/MenuEntry';
import { i18n } from '../../i18n/i18n.svelte';
import type { Stores } from '../../state/stores';
import { hostOf } from '../reading/item/links';

const LINE: MenuEntry = { id: '', label: '', enabled: false, checked: null, lines: [] };

/** Whether the target has the desktop's own menu: links, fields and selected text. */
function hasItsOwn(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('a, input, textarea')) return true;
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(target, true);
}

export async function itemMenu(stores: Stores, thread: number, item: ItemView, event: MouseEvent): Promise<void> {
  if (hasItsOwn(event.target)) return;
  event.preventDefault();
  event.stopPropagation();
  const box = event.currentTarget;
  const entry = (id: string, label: string): MenuEntry => ({ ...LINE, id, label, enabled: true });
  const entries = [
    entry('copy', i18n.t.copyText),
    ...(item.url ? [entry('open', i18n.t.openHost(hostOf(item.url))), entry('link', i18n.t.copyLink)] : []),
    LINE,
    ...(item.own ? [] : [entry('unread', i18n.t.unreadFrom)]),
    entry('archive', stores.currentThread.row?.archived ? i18n.t.unarchive : i18n.t.archive),
  ];
  switch (await stores.platform.popup(entries).catch(stores.feedback.fail)) {
    case 'copy':
      await copyText(textOf(item, box));
      stores.feedback.show(i18n.t.textCopied);
      break;
    case 'open':
      if (item.url) stores.itemActions.openLink(item.url);
      break;
    case 'link':
      await stores.itemActions.copyLink(item.url ?? '');
      break;
    case 'unread':
      await stores.threadActions.unreadFrom(thread, item.msgid);
      break;
    case 'archive':
      await stores.threadActions.toggle('archive', [thread]);
      break;
  }
}

/** The item's title and body as text, without the elements that the page adds. */
function textOf(item: ItemView, box: EventTarget | null): string {
  const body = box instanceof Element ? box.querySelector<HTMLElement>('.md') : null;
  // innerText keeps paragraphs and table rows on lines of their own; textContent is the fallback.
  const text = item.html ? (body?.innerText ?? body?.textContent ?? '') : item.body;
  return [item.title, text.trim()].filter(Boolean).join('\n');
}
