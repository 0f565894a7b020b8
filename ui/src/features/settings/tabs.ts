// The pages of the settings in their order, and what is found on them under a name of its own.

import type { Strings } from '../../i18n/en';
import type { IconName } from '../../icons';
import type { SettingsSection, SettingsTab } from '../../state/navigation/navigation.svelte';

export function settingsTabs(t: Strings): { tab: SettingsTab; icon: IconName; name: string }[] {
  return [
    { tab: 'general', icon: 'sliders-horizontal', name: t.general },
    { tab: 'notifications', icon: 'bell', name: t.notifications },
    { tab: 'sources', icon: 'rss', name: t.sources },
    { tab: 'computer', icon: 'laptop', name: t.thisComputer },
    { tab: 'keyboard', icon: 'keyboard', name: t.keyboard },
    { tab: 'storage', icon: 'database', name: t.storage },
    { tab: 'about', icon: 'info', name: t.about },
  ];
}

/** What the palette finds by its name, with the page that has it. */
export function settingsParts(t: Strings): { id: string; name: string; tab: SettingsTab; section?: SettingsSection }[] {
  return [
    { id: 'appearance', name: t.appearance, tab: 'general' },
    { id: 'quiet-now', name: t.quietNow, tab: 'notifications', section: 'quiet-hours' },
    { id: 'quiet-hours', name: t.quietHours, tab: 'notifications', section: 'quiet-hours' },
    { id: 'rules', name: t.rules, tab: 'notifications', section: 'rules' },
    { id: 'sounds', name: t.sounds, tab: 'notifications', section: 'notifications-advanced' },
    { id: 'noise', name: t.noise, tab: 'notifications', section: 'noise' },
    { id: 'other-programs', name: t.otherPrograms, tab: 'sources', section: 'other-programs' },
    { id: 'proxy', name: t.proxy, tab: 'sources', section: 'sources-advanced' },
    { id: 'certificates', name: t.certificates, tab: 'sources', section: 'sources-advanced' },
    { id: 'publish', name: t.publish, tab: 'computer', section: 'publish' },
    { id: 'topics', name: t.topics, tab: 'computer', section: 'topics' },
    { id: 'tokens', name: t.tokens, tab: 'computer', section: 'tokens' },
    { id: 'people', name: t.users, tab: 'computer', section: 'people' },
    { id: 'port', name: t.port, tab: 'computer', section: 'computer-advanced' },
    { id: 'diagnosis', name: t.diagnosis, tab: 'about', section: 'diagnosis' },
    { id: 'first-steps', name: t.firstSteps, tab: 'about', section: 'first-steps' },
  ];
}
