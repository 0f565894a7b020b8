// The English texts about kinds of sources, by protocol, and about how much sources send. A protocol without texts of
// its own has the general ones.
import type { Keeps } from '../../generated/Keeps';
import type { ProtocolView } from '../../generated/ProtocolView';
import { list, n } from './phrases';

/** The texts about a protocol in the form of a source; a part is there if the general text is not enough. */
export interface KindTexts {
  /** The kind, if the name of the service does not say what it is. */
  readonly name?: string;
  /** The kind in a line beside an address, if the name is long. */
  readonly short?: string;
  /** The kind within a list that begins a sentence. */
  readonly listed?: string;
  /** What the address is. */
  readonly address?: string;
  /** Where the token is made, and what it has to allow. */
  readonly token?: string;
  /** Where the id of a client is made that signs in with the browser, and what it has to allow. */
  readonly client?: string;
}

const kinds: Record<string, KindTexts> = {
  tidings: {
    name: 'Tidings server',
    listed: 'A Tidings server',
    token: 'Ask the server’s administrator for a token that may read the inbox',
  },
  ntfy: {
    address: 'The server, without topics',
    token: 'A token, or user:password. Leave empty for topics that everyone may read',
  },
  gotify: {
    address: 'The address of the server, as you open it in a browser',
    token:
      'The token of a client, created under Clients in Gotify. The token of an application cannot read notifications',
  },
  github: {
    address:
      'Keep this for github.com. For GitHub Enterprise, enter an address such as https://github.example.org/api/v3',
    token:
      'Create a classic token under Settings › Developer settings on GitHub, and select “notifications”. Select “repo” too to show content from private repositories. Fine-grained tokens cannot read notifications',
    client:
      'The ID of your own OAuth app: open Settings › Developer settings › OAuth Apps › New OAuth app, and select “Enable Device Flow”. Its web addresses can be anything. The client secret is not needed',
  },
  forgejo: {
    address: 'The address of the server, as you open it in a browser. Gitea works too',
    token:
      'Create it under Settings › Applications. It needs to read the user, issues and repositories, and to read and write notifications',
  },
  gitlab: {
    address: 'The address of the server, as you open it in a browser',
    token:
      'Create a personal access token under Preferences, and select “api”. With “read_api”, nothing is marked as done there',
    client:
      'The ID of your own application: open Preferences › Applications › Add new application, and clear “Confidential”. Select “read_api”, or “api” to mark to-dos as done there. Its redirect address can be anything',
  },
  mastodon: {
    address: 'The server that your account is on. Servers that are compatible with Mastodon work too',
    token:
      'Create it under Preferences › Development › New application, and allow “read:accounts” and “read:notifications”',
  },
  feed: {
    name: 'Feed (RSS, Atom, JSON)',
    short: 'Feed',
    listed: 'a feed (RSS, Atom, JSON)',
    address: 'The address of a feed (RSS, Atom, JSON Feed), or of a page that links to its feed',
  },
  desktop: { name: 'Other programs' },
};

/** The reasons for which forges notify, by action. */
const reasons: Record<string, string> = {
  added_approver: 'You became an approver',
  approval_requested: 'Your approval is requested',
  approval_required: 'Your approval is requested',
  assign: 'You are assigned',
  assigned: 'You are assigned',
  author: 'Updates to what you opened',
  build_failed: 'Failed pipelines',
  ci_activity: 'Checks and workflows',
  comment: 'Comments',
  directly_addressed: 'You are mentioned directly',
  invitation: 'Invitations',
  manual: 'Items you follow',
  marked: 'Items you added yourself',
  member_access_requested: 'Requests for access',
  member_feature_requested: 'Requests of members',
  mention: 'You are mentioned',
  mentioned: 'You are mentioned',
  merge_train_removed: 'Removed from the merge train',
  okr_checkin_requested: 'Requests for a check-in',
  release: 'Releases',
  review_requested: 'Your review is requested',
  review_submitted: 'Reviews',
  security_advisory_credit: 'Credits for advisories',
  security_alert: 'Security alerts',
  ssh_key_expired: 'Expired SSH keys',
  ssh_key_expiring_soon: 'SSH keys that expire soon',
  state_change: 'Items you closed or merged',
  subscribed: 'Repositories that you watch',
  team_mention: 'Your team is mentioned',
  transfer: 'Repositories transferred to you',
  unmergeable: 'Merge conflicts',
  update: 'Other news',
  your_activity: 'Items you took part in',
};

const keeps: Record<Keeps, string> = {
  here: 'What you read or archive is saved on this computer only',
  sent: 'Reading an item here marks it read there',
  both: 'Reading an item here marks it read there, and vice versa',
};

export const enSources = {
  kindName: ({ name, label }: Pick<ProtocolView, 'name' | 'label'>) => kinds[name]?.name ?? label,
  /** The type in a line beside an address. */
  kindShort: ({ name, label }: Pick<ProtocolView, 'name' | 'label'>) =>
    kinds[name]?.short ?? kinds[name]?.name ?? label,
  kindList: (all: readonly Pick<ProtocolView, 'name' | 'label'>[]) =>
    list(
      all.map(({ name, label }) => kinds[name]?.listed ?? label),
      'or',
    ),
  kindAddress: (protocol: string): string | undefined => kinds[protocol]?.address,
  sourceTopicsHint: 'Separated by commas: alerts,backups. A topic may contain letters A to Z, digits, - and _',
  kindToken: (protocol: string): string | undefined => kinds[protocol]?.token,
  kindClient: (protocol: string): string =>
    kinds[protocol]?.client ?? 'The ID of an application that you created at the service',
  kindKeeps: (read: Keeps) => keeps[read],
  kindBadge: 'New items count on the badge. Toasts are off at first',
  sourceReasons: (source: string) => `Show toasts from ${source} for`,
  reasonName: (action: string) => reasons[action] ?? action.replaceAll('_', ' '),
  /** The name of a switch: whether a reason makes toasts. */
  reasonToast: (reason: string) => `Toasts: ${reason}`,
  sourcesAdvanced: 'Proxy and certificates',
  sourceNotify: (name: string) => `Notifications from ${name}`,
  sourceNotifyMenu: 'Its notifications',
  otherPrograms: 'Other programs',
  otherProgramsHint: 'Keep their notifications, import their sources',
  desktopKeep: 'Keep notifications from other programs',
  desktopKeepHint:
    'Keeps the text of notifications that other programs show on this desktop, so that you can read last night’s in the morning. The text stays on this computer. Nothing is sent or downloaded',
  desktopOff:
    'No new notifications are kept. Earlier ones are still in the inbox; to delete them, remove the source above',
  desktopNobody:
    'No program has shown a notification since you turned this on. Programs that show one are listed here. Turn on those whose notifications you want to keep',
  desktopApps: 'Programs whose notifications are kept',
  desktopAppsHint:
    'If a program is off, only its name is stored. Volume, progress and other brief notices are never kept, and neither are those of Tidings',
  desktopApp: (name: string) => `Keep notifications of ${name}`,
  desktopRemove: 'Tidings stops keeping notifications of other programs and forgets which ones you chose.',
  desktopKept: (programs: number) =>
    programs === 0 ? 'No programs yet' : programs === 1 ? '1 program' : `${n(programs)} programs`,
  signInBrowser: 'Sign in with the browser',
  signInMay: 'If you sign in with the browser, Tidings may:',
  signInEnter: (host: string) =>
    `Open the page of ${host} and enter this code. Before you agree, check that the page shows the same code`,
  signInAgree: (host: string) => `Agree on the page of ${host} in the browser`,
  signInCode: 'Code',
  signInOpen: 'Open the page',
  signInStop: 'Stop',
  signInWaiting: 'Waiting until you agree on the page',
  client: 'Client ID',
  clientMissing: 'Enter the client ID first, or a token below',
  orToken: 'Or with a token',
  noise: 'Notification statistics',
  noiseLead: 'How much each source sends, and how much of it you read',
  noNoise: 'Nothing has arrived in the last 30 days',
  noiseTold: (items: number, percent: number) => {
    const read: Record<number, string> = {
      0: items === 1 ? 'not read' : 'none read',
      100: items === 1 ? 'read' : 'all read',
    };
    return `${n(items)} ${items === 1 ? 'notification' : 'notifications'}, ${read[percent] ?? `${percent}% read`}`;
  },
  noiseOf: (origin: string, source: string) => `${origin} of ${source}`,
  noiseMute: (name: string) => `Mute ${name}`,
  noiseUnmute: (name: string) => `Unmute ${name}`,
  noiseHint: (since: string) => `Since ${since}. Archived notifications count as read`,
  proxy: 'Proxy',
  proxyHint: 'For connections to other computers. Not used for this computer or for links in notifications',
  proxyDesktop: 'Same as the desktop',
  proxyNone: 'None',
  proxyThis: 'Custom',
  proxyAddress: 'Address of the proxy',
  proxyAddressMissing: 'Enter the address of a proxy, such as http://proxy.example:3128 or socks5://127.0.0.1:1080',
  proxyUser: 'User name',
  proxyPassword: 'Password',
  proxyPasswordKept: 'Leave empty to keep the saved password',
  proxySave: 'Use this proxy',
  proxySet: (choice: 'desktop' | 'none' | 'this', address: string) =>
    ({
      desktop: 'The desktop’s proxy is used from now on',
      none: 'No proxy is used from now on',
      this: `${address} is used from now on`,
    })[choice],
  certificates: 'Certificates',
  certificateAddress: 'Certificate for',
  certificateHint:
    'Enter the address of a server that this computer does not trust, such as one at work or at home, or that asks for a client certificate. A certificate is used for that address only. The key of a client certificate is kept in the keyring',
  certificateAddressMissing: 'Enter the address of a server, such as https://git.example:8443',
  certificateAuthority: 'Certificate authority…',
  certificateClient: 'Client certificate…',
  certificateAbout: (client: boolean, issuer: string | null, until: string, valid: boolean) => {
    const what = client ? 'Client certificate' : 'Certificate authority';
    const end = valid ? `Valid until ${until}` : `Expired or not valid yet. Its last day is ${until}`;
    return `${what}, ${issuer === null ? 'self-signed' : `signed by ${issuer}`}. ${end}`;
  },
  certificateRemove: (subject: string, origin: string) => `Remove ${subject} for ${origin}`,
  certificateRemoved: (subject: string, origin: string) => `${subject} removed for ${origin}`,
  importAndExport: 'Import and export',
  importOnly: 'Import',
  importRow: 'Import sources',
  importHint: 'From Gitify, gotify-tray, ntfy’s client.yml, or a list of feeds (OPML)',
  importMenu: 'Import…',
  importCommand: 'Import sources…',
  importFrom: (file: string) => `Import from ${file}`,
  importEmpty: 'This file has no sources',
  importIntro: 'Each source is tested before it is added',
  importAll: (count: number) => `All ${n(count)}`,
  importPrivate: 'On this computer or its network: tested only if you select it',
  importKnown: (name: string) => `Already added, as “${name}”`,
  importToken: (name: string) => `Token for ${name}`,
  importTokenMissing: 'The file has no readable token',
  importAsking: 'Testing',
  importAdded: (name: string) => `Added as “${name}”`,
  importAdd: (count: number) => (count > 0 ? `Add ${n(count)}` : 'Add'),
  importDone: (added: number, refused: number) =>
    refused > 0 ? `${n(added)} added, ${n(refused)} not added` : `${n(added)} added`,
  importLeftOut: (names: readonly string[], more: number) =>
    `Skipped (not a source): ${list(more > 0 ? [...names, `${n(more)} more`] : names, 'and')}`,
  exportFeeds: 'Export feeds',
  exportFeedsHint: 'A list (OPML) for other feed readers',
  sentences: (all: readonly string[]) => all.join('. '),
};
