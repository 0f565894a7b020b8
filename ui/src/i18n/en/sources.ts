// The English texts about kinds of sources, by protocol, and about how much sources tell. A protocol without texts of its own has the general ones.
import type { Keeps } from '../../generated/Keeps';
import type { ProtocolView } from '../../generated/ProtocolView';
import { list, n } from './phrases';

/** What the form of a source says about a protocol, each part where the general text is not enough. */
export interface KindTexts {
  /** The kind, where the name of the service does not say what it is. */
  readonly name?: string;
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
    token: 'Ask whoever runs the server for one that may read the inbox',
  },
  ntfy: {
    address:
      'The server and its topics, separated by commas: ntfy.sh/alerts,backups. A topic has the letters A to Z, digits, - and _',
    token: 'A token, or user:password. Leave empty for topics that everyone may read',
  },
  gotify: {
    address: 'The server, as in a browser',
    token:
      'The token of a client, created under Clients in Gotify. The token of an application cannot read notifications',
  },
  github: {
    address: 'The API of github.com. For GitHub Enterprise, enter https://HOST/api/v3',
    token:
      'A classic token from Settings, Developer settings on GitHub, with the scope “notifications”. Add “repo” to show what private repositories say. Fine-grained tokens cannot read notifications',
    client:
      'The ID of your own OAuth app: open Settings, Developer settings, OAuth Apps, New OAuth app, and select “Enable Device Flow”. Enter any addresses. Its secret is not needed',
  },
  forgejo: {
    address: 'The server, as in a browser; Forgejo or Gitea',
    token:
      'A token from Settings, Applications. It must read the user, issues and repositories, and read and write notifications',
  },
  gitlab: {
    address: 'The server, as in a browser',
    token: 'A personal access token from Preferences, with the scope “api”. With “read_api”, nothing is marked there',
    client:
      'The ID of your own application: open Preferences, Applications, Add new application, and clear “Confidential”. Select the scope “read_api”, or “api” to mark there too. Enter any redirect address',
  },
  mastodon: {
    address: 'The server of your account, or of another program with the same API',
    token:
      'A token from Preferences, Development, New application, with the scopes “read:accounts” and “read:notifications”',
  },
  feed: {
    name: 'Feed (RSS, Atom, JSON)',
    listed: 'a feed',
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
  here: 'Read and archived items are remembered on this computer only',
  sent: 'Reading an item here marks it read there',
  both: 'Reading an item here marks it read there, and the other way round',
};

export const enSources = {
  kindName: ({ name, label }: Pick<ProtocolView, 'name' | 'label'>) => kinds[name]?.name ?? label,
  kindList: (all: readonly Pick<ProtocolView, 'name' | 'label'>[]) =>
    list(
      all.map(({ name, label }) => kinds[name]?.listed ?? label),
      'or',
    ),
  kindAddress: (protocol: string): string | undefined => kinds[protocol]?.address,
  kindToken: (protocol: string): string | undefined => kinds[protocol]?.token,
  kindClient: (protocol: string): string =>
    kinds[protocol]?.client ?? 'The ID of an application that you created at the service',
  kindKeeps: (read: Keeps) => keeps[read],
  kindBadge: 'New notifications count on the badge but show no toasts unless you turn them on',
  sourceReasons: (source: string) => `Show toasts from ${source} for`,
  reasonName: (action: string) => reasons[action] ?? action.replaceAll('_', ' '),
  /** The name of a switch: whether a reason makes toasts. */
  reasonToast: (reason: string) => `Toasts: ${reason}`,
  sourcesAdvanced: 'Proxy and certificates',
  sourceNotify: (name: string) => `Notifications from ${name}`,
  sourceNotifyMenu: 'Its notifications',
  otherPrograms: 'Other programs',
  otherProgramsHint: 'Keep their notifications, import their sources',
  desktop: 'Other programs on this computer',
  desktopKeep: 'Keep notifications of other programs',
  desktopKeepHint:
    'Tidings keeps the text of notifications that other programs show on this desktop, so that you can read those of the night in the morning. The text stays on this computer: nothing is sent, and nothing is fetched for it',
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
    programs === 0 ? 'No program yet' : programs === 1 ? '1 program' : `${n(programs)} programs`,
  signInBrowser: 'Sign in with the browser',
  signInMay: 'If you sign in with the browser, Tidings may',
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
  noise: 'Noise report',
  noiseLead: 'How much each source sends, and how much of it you read',
  noNoise: 'Nothing has arrived in the last 30 days',
  noiseTold: (items: number, percent: number) =>
    `${n(items)} ${items === 1 ? 'notification' : 'notifications'}, ${percent} % read`,
  noiseOf: (origin: string, source: string) => `${origin} of ${source}`,
  noiseMute: (name: string) => `Mute ${name}`,
  noiseUnmute: (name: string) => `Unmute ${name}`,
  noiseHint: (since: string) => `Since ${since}. Archived notifications count as read`,
  proxy: 'Proxy',
  proxyRow: 'Proxy',
  proxyHint: 'Used to reach other machines. This computer, and what notifications link to, are reached without it',
  proxyDesktop: 'Same as the desktop',
  proxyNone: 'None',
  proxyThis: 'This one',
  proxyAddress: 'Address of the proxy',
  proxyAddressMissing: 'Enter the address of a proxy, such as http://proxy.example:3128 or socks5://127.0.0.1:1080',
  proxyUser: 'User',
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
    'Enter the address of a server that this computer does not trust, or that asks for a client certificate. A certificate is used for that address only; the key of a client certificate is kept in the keyring',
  certificateAddressMissing: 'Enter the address of a server, such as https://git.example:8443',
  certificateAuthority: 'Authority…',
  certificateClient: 'Client certificate…',
  certificateAbout: (client: boolean, issuer: string | null, until: string, valid: boolean) => {
    const what = client ? 'Client certificate' : 'Authority';
    const end = valid ? `Valid until ${until}` : `Expired or not valid yet. Its last day is ${until}`;
    return `${what}, ${issuer === null ? 'self-signed' : `signed by ${issuer}`}. ${end}`;
  },
  certificateRemove: (subject: string, origin: string) => `Remove ${subject} for ${origin}`,
  certificateRemoved: (subject: string, origin: string) => `${subject} removed for ${origin}`,
  importAndExport: 'Import and export',
  importRow: 'Import sources',
  importHint: 'From Gitify, gotify-tray, ntfy’s client.yml, or a list of feeds (OPML)',
  importMenu: 'Import…',
  importCommand: 'Import sources…',
  importFrom: (file: string) => `Import from ${file}`,
  importEmpty: 'This file has no sources',
  importIntro: 'Each source is tested before it is added',
  importAll: (count: number) => `All ${n(count)}`,
  importPrivate: 'On this computer or its network: tested only if you select it',
  importKnown: (name: string) => `Already added, as ${name}`,
  importToken: (name: string) => `Token for ${name}`,
  importTokenMissing: 'The file has no readable token',
  importAsking: 'Testing',
  importAdded: (name: string) => `Added as ${name}`,
  importAdd: (count: number) => (count > 0 ? `Add ${n(count)}` : 'Add'),
  importDone: (added: number, refused: number) =>
    refused > 0 ? `${n(added)} added, ${n(refused)} not` : `${n(added)} added`,
  importLeftOut: (names: readonly string[], more: number) =>
    `Can’t be a source: ${list(more > 0 ? [...names, `${n(more)} more`] : names, 'and')}`,
  exportFeeds: 'Export feeds',
  exportFeedsHint: 'A list (OPML) for other feed readers',
  sentences: (all: readonly string[]) => all.join('. '),
};
