// Every command of the page, as far as it means something right now. The keys are those of the bindings.
import type { IconName } from '../../components/icons';
import type { Words } from '../../i18n/en';
import * as acts from '../../state/acts';
import type { Page } from '../../state/page.svelte';
import { bindings, snooze } from '../keys/bindings';
import { focusComposer, focusPane, nextPane } from '../keys/panes';
import { writtenKeys } from '../keys/written';
import { placeTitle } from '../list/place-words';
import { choices } from '../list/snooze-times';
import { hostOf } from '../reading/links';
import { settingsTabs } from '../settings/tabs';
import type { Entry } from './entries';

const HOUR = 3_600_000;

/** `key` names the binding that does the same; empty where there is none. */
function command(id: string, icon: IconName, words: string, key: string, run: (page: Page) => unknown): Entry {
  const binding = bindings.find((one) => one.keys.includes(key));
  return { id: `command-${id}`, icon, words, keys: (binding && writtenKeys(binding)[0]) ?? [], run };
}

/** What can be done with the chosen threads. */
function withThreads(page: Page, t: Words): Entry[] {
  const rows = acts.rowsOf(page, page.subjects);
  if (rows.length === 0) return [];
  const all = (is: (row: (typeof rows)[number]) => boolean) => rows.every(is);
  const archived = all((row) => row.archived);
  const read = all((row) => row.unread === 0);
  const found = [
    command('unread', read ? 'mail' : 'mail-open', read ? t.markUnread : t.markRead, 'u', (page) =>
      acts.toggleRead(page),
    ),
    command('archive', archived ? 'archive-restore' : 'archive', archived ? t.unarchive : t.archive, 'e', (page) =>
      acts.archive(page),
    ),
    command('snooze', 'alarm-clock', t.snooze, 'h', snooze),
    command('pin', 'pin', all((row) => row.pinned) ? t.unpin : t.pin, 'p', (page) => acts.pin(page)),
    command('mute', 'bell-off', all((row) => row.muted) ? t.unmute : t.mute, 's', (page) => acts.mute(page)),
  ];
  if (all((row) => row.snoozed_until !== null))
    found.push(command('wake', 'alarm-clock-off', t.unsnooze, '', (page) => acts.snooze(page, null)));
  return [...found, ...withOpenThread(page, t)];
}

function withOpenThread(page: Page, t: Words): Entry[] {
  const { chosen } = page;
  if (chosen === null) return [];
  const found = [
    command('open', 'file-text', t.keyOpen, 'Enter', (page) => page.open(chosen).then(() => focusPane('read'))),
    command('select', 'list-checks', t.keySelect, 'x', (page) => acts.toggleSelected(page)),
    command('extend', 'list-checks', t.keyExtend, 'Shift+J', (page) => acts.extend(page, 1)),
  ];
  const { view } = page.reading;
  if (view?.row.id !== chosen) return found;
  if (view.composer) found.unshift(command('write', 'message-square', t.writeTo(view.title), '', focusComposer));
  const { url } = view;
  if (url === null) return found;
  return [
    ...found,
    command('open-link', 'arrow-up-right', t.openHost(hostOf(url)), '', (page) => acts.openLink(page, url)),
    command('copy-link', 'link', t.copyLink, '', (page) => acts.copyText(url).then(() => page.tell(t.linkCopied))),
  ];
}

function withList(t: Words): Entry[] {
  return [
    command('undo', 'undo', t.undo, 'z', acts.undo),
    command('next', 'chevron-down', t.keyNext, 'j', (page) => acts.move(page, 1)),
    command('previous', 'chevron-up', t.keyPrevious, 'k', (page) => acts.move(page, -1)),
    command('next-unread', 'chevron-down', t.keyNextUnread, 'n', (page) => acts.moveToUnread(page, 1)),
    command('previous-unread', 'chevron-up', t.keyPreviousUnread, 'Shift+N', (page) => acts.moveToUnread(page, -1)),
  ];
}

function withToasts(page: Page, t: Words): Entry[] {
  if (page.sync?.paused_until != null)
    return [command('resume', 'moon', t.resumeToasts, '', (page) => acts.pauseToasts(page, null))];
  const now = page.clock.read();
  const spans: [string, string, number][] = [
    ['hour', t.forAnHour, now + HOUR],
    ['tomorrow', t.untilTomorrow, choices(now).tomorrow],
    ['on', t.untilResumed, 0],
  ];
  return spans.map(([id, words, until]) =>
    command(`pause-${id}`, 'moon', t.pauseToastsFor(words), '', (page) => acts.pauseToasts(page, until)),
  );
}

/** What is not in force now. */
function withAppearance(page: Page, t: Words): Entry[] {
  const { settings } = page;
  if (!settings) return [];
  const themes = { system: t.themeSystem, light: t.themeLight, dark: t.themeDark } as const;
  const densities = { comfortable: t.comfortable, compact: t.compact } as const;
  const languages = { en: 'English', 'zh-CN': '简体中文' } as const;
  const of = <T extends string>(all: Record<T, string>, now: T) =>
    (Object.entries(all) as [T, string][]).filter(([one]) => one !== now);
  return [
    ...of(themes, settings.theme).map(([theme, name]) =>
      command(`theme-${theme}`, 'palette', t.useTheme(name), '', (page) => page.set({ theme })),
    ),
    ...of(densities, settings.density).map(([density, name]) =>
      command(`density-${density}`, 'palette', t.useDensity(name), '', (page) => page.set({ density })),
    ),
    ...of(languages, settings.lang_now).map(([lang, name]) =>
      command(`language-${lang}`, 'palette', t.useLanguage(name), '', (page) => page.set({ lang, lang_now: lang })),
    ),
  ];
}

function withWindow(page: Page, t: Words): Entry[] {
  return [
    command('search', 'search', t.search, '/', (page) => page.search(page.query ?? '')),
    command('pull', 'refresh-cw', t.refreshAll, 'Mod+r', acts.pullNow),
    command('keys', 'keyboard', t.keyHelp, '?', (page) => {
      page.help = true;
    }),
    command('pane', 'panel-left', t.keyPane, 'F6', () => nextPane(1)),
    command('settings', 'settings', t.settings, 'Mod+,', (page) => page.settingsAt('general')),
    ...(page.protocols.length > 0
      ? [
          command('add-source', 'plus', t.addASource, '', (page) => {
            page.adding = true;
          }),
        ]
      : []),
    ...settingsTabs(t).map(({ tab, icon, name }) =>
      command(`settings-${tab}`, icon, t.settingsOf(name), '', (page) => page.settingsAt(tab)),
    ),
    ...withToasts(page, t),
    ...withAppearance(page, t),
  ];
}

/** In the order in which they are offered. */
export function commands(page: Page, t: Words): Entry[] {
  const threads = page.view === 'threads' && !page.welcome;
  const counted = threads && !['pinned', 'snoozed', 'done'].includes(page.place.place);
  const here = placeTitle(page.place, page.sources, t);
  return [
    ...(counted ? [command('all-read', 'check-check', t.markAllReadIn(here), 'Shift+I', acts.markAllRead)] : []),
    ...(threads ? withThreads(page, t) : []),
    ...withWindow(page, t),
    ...(threads ? withList(t) : []),
  ];
}
