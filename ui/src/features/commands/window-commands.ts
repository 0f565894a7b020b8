// Commands for the window: search, palette, panes, settings, appearance, pausing toasts.

import type { ExportFormat } from '../../generated/ExportFormat';
import type { Strings } from '../../i18n/en';
import { i18n } from '../../i18n/i18n.svelte';
import type { IconName } from '../../icons';
import { nextZoom, TEXT_SIZES } from '../../state/settings/zoom';
import type { Stores } from '../../state/stores';
import { openCompose } from '../compose/compose';
import { allTopics, openPublish } from '../compose/publish';
import { choices } from '../list/snooze-times';
import { leaveSearch } from '../search/leave-search';
import { withFile } from '../settings/parts/file-dialogs';
import { importSources } from '../settings/sources/import';
import { settingsParts, settingsTabs } from '../settings/tabs';
import type { Command, Wording } from './command';
import { focusPane, nextPane } from './pane-focus';

const HOUR = 3_600_000;

/** A command that is always offered. */
const always = (
  id: string,
  icon: IconName,
  name: Wording,
  label: Wording,
  run: Command['run'],
  more: Partial<Command> = {},
): Command => ({
  id,
  group: 'window',
  description: (t) => t[name],
  offer: (_stores, t) => ({ icon, label: t[label] }),
  run,
  ...more,
});

/** Sets the zoom, and says so: without a message a step may not be seen. */
function zoomTo(stores: Stores, zoomed: (zoom: number) => number): void {
  const { feedback, settings } = stores;
  const { scale } = settings.current;
  const zoom = zoomed(scale.zoom);
  feedback.show(i18n.t.zoomIs(zoom));
  if (zoom !== scale.zoom) void settings.change({ scale: { ...scale, zoom } });
}

function stepBack(stores: Stores): boolean {
  if (stores.navigation.placesOpen) stores.navigation.placesOpen = false;
  else if (stores.selection.on) stores.selection.clear();
  else if (stores.navigation.threadOpen && matchMedia('(max-width: 720px)').matches) {
    stores.navigation.threadOpen = false;
    stores.reading.leave();
    focusPane('list');
  } else if (stores.scope.query !== null) {
    leaveSearch(stores);
  } else if (stores.navigation.view !== 'threads') {
    void stores.router.go(stores.scope.place);
  } else if (document.activeElement?.closest('.reading-pane')) focusPane('list');
  else if (stores.scope.filters.length > 0) void stores.search.clearFilters();
  else return false;
  return true;
}

export const windowCommands: readonly Command[] = [
  always('search', 'search', 'keySearch', 'search', (stores) => stores.router.searchFor(stores.scope.query ?? '')),
  {
    id: 'palette',
    group: 'window',
    description: (t) => t.keyPalette,
    run: (stores) => (stores.dialogs.palette = true),
  },
  always('new-conversation', 'square-pen', 'newConversation', 'composeConversation', openCompose),
  {
    id: 'publish-on-topic',
    group: 'window',
    description: (t) => t.publishTitle,
    offer: (stores, t) => (allTopics(stores).length > 0 ? { icon: 'send-horizontal', label: t.publishOnTopic } : null),
    run: (stores) => openPublish(stores),
  },
  always('digest', 'newspaper', 'keyDigest', 'digest', ({ digest }) => void digest.open('away')),
  always('pull', 'refresh-cw', 'keyPull', 'keyPull', ({ sourceActions }) => sourceActions.pullAll()),
  always('keys', 'keyboard', 'keyHelp', 'keyHelp', (stores) => (stores.dialogs.keys = true)),
  always('pane', 'panel-left', 'keyPane', 'keyPane', (_stores, event) => nextPane(event?.shiftKey ? -1 : 1)),
  always('settings', 'settings', 'keySettings', 'settings', (stores) => stores.router.openSettings('general')),
  {
    id: 'menu',
    group: 'window',
    description: (t) => t.keyMenu,
    run: (stores, event) => {
      // The context menu of the focused element, as a right click opens that of the element under the pointer.
      const target = event?.target instanceof Element ? event.target : document.body;
      const at = target === document.body ? (document.querySelector('[role="listbox"]') ?? target) : target;
      // A list keeps the focus for its current row, and makes its uppermost one current if there is none.
      if (at.matches('.list [role="listbox"]') && stores.selection.subjects.length === 0) stores.movement.landOnTop();
      const shown = document.getElementById(at.getAttribute('aria-activedescendant') ?? '') ?? at;
      const { left, top } = shown.getBoundingClientRect();
      const place = { clientX: left + 24, clientY: top + 24 };
      // Elements without a menu of the page keep the desktop's.
      return !at.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }));
    },
  },
  always('zoom-in', 'zoom-in', 'zoomIn', 'zoomIn', (stores) => zoomTo(stores, (zoom) => nextZoom(zoom, 1)), {
    anywhere: true,
  }),
  always('zoom-out', 'zoom-out', 'zoomOut', 'zoomOut', (stores) => zoomTo(stores, (zoom) => nextZoom(zoom, -1)), {
    anywhere: true,
  }),
  always('zoom-reset', 'zoom-out', 'zoomReset', 'zoomReset', (stores) => zoomTo(stores, () => 100), { anywhere: true }),
  { id: 'back', group: 'window', description: (t) => t.keyEscape, run: stepBack },
];

/** A command without a shortcut, for as long as it is available. */
function unbound(id: string, icon: IconName, label: string, run: Command['run']): Command {
  return { id, group: 'window', description: () => label, offer: () => ({ icon, label }), run };
}

function quiet(stores: Stores, t: Strings): Command[] {
  if (stores.status.sync?.paused_until != null)
    return [unbound('resume', 'moon', t.resumeToasts, (stores) => stores.sourceActions.resumeToasts())];
  const now = stores.clock.read();
  const spans: [string, string, number][] = [
    ['hour', t.forAnHour, now + HOUR],
    ['tomorrow', t.untilTomorrow, choices(now).tomorrow],
    ['on', t.untilResumed, 0],
  ];
  return spans.map(([id, label, until]) =>
    unbound(`pause-${id}`, 'moon', t.pauseToastsFor(label), (stores) => stores.sourceActions.pauseToasts(until)),
  );
}

/** Commands for digests of other spans. */
function digests(t: Strings): Command[] {
  const spans = { night: t.sinceEvening, day: t.sinceDay, days: t.sinceDays, week: t.sinceWeek } as const;
  return (Object.entries(spans) as [keyof typeof spans, string][]).map(([span, name]) =>
    unbound(`digest-${span}`, 'newspaper', t.digestOf(name), ({ digest }) => void digest.open(span)),
  );
}

/** Commands for the themes, densities, sizes of text and languages that are not in force. */
function appearance(stores: Stores, t: Strings): Command[] {
  const settings = stores.settings.current;
  const themes = { system: t.themeSystem, light: t.themeLight, dark: t.themeDark } as const;
  const densities = { comfortable: t.comfortable, compact: t.compact } as const;
  const languages = { en: 'English', 'zh-CN': '简体中文' } as const;
  const of = <T extends string>(all: Record<T, string>, now: T) =>
    (Object.entries(all) as [T, string][]).filter(([one]) => one !== now);
  return [
    ...of(themes, settings.theme).map(([theme, name]) =>
      unbound(`theme-${theme}`, 'palette', t.useTheme(name), (stores) => stores.settings.change({ theme })),
    ),
    ...of(densities, settings.density).map(([density, name]) =>
      unbound(`density-${density}`, 'palette', t.useDensity(name), (stores) => stores.settings.change({ density })),
    ),
    ...TEXT_SIZES.filter((size) => size !== settings.scale.text).map((text) =>
      unbound(`text-${text}`, 'palette', t.useTextSize(text), (stores) =>
        stores.settings.change({ scale: { ...settings.scale, text } }),
      ),
    ),
    ...of(languages, settings.lang_now).map(([lang, name]) =>
      unbound(`language-${lang}`, 'palette', t.useLanguage(name), (stores) =>
        stores.settings.change({ lang, lang_now: lang }),
      ),
    ),
  ];
}

/** Commands that write files of the inbox, and the end of the program. */
function program(t: Strings): Command[] {
  const formats = Object.entries(t.exportFormats) as [ExportFormat, string][];
  return [
    ...formats.map(([format, name]) =>
      unbound(`export-${format}`, 'file-text', t.exportOf(name), (stores) =>
        withFile(stores, () => stores.platform.exportInbox(format)),
      ),
    ),
    unbound('backup', 'database', t.backupMenu, (stores) => withFile(stores, () => stores.platform.backup())),
    unbound('quit', 'power', t.quit, (stores) => stores.platform.quit().catch(stores.feedback.fail)),
  ];
}

/** Commands that depend on the current settings: pages of the settings, pausing toasts, appearance. */
export function dynamicCommands(stores: Stores, t: Strings): Command[] {
  const adding = unbound('add-source', 'plus', t.addASource, (stores) => (stores.dialogs.addSource = true));
  const importing = unbound('import-sources', 'file-text', t.importCommand, importSources);
  return [
    ...(stores.startup.offered.length > 0 ? [adding, importing] : []),
    ...settingsTabs(t).map(({ tab, icon, name }) =>
      unbound(`settings-${tab}`, icon, t.settingsOf(name), (stores) => stores.router.openSettings(tab)),
    ),
    ...settingsParts(t).map(({ id, name, tab, section }) =>
      unbound(`settings-${id}`, 'settings', t.settingsOf(name), (stores) => stores.router.openSettings(tab, section)),
    ),
    ...digests(t),
    unbound('test-notification', 'bell', t.sendTestNotification, async ({ feedback, platform }) => {
      feedback.announce(i18n.t.sendingTest);
      await platform.testNotification().then(({ text }) => feedback.show(text), feedback.fail);
    }),
    ...quiet(stores, t),
    ...appearance(stores, t),
    ...program(t),
  ];
}
