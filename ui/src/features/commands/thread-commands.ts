// Commands for the selected threads, and for the open one.
import type { Strings } from '../../i18n/en';
import { threadName } from '../../state/list/thread-name';
import { directionOf, type Toggle } from '../../state/marks/toggles';
import type { Stores } from '../../state/stores';
import { hostOf } from '../reading/item/links';
import type { Command } from './command';
import { inPane, onControl } from './key-target';
import { focusComposer, focusThread } from './pane-focus';

const subjectRows = (stores: Stores) =>
  stores.navigation.view === 'threads' && !stores.firstRun.visible
    ? stores.threadActions.rows(stores.selection.all ? stores.list.ids : stores.selection.subjects)
    : [];

/** The name of the threads that commands act on: of one its own, of several their number. */
export function subjectName(stores: Stores, t: Strings): string | null {
  if (stores.selection.menuTarget === null && stores.selection.on) return t.threads(stores.selection.count);
  const [row] = subjectRows(stores);
  return row ? threadName(row) : null;
}

/** Runs only where there are threads to act on. */
function some(run: (stores: Stores) => unknown) {
  return (stores: Stores) => {
    if (stores.selection.subjects.length === 0) return false;
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
  if (stores.selection.subjects.length === 0) return false;
  const rows = [`#thread-${subject(stores)}`, '[role="listbox"]'];
  const from = [
    ...(stores.selection.menuTarget === null ? ['.list [data-snooze]', '.reading-pane [data-snooze]'] : []),
    ...rows,
  ]
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((found) => found !== null && found.checkVisibility?.() !== false);
  if (from) stores.dialogs.toggleSnooze(from, stores.selection.subjects);
  return true;
}

/** The open thread's view, where that thread is the subject. */
const open = (stores: Stores) => (stores.reading.view?.row.id === subject(stores) ? stores.reading.view : null);

/** The open conversation, where files can be attached. */
function takesFiles(stores: Stores): number | null {
  const view = open(stores);
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
  {
    id: 'write',
    group: 'threads',
    description: (t) => t.send,
    offer: (stores, t) => {
      const view = open(stores);
      return view?.composer ? { icon: 'message-square', label: t.writeTo(view.title) } : null;
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
    description: (t) => t.open,
    offer: (stores, t) => {
      const url = open(stores)?.url ?? null;
      return url === null ? null : { icon: 'arrow-up-right', label: t.openHost(hostOf(url)) };
    },
    run: (stores) => {
      const url = open(stores)?.url ?? null;
      if (url !== null) stores.itemActions.openLink(url);
    },
  },
  {
    id: 'copy-link',
    group: 'threads',
    description: (t) => t.copyLink,
    offer: (stores, t) => ((open(stores)?.url ?? null) === null ? null : { icon: 'link', label: t.copyLink }),
    run: (stores) => {
      const url = open(stores)?.url ?? null;
      return url === null ? undefined : stores.itemActions.copyLink(url);
    },
  },
];

export const threadCommands: readonly Command[] = commands.map((one) => ({ ...one, about: subjectName }));
