// Commands for the selected threads, and for the open one.

import type { ThreadView } from '../../generated/ThreadView';
import type { Strings } from '../../i18n/en';
import { i18n } from '../../i18n/i18n.svelte';
import { threadName } from '../../state/list/thread-name';
import { muteThere, subscriptionChange } from '../../state/marks/subscriptions';
import { directionOf, type Toggle } from '../../state/marks/toggles';
import { ruleLike } from '../../state/settings/empty-rule';
import type { Stores } from '../../state/stores';
import type { Command } from './command';
import { inPane, onControl } from './key-target';
import { focusComposer, focusThread } from './pane-focus';

/** Whether a list of threads is shown. */
export const listed = (stores: Stores) => stores.navigation.view === 'threads' && !stores.firstRun.visible;

/** The rows of the threads that commands act on. */
export const subjectRows = (stores: Stores) =>
  listed(stores) ? stores.threadActions.rows(stores.selection.all ? stores.list.ids : stores.selection.subjects) : [];

/** The name of the threads that commands act on: of one its own, of several their number. */
export function subjectName(stores: Stores, t: Strings): string | null {
  const { selection } = stores;
  if (selection.menuTarget === null && selection.on) return t.threads(selection.count, selection.more);
  const [row] = subjectRows(stores);
  return row ? threadName(row) : null;
}

/** Makes the uppermost row the current thread if there is none, so that it is seen before anything acts on it. */
const land = (stores: Stores): boolean => listed(stores) && stores.movement.landOnTop();

/** Runs only if there are threads to act on. */
function some(run: (stores: Stores) => unknown) {
  return (stores: Stores) => {
    if (stores.selection.subjects.length === 0) return land(stores);
    void run(stores);
    return true;
  };
}

/** The thread of the open context menu, else the current one. */
const subject = (stores: Stores) => stores.selection.menuTarget ?? stores.navigation.threadId;

function openChosen(stores: Stores, event?: KeyboardEvent): boolean {
  if (event?.key === 'Enter' && onControl(event)) return false;
  if (event?.key === 'Enter' && inPane(event, '.reading-pane')) return focusComposer();
  const id = subject(stores) ?? stores.list.ids[0];
  if (id === undefined) return false;
  void stores.router.openThread(id);
  focusThread(stores, id, stores.currentThread.row?.kind === 'message');
  return true;
}

/** Opens the snooze menu beside the button or row of the threads. */
function snooze(stores: Stores): boolean {
  const { dialogs, selection } = stores;
  if (selection.subjects.length === 0) return land(stores);
  const rows = [`#thread-${subject(stores)}`, '[role="listbox"]'];
  // The pane makes room for a selection, and its button with it.
  const buttons = selection.on ? ['.list [data-snooze]'] : ['.list [data-snooze]', '.reading-pane [data-snooze]'];
  const from = [...(selection.menuTarget === null ? buttons : []), ...rows]
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((found) => found !== null && found.checkVisibility?.() !== false);
  if (from) dialogs.toggleSnooze(from, selection.subjects, selection.menuTarget === null && selection.all);
  return true;
}

/** The links of the threads that a command acts on. */
const linksOf = (stores: Stores) => subjectRows(stores).flatMap((row) => row.link ?? []);

/** The most links that one command opens. */
const MOST_LINKS = 5;

/** Opens the links of the subjects, or says why not. */
const openLinks = (background: boolean) =>
  some((stores) => {
    const links = linksOf(stores);
    if (links.length === 0) stores.feedback.show(i18n.t.noLink(subjectRows(stores).length));
    else if (links.length > MOST_LINKS) stores.feedback.show(i18n.t.tooManyLinks(links.length, MOST_LINKS));
    else for (const link of links) stores.itemActions.openLink(link.url, background);
  });

/** The open thread's view, if that thread is the subject. */
const open = (stores: Stores) => (stores.reading.view?.row.id === subject(stores) ? stores.reading.view : null);

/** The open conversation, if something can be written. */
function written(stores: Stores): ThreadView | null {
  const view = open(stores);
  return view?.composer && view.composer.closed === null ? view : null;
}

/** The open conversation, if files can be attached. */
function takesFiles(stores: Stores): number | null {
  const view = written(stores);
  return view && (view.composer?.attachment_bytes ?? null) !== null ? view.row.id : null;
}

const toggleCommand = (id: Toggle, description: Command['description']): Command => ({
  id,
  group: 'threads',
  description,
  offer: (stores, t) => {
    const rows = subjectRows(stores);
    const { icon, label } = directionOf(id, rows);
    return rows.length > 0 ? { icon, label: label(t) } : null;
  },
  run: some(({ threadActions }) => threadActions.toggle(id)),
});

/** A change of subscriptions, offered if the service of the threads keeps them. Of a whole list they are not changed. */
const subscriptionCommand = (
  id: 'subscription' | 'mute-there',
  description: Command['description'],
  changeOf: typeof subscriptionChange,
): Command => {
  const change = (stores: Stores, t: Strings) => (stores.selection.all ? null : changeOf(subjectRows(stores), t));
  return {
    id,
    group: 'threads',
    description,
    offer: (stores, t) => change(stores, t),
    run: (stores) => {
      const wanted = change(stores, i18n.t);
      if (wanted === null) return false;
      void stores.threadActions.subscribe(wanted);
      return true;
    },
  };
};

const commands: readonly Command[] = [
  toggleCommand('unread', (t) => t.keyUnread),
  toggleCommand('archive', (t) => t.keyArchive),
  {
    id: 'snooze',
    group: 'threads',
    description: (t) => t.keySnooze,
    offer: (stores, t) => (subjectRows(stores).length > 0 ? { icon: 'alarm-clock', label: t.snoozeTo } : null),
    run: snooze,
  },
  {
    id: 'wake',
    group: 'threads',
    description: (t) => t.unsnooze,
    offer: (stores, t) => {
      const rows = subjectRows(stores);
      const asleep = rows.length > 0 && rows.every((row) => row.snoozed_until !== null);
      return asleep ? { icon: 'alarm-clock-off', label: t.unsnooze } : null;
    },
    run: some(({ threadActions }) => threadActions.snooze(null)),
  },
  toggleCommand('pin', (t) => t.keyPin),
  toggleCommand('mute', (t) => t.keyMute),
  subscriptionCommand('mute-there', (t) => t.keyMuteThere, muteThere),
  subscriptionCommand('subscription', (t) => t.keySubscription, subscriptionChange),
  {
    id: 'write',
    group: 'threads',
    description: (t) => t.send,
    offer: (stores, t) => {
      const view = written(stores);
      return view ? { icon: 'message-square', label: t.writeTo(view.title) } : null;
    },
    run: focusComposer,
  },
  {
    id: 'attach',
    group: 'threads',
    description: (t) => t.keyAttach,
    offer: (stores, t) => (takesFiles(stores) === null ? null : { icon: 'paperclip', label: t.attachFile }),
    run: (stores) => {
      const thread = takesFiles(stores);
      if (thread === null) return false;
      void stores.composerFiles.choose(thread).then(focusComposer);
      return true;
    },
  },
  {
    id: 'open',
    group: 'threads',
    description: (t) => t.keyOpen,
    offer: (stores, t) =>
      subject(stores) !== null && subjectRows(stores).length > 0 ? { icon: 'file-text', label: t.keyOpen } : null,
    run: openChosen,
  },
  {
    id: 'open-link',
    group: 'threads',
    description: (t) => t.keyOpenLink,
    offer: (stores, t) => {
      const links = linksOf(stores);
      const [link, second] = links;
      if (!link || links.length > MOST_LINKS) return null;
      return { icon: 'arrow-up-right', label: second ? t.openLinks(links.length) : t.openHost(link.host) };
    },
    run: openLinks(false),
  },
  {
    id: 'open-link-behind',
    group: 'threads',
    description: (t) => t.keyOpenLinkBehind,
    offer: (stores, t) => {
      const count = linksOf(stores).length;
      return count > 0 && count <= MOST_LINKS ? { icon: 'arrow-up-right', label: t.keyOpenLinkBehind } : null;
    },
    run: openLinks(true),
  },
  {
    id: 'copy-link',
    group: 'threads',
    description: (t) => t.copyLink,
    offer: (stores, t) => (linksOf(stores).length === 1 ? { icon: 'link', label: t.copyLink } : null),
    run: (stores) => {
      const [link] = linksOf(stores);
      return link && stores.itemActions.copyLink(link.url);
    },
  },
  {
    id: 'make-rule',
    group: 'threads',
    description: (t) => t.makeRule,
    offer: (stores, t) => (subjectRows(stores).length === 1 ? { icon: 'filter', label: t.makeRule } : null),
    run: (stores) => {
      const [row] = subjectRows(stores);
      if (row) stores.dialogs.rule = ruleLike(row);
    },
  },
];

export const threadCommands: readonly Command[] = commands.map((one) => ({ ...one, about: subjectName }));
