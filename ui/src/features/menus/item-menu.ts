// The menu of a single item: one list of lines for the desktop's native menu and for the button beside the item.
import type { MenuAction } from '../../components/menus/menu-action';
import { copyText } from '../../dom/clipboard';
import type { ItemView } from '../../generated/ItemView';
import type { Mark } from '../../generated/Mark';
import type { MenuEntry } from '../../generated/MenuEntry';
import { i18n } from '../../i18n/all';
import { directionOf } from '../../state/marks/toggles';
import type { Stores } from '../../state/stores';
import { shorten } from '../../text/shorten';
import { openPublish } from '../compose/publish';
import { hostOf } from '../reading/item/links';

/** A line, which the native menu answers by its id. */
type ItemLine = MenuAction & { readonly id: string };

const LINE: MenuEntry = { id: '', label: '', enabled: false, checked: null, lines: [] };
/** The greatest length of an item's name in a result, in characters. */
const NAME = 40;

/** Whether the target has the desktop's own menu: links, fields and selected text. */
function hasItsOwn(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('a, input, textarea')) return true;
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(target, true);
}

/** What can be done with an item; `box` is the element that shows it. */
export function itemLines(stores: Stores, thread: number, item: ItemView, box: Element): ItemLine[][] {
  const { t } = i18n;
  const { dialogs, feedback, icons, itemActions, reading, threadActions } = stores;
  const { msgid, url, icon, archived = false } = item;
  const row = reading.view?.row;
  const source = row?.source ?? 0;
  const topic = row?.topic;
  const name = nameOf(item, box);
  const mark = (to: Mark, done: (what: string) => string) => itemActions.mark(thread, item, to, done, name);
  const state = { unread: item.unread ? 1 : 0, archived };
  const toggle = (id: 'unread' | 'archive'): ItemLine => {
    const { mark: to, icon, label, done } = directionOf(id, [state]);
    return { id: id === 'unread' ? 'read' : 'archive', icon, label: label(t), run: () => mark(to, done(t)) };
  };
  const copy = async () => {
    await copyText(textOf(item, box));
    feedback.show(t.textCopied);
  };
  const link: ItemLine[] =
    url === null
      ? []
      : [
          { id: 'open', icon: 'arrow-up-right', label: t.openHost(hostOf(url)), run: () => itemActions.openLink(url) },
          { id: 'link', icon: 'link', label: t.copyLink, run: () => itemActions.copyLink(url) },
        ];
  const picture: ItemLine[] =
    icon === null || icons.of(source, icon) !== null
      ? []
      : [{ id: 'icon', icon: 'image', label: t.showIcon(hostOf(icon)), run: () => icons.fetch(source, icon) }];
  const after = () => threadActions.unreadFrom(thread, msgid);
  const unread: ItemLine[] = item.own
    ? []
    : [toggle('unread'), { id: 'unread', icon: 'mail', label: t.unreadFrom, run: after }];
  const open = () => topic !== undefined && openPublish(stores, { source, topic });
  const publish: ItemLine[][] =
    topic === undefined ? [] : [[{ id: 'publish', icon: 'send-horizontal', label: t.publishOn(topic), run: open }]];
  const edit = () => (dialogs.editing = { thread, msgid });
  const recall = () => (dialogs.deletion = { thread, msgid, name, recall: true });
  const remove = () => (dialogs.deletion = { thread, msgid, name });
  const change: ItemLine[] = item.changeable
    ? [
        { id: 'edit', icon: 'pencil', label: t.editItem, run: edit },
        { id: 'recall', icon: 'undo', label: t.recallItem, danger: true, run: recall },
      ]
    : [];
  return [
    [
      { id: 'copy', icon: 'copy', label: t.copyText, run: copy },
      { id: 'copy-item-link', icon: 'link', label: t.copyItemLink, run: () => itemActions.copyLink(linkTo(msgid)) },
      ...link,
      ...picture,
    ],
    [...unread, toggle('archive')],
    ...publish,
    [...change, { id: 'delete', icon: 'trash-2', label: t.deleteItem, danger: true, run: remove }],
  ];
}

/** The address that shows an item in Tidings, also from other programs. */
function linkTo(msgid: string): string {
  return `tidings://open/${encodeURIComponent(msgid)}`;
}

/** Shows the desktop's menu of an item, at the pointer or by its key. */
export async function itemMenu(stores: Stores, thread: number, item: ItemView, event: MouseEvent): Promise<void> {
  const box = event.currentTarget;
  if (hasItsOwn(event.target) || !(box instanceof Element)) return;
  event.preventDefault();
  event.stopPropagation();
  const groups = itemLines(stores, thread, item, box);
  const entries = groups.flatMap((group, at) => [
    ...(at > 0 ? [LINE] : []),
    ...group.map(({ id, label }) => ({ ...LINE, id, label, enabled: true })),
  ]);
  const choice = await stores.platform.popup(entries).catch(stores.feedback.fail);
  await groups
    .flat()
    .find((line) => line.id === choice)
    ?.run();
}

/** The item's title and body as text, without the elements that the page adds. */
function textOf(item: ItemView, box: Element): string {
  const body = box.querySelector<HTMLElement>('.md');
  // innerText keeps paragraphs and table rows on lines of their own; textContent is the fallback.
  const text = item.html ? (body?.innerText ?? body?.textContent ?? '') : item.body;
  return [item.title, text.trim()].filter(Boolean).join('\n');
}

/** The beginning of the item's text in one line; else who sent it. */
function nameOf(item: ItemView, box: Element): string {
  const [line = ''] = textOf(item, box).split('\n');
  return shorten(line || item.actor, NAME);
}
