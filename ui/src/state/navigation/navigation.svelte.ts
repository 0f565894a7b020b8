// What is on screen: the threads, the digest or the settings, the current thread, and in a narrow window the visible pane.

export type View = 'threads' | 'digest' | 'settings';
export type SettingsTab = 'general' | 'notifications' | 'sources' | 'computer' | 'keyboard' | 'storage' | 'about';
/** A part of a page of the settings that is closed until it is asked for. */
export type SettingsSection =
  | 'quiet-hours'
  | 'rules'
  | 'noise'
  | 'notifications-advanced'
  | 'source-notify'
  | 'other-programs'
  | 'sources-advanced'
  | 'publish'
  | 'topics'
  | 'tokens'
  | 'people'
  | 'computer-advanced'
  | 'keys-threads'
  | 'keys-places'
  | 'keys-window'
  | 'storage-advanced'
  | 'diagnosis'
  | 'first-steps';

/** The media query of windows with one pane; the stylesheet has the same bound. */
const ONE_PANE = '(max-width: 720px)';

export class Navigation {
  view: View = $state('threads');
  settingsTab: SettingsTab = $state('general');
  /** The section that opens as soon as its page is on screen. */
  settingsSection: SettingsSection | null = $state(null);
  /** The thread that is highlighted in the list and shown in the reading pane. */
  threadId: number | null = $state(null);
  /** In one pane: whether the reading pane is on screen instead of the list. */
  threadOpen = $state(false);
  /** In one pane: whether the places lie over the list. */
  placesOpen = $state(false);

  get onePane(): boolean {
    return matchMedia(ONE_PANE).matches;
  }

  get threadVisible(): boolean {
    return this.threadOpen || !this.onePane;
  }
}
