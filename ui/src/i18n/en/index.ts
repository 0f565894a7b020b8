// All English texts of the page. Their type makes every other language have the same keys.
import type { UnreadCount } from '../../generated/UnreadCount';
import { grouped as n } from '../numbers';
import { enCommands } from './commands';
import { enDigest } from './digest';
import { enPublish } from './publish';
import { enReading } from './reading';
import { enRules } from './rules';
import { enSettings } from './settings';
import { enSources } from './sources';
import { enStorage } from './storage';
import { enTopics } from './topics';

const s = (count: number, one: string, many: string) => (count === 1 ? one : many);

export const en = {
  ...enSettings,
  ...enStorage,
  ...enRules,
  ...enReading,
  ...enCommands,
  ...enDigest,
  ...enPublish,
  ...enTopics,
  ...enSources,
  number: (value: number) => n(value),

  // places
  places: 'Places',
  search: 'Search',
  inbox: 'Inbox',
  unread: 'Unread',
  pinned: 'Pinned',
  snoozed: 'Snoozed',
  done: 'Done',
  announcements: 'Announcements',
  activity: 'Activity',
  conversations: 'Conversations',
  sources: 'Sources',
  thisComputer: 'This computer',
  savedSearches: 'Saved searches',
  savedSearch: 'Saved search',
  rename: 'Rename…',
  editSearch: 'Edit search…',
  removeSearch: 'Remove',
  openPlace: 'Open',
  resumeSource: 'Resume',
  resizePlaces: 'Width of the places',
  resizeList: 'Width of the list',

  // days
  today: 'Today',
  yesterday: 'Yesterday',
  thisWeek: 'This week',
  earlier: 'Earlier',

  // a row
  isUnread: 'unread',
  urgent: 'urgent',
  high: 'high',
  waitsToBeSent: 'waits to be sent',
  isMuted: 'muted',
  isMutedUntil: (when: string) => `Muted until ${when}`,
  isQuiet: 'quiet',
  isPinned: 'pinned',
  manyUnread: (count: number) => `${n(count)} unread`,
  manyQuiet: (count: number) => `${n(count)} quiet`,
  unreadCount: ({ unread, counted }: UnreadCount) =>
    [counted > 0 && `${n(counted)} unread`, unread > counted && `${n(unread - counted)} quiet`]
      .filter(Boolean)
      .join(', '),
  unreadThreads: (count: number, quiet = 0) =>
    [count > 0 && `${n(count)} unread ${s(count, 'thread', 'threads')}`, quiet > 0 && `${n(quiet)} quiet`]
      .filter(Boolean)
      .join(', '),
  placeAndCount: (place: string, count: string) => `${place}: ${count}`,
  quietHint: 'Unread, but not counted on the badge: muted or low priority. Click to show only these',
  isSnoozedUntil: (when: string) => `Snoozed until ${when}`,

  // the sync status
  ready: 'Ready',
  upToDate: 'Up to date',
  offline: 'Offline',
  starting: 'Starting',
  pulling: 'Fetching',
  pullingOf: (done: number, of: number) => `Fetching ${n(done)} of ${n(of)}`,
  retrying: (who: string, seconds: number) =>
    seconds > 0 ? `${who}: retrying in ${n(seconds)} s` : `${who}: retrying`,
  goingOn: (who: string, seconds: number) =>
    seconds > 0 ? `${who}: continuing in ${n(seconds)} s` : `${who}: continuing`,
  signIn: (who: string) => `${who} needs sign-in`,
  needsSignIn: 'needs sign-in',
  isPaused: 'paused',
  isRetrying: 'retrying',
  isEnded: 'stopped at its limit',
  quietUntil: (when: string) => `Quiet until ${when}`,
  quiet: 'Quiet',
  doNotDisturb: 'Do not disturb',
  doNotDisturbHint: 'The desktop’s Do Not Disturb is on. To see toasts, turn it off there',
  toastsAgain: 'Toasts are shown again',
  pauseEnded: 'Pause ended',
  resumeToasts: 'Resume toasts',
  sourceLive: 'Live',
  sourceIdle: 'Up to date',
  sourcePaused: 'Paused. Nothing is fetched',
  sourcePausedSince: (when: string) => `Paused since ${when}. Nothing is fetched`,
  sinceYesterday: 'yesterday',
  sourcePulling: (done: number) => `Fetching, ${n(done)} so far. The newest notifications are already here`,
  sourcePullingOf: (done: number, of: number) =>
    `Fetching ${n(done)} of ${n(of)}. The newest notifications are already here`,
  sourceRetrying: (why: string, seconds: number) =>
    seconds > 0 ? `${why}. Retrying in ${n(seconds)} s` : `${why}. Retrying`,
  sourceEnded: (why: string, seconds: number) =>
    seconds > 0 ? `${why}. Continuing in ${n(seconds)} s` : `${why}. Continuing`,
  sourceSignIn: (when: string) => `Needs sign-in. The token was refused at ${when}`,
  sourceSkipped: (items: number) =>
    `${n(items)} ${s(items, 'item was', 'items were')} too large to keep. ${s(items, 'It is', 'They are')} still at the source`,
  sourceMalformed: (items: number, msgids: string[]) =>
    `${n(items)} ${s(items, 'item', 'items')} could not be read and ${s(items, 'was', 'were')} skipped` +
    `${msgids.length > 0 ? ` (${msgids.join(', ')}${items > msgids.length ? ', …' : ''})` : ''}. ` +
    'All others arrived. Tell the administrator of the source',

  // banners
  offlineBanner: (when: string | null, marks: number, messages: number) => {
    const waiting = [
      marks > 0 ? `${n(marks)} ${s(marks, 'mark', 'marks')}` : '',
      messages > 0 ? `${n(messages)} ${s(messages, 'message', 'messages')}` : '',
    ].filter(Boolean);
    const wait = s(marks + messages, 'waits', 'wait');
    return `Offline. Showing what ${when ? `was here at ${when}` : 'is here'}${
      waiting.length > 0 ? `; ${waiting.join(' and ')} ${wait} to be sent` : ''
    }.`;
  },
  tryNow: 'Try now',
  notices: 'Notices',
  cannotShow: 'Nothing can be shown',
  cannotShowThread: 'This thread cannot be shown',
  dismiss: 'Dismiss',

  // search
  suggestions: 'Suggestions',
  removeCondition: (condition: string) => `Remove ${condition}`,
  saveSearch: 'Save this search…',
  nameOfSearch: 'Name of this search',
  searchSaved: (name: string) => `Saved as “${name}”`,
  searchRemoved: (name: string) => `“${name}” removed`,
  filterAndGroup: 'Filter and group',
  filterBy: 'Show only',
  groupBy: 'Group',
  groupByDay: 'Group by day',
  groupBySource: 'Group by source',
  groupByThread: 'Do not group',
  byDay: 'By day',
  bySource: 'By source',
  notAtAll: 'Not at all',
  onlyUnread: 'Show only unread',
  onlyQuiet: 'Show only quiet',
  quietItems: 'Unread and quiet',
  onlyFrom: (source: string) => `Show only ${source}`,
  onlyAttachment: 'Show only threads with attachments',
  onlyLink: 'Show only threads with links',
  onlyPriority: 'Show only threads with high priority',
  withAttachment: 'With attachment',
  withLink: 'With link',
  highPriority: 'High priority',
  isOn: 'on',
  threads: (count: number, more = false) => `${n(count)}${more ? '+' : ''} ${s(count, 'thread', 'threads')}`,
  nothingMatches: 'Nothing matches',
  nothingMatchesHint: 'The filters hide other threads here',
  showAll: 'Show all',

  // the list
  markAllRead: 'Mark all read',
  results: 'Results',
  resultCount: (count: number, more = false) =>
    `${n(count)}${more ? '+' : ''} ${s(count, 'thread', 'threads')}, newest first`,
  nothingFound: 'Nothing found',
  nothingFoundHint: (text: string) => `No thread contains “${text}”`,
  didYouMean: 'Did you mean',
  queryAndCount: (query: string, count: number) => `“${query}” (${n(count)})`,
  nothingButMaybe: (text: string, queries: readonly string[]) =>
    `Nothing for “${text}”. Did you mean ${queries.map((query) => `“${query}”`).join(', ')}?`,
  clear: 'Clear',
  newItems: (count: number) => `${n(count)} new`,
  newThreads: (count: number) => `${n(count)} new ${s(count, 'thread', 'threads')}`,
  newInThreads: (count: number) => `Something new in ${n(count)} ${s(count, 'thread', 'threads')}`,
  quickActions: 'Quick actions',
  allRead: 'All read',
  allReadHint: 'Nothing left to read here',
  inboxEmpty: 'All done',
  doneToday: (count: number, more: boolean) => `${n(count)}${more ? '+' : ''} done today`,
  inboxEmptyHint: 'New notifications appear here automatically',
  pinnedEmpty: 'Nothing pinned',
  pinnedEmptyHint: 'Pinned threads are kept here',
  snoozedEmpty: 'Nothing snoozed',
  snoozedEmptyHint: 'Snoozed threads return to the inbox at the time you chose',
  doneEmpty: 'Nothing done yet',
  doneEmptyHint: 'Archived threads are kept here',
  conversationsEmpty: 'No conversations yet',
  conversationsEmptyHint: 'Messages between you and others appear here',
  writeToSomeone: 'Write a message',
  placeEmpty: 'Nothing here yet',
  placeEmptyHint: 'New notifications appear here automatically',

  // first run
  welcomeTitle: 'Nothing to read yet',
  welcomeLead: 'Any program that can run curl can notify you. Try it in a terminal:',
  welcomeLeadNoServer: 'Notifications from your sources appear here automatically.',
  curlText: 'Backup done',
  listening: 'Listening on this computer. Your first notification appears in the inbox.',
  autostart: 'Start at login',
  autostartHint: 'In the tray, without a window',
  everyKey: 'Every command has a shortcut',
  everyKeyHint: 'Start with these three',
  closeWelcome: 'Close this page',
  welcomeStays: 'You can find it again in Settings, About',

  // settings
  settings: 'Settings',
  general: 'General',
  appearance: 'Appearance',
  keyboard: 'Keyboard',
  firstSteps: 'Getting started',
  firstStepsHint: 'Send your first notification and add a source',
  about: 'About',
  advanced: 'Advanced',
  toastsOn: 'New notifications are shown as toasts',
  pauseMenu: 'Pause toasts…',
  pauseFor: 'Pause toasts',
  forAnHour: 'For an hour',
  untilTomorrow: 'Until tomorrow',
  untilResumed: 'Until resumed',
  untilUnmuted: 'Until unmuted',
  language: 'Language',
  languageSystem: 'Same as the desktop',
  theme: 'Theme',
  themeSystem: 'Same as the desktop',
  themeLight: 'Light',
  themeDark: 'Dark',
  density: 'Density',
  densityHint: 'Space between the rows of lists',
  comfortable: 'Comfortable',
  compact: 'Compact',
  version: 'Version',
  aboutLead: 'Every notification, one inbox, even offline',
  licences: 'Tidings: MIT licence. Icons: Lucide, ISC licence',
  noSources: 'No sources',
};

export type Strings = typeof en;
