// Commands for the chosen threads, and for the open one.
import type { ThreadRow } from '../../generated/ThreadRow';
import * as acts from '../../state/marks/thread-actions';
import type { Page } from '../../state/page.svelte';
import { hostOf } from '../reading/item/links';
import type { Command, Offer } from './command';
import { inPane, onControl } from './key-target';
import { focusComposer, focusPane } from './pane-focus';

const chosen = (page: Page) =>
  page.view === 'threads' && !page.welcome ? acts.rowsOf(page, page.selection.all ? page.list.ids : page.subjects) : [];

/** Offered while threads are chosen; `is` tells whether all of them are already so. */
function withThreads(is: (row: ThreadRow) => boolean, offer: (page: Page, all: boolean) => Offer | null) {
  return (page: Page): Offer | null => {
    const rows = chosen(page);
    return rows.length === 0 ? null : offer(page, rows.every(is));
  };
}

/** Does nothing where no thread is chosen. */
function some(run: (page: Page) => unknown) {
  return (page: Page) => {
    if (page.subjects.length === 0) return false;
    void run(page);
    return true;
  };
}

/** What a menu was opened over goes before what is chosen. */
const subject = (page: Page) => page.target ?? page.chosen;

function openChosen(page: Page, event?: KeyboardEvent): boolean {
  if (event?.key === 'Enter' && onControl(event)) return false;
  if (event?.key === 'Enter' && inPane(event, '.reading-pane')) return focusComposer();
  const id = subject(page) ?? page.list.ids[0];
  if (id === undefined) return false;
  void page.open(id).then(() => focusPane('reading-pane'));
  return true;
}

/** Opens the snooze menu beside what shows the chosen threads. */
function snooze(page: Page): boolean {
  if (page.subjects.length === 0) return false;
  const rows = [`#thread-${subject(page)}`, '[role="listbox"]'];
  const from = [...(page.target === null ? ['.list [data-snooze]', '.reading-pane [data-snooze]'] : []), ...rows]
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((found) => found !== null && found.checkVisibility?.() !== false);
  if (from) page.snoozeFrom(from);
  return true;
}

/** The open thread, where it is the one that is spoken of. */
const open = (page: Page) => (page.reading.view?.row.id === subject(page) ? page.reading.view : null);

export const threadCommands: readonly Command[] = [
  {
    id: 'unread',
    keys: ['u'],
    group: 'threads',
    description: (t) => t.keyUnread,
    offer: (page, t) =>
      withThreads(
        (row) => row.unread === 0,
        (_, read) => ({ icon: read ? 'mail' : 'mail-open', label: read ? t.markUnread : t.markRead }),
      )(page),
    run: some((page) => acts.toggleRead(page)),
  },
  {
    id: 'archive',
    keys: ['e'],
    group: 'threads',
    description: (t) => t.keyArchive,
    offer: (page, t) =>
      withThreads(
        (row) => row.archived,
        (_, done) => ({ icon: done ? 'archive-restore' : 'archive', label: done ? t.unarchive : t.archive }),
      )(page),
    run: some((page) => acts.archive(page)),
  },
  {
    id: 'snooze',
    keys: ['h'],
    group: 'threads',
    description: (t) => t.keySnooze,
    offer: (page, t) => (chosen(page).length > 0 ? { icon: 'alarm-clock', label: t.snoozeTo } : null),
    run: snooze,
  },
  {
    id: 'wake',
    keys: [],
    group: 'threads',
    description: (t) => t.unsnooze,
    offer: (page, t) =>
      withThreads(
        (row) => row.snoozed_until !== null,
        (_, asleep) => (asleep ? { icon: 'alarm-clock-off', label: t.unsnooze } : null),
      )(page),
    run: some((page) => acts.snooze(page, null)),
  },
  {
    id: 'pin',
    keys: ['p'],
    group: 'threads',
    description: (t) => t.keyPin,
    offer: (page, t) =>
      withThreads(
        (row) => row.pinned,
        (_, pinned) => ({ icon: pinned ? 'pin-off' : 'pin', label: pinned ? t.unpin : t.pin }),
      )(page),
    run: some((page) => acts.pin(page)),
  },
  {
    id: 'mute',
    keys: ['s', 'm'],
    group: 'threads',
    description: (t) => t.keyMute,
    offer: (page, t) =>
      withThreads(
        (row) => row.muted,
        (_, muted) => ({ icon: muted ? 'bell' : 'bell-off', label: muted ? t.unmute : t.mute }),
      )(page),
    run: some((page) => acts.mute(page)),
  },
  {
    id: 'write',
    keys: [],
    group: 'threads',
    description: (t) => t.send,
    offer: (page, t) => {
      const view = open(page);
      return view?.composer ? { icon: 'message-square', label: t.writeTo(view.title) } : null;
    },
    run: focusComposer,
  },
  {
    id: 'open',
    keys: ['Enter', 'o'],
    group: 'threads',
    description: (t) => t.keyOpen,
    offer: (page, t) =>
      subject(page) !== null && chosen(page).length > 0 ? { icon: 'file-text', label: t.keyOpen } : null,
    run: openChosen,
  },
  {
    id: 'open-link',
    keys: [],
    group: 'threads',
    description: (t) => t.open,
    offer: (page, t) => {
      const url = open(page)?.url ?? null;
      return url === null ? null : { icon: 'arrow-up-right', label: t.openHost(hostOf(url)) };
    },
    run: (page) => {
      const url = open(page)?.url ?? null;
      if (url !== null) acts.openLink(page, url);
    },
  },
  {
    id: 'copy-link',
    keys: [],
    group: 'threads',
    description: (t) => t.copyLink,
    offer: (page, t) => ((open(page)?.url ?? null) === null ? null : { icon: 'link', label: t.copyLink }),
    run: (page) => {
      const url = open(page)?.url ?? null;
      return url === null ? undefined : acts.copyLink(page, url);
    },
  },
];
