// The pages of the settings, in their order.
import type { IconName } from '../../components/icons/icons';
import type { Strings } from '../../i18n/en';
import type { SettingsTab } from '../../state/navigation/navigation.svelte';

export function settingsTabs(t: Strings): { tab: SettingsTab; icon: IconName; name: string }[] {
  return [
    { tab: 'general', icon: 'sliders-horizontal', name: t.general },
    { tab: 'sources', icon: 'rss', name: t.sources },
    { tab: 'notifications', icon: 'bell', name: t.notifications },
    { tab: 'rules', icon: 'filter', name: t.rules },
    { tab: 'appearance', icon: 'palette', name: t.appearance },
    { tab: 'shortcuts', icon: 'keyboard', name: t.shortcuts },
    { tab: 'storage', icon: 'database', name: t.storage },
    { tab: 'server', icon: 'server', name: t.server },
    { tab: 'publish', icon: 'terminal', name: t.publish },
    { tab: 'first-steps', icon: 'sparkles', name: t.firstSteps },
    { tab: 'about', icon: 'info', name: t.about },
  ];
}
