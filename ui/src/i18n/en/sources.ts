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
    token: 'Whoever runs the server makes one that may read the inbox',
  },
  ntfy: {
    address:
      'The server and its topics, with commas between them: ntfy.sh/alerts,backups. A topic has the letters A to Z, digits, - and _',
    token: 'A token, or user:password. Empty for topics that everyone may read',
  },
  gotify: {
    address: 'The server, as in a browser',
    token: 'That of a client, made under Clients in Gotify. One of an application may not read',
  },
  github: {
    address: 'github.com’s API. For GitHub Enterprise https://HOST/api/v3',
    token:
      'A classic token from Settings, Developer settings on GitHub, with the right “notifications”, and “repo” for what private repositories say. Fine-grained tokens may not read notifications',
    client:
      'That of an OAuth app of your own: Settings, Developer settings, OAuth Apps, New OAuth app, with “Enable Device Flow”. Its addresses may be any, and its secret is not needed',
  },
  forgejo: {
    address: 'The server, as in a browser; Forgejo or Gitea',
    token:
      'From Settings, Applications, with the rights to read the user, to read and write notifications, and to read issues and repositories',
  },
  gitlab: {
    address: 'The server, as in a browser',
    token: 'A personal access token from Preferences, with the right “api”. With “read_api” nothing is marked there',
    client:
      'That of an application of your own: Preferences, Applications, Add new application, without “Confidential”, with the right “read_api”, or “api” to mark there too. Its redirect address may be any',
  },
  mastodon: {
    address: 'The server of your account; also of programs with the same API',
    token: 'From Preferences, Development, New application, with the rights “read:accounts” and “read:notifications”',
  },
  feed: {
    name: 'Feed (RSS, Atom, JSON)',
    listed: 'a feed',
    address: 'Of a feed (RSS, Atom, JSON Feed), or of a page that names its feed',
  },
  desktop: { name: 'Other programs' },
};

/** The reasons for which forges notify, by action. */
const reasons: Record<string, string> = {
  added_approver: 'You became an approver',
  approval_requested: 'Your approval is asked for',
  approval_required: 'Your approval is asked for',
  assign: 'Something is assigned to you',
  assigned: 'Something is assigned to you',
  author: 'News of what you opened',
  build_failed: 'Failed pipelines',
  ci_activity: 'Checks and workflows',
  comment: 'Comments',
  directly_addressed: 'You are addressed',
  invitation: 'Invitations',
  manual: 'What you follow',
  marked: 'What you added yourself',
  member_access_requested: 'Requests for access',
  member_feature_requested: 'Requests of members',
  mention: 'You are mentioned',
  mentioned: 'You are mentioned',
  merge_train_removed: 'What left the merge train',
  okr_checkin_requested: 'Requests for a check-in',
  release: 'Releases',
  review_requested: 'Your review is requested',
  review_submitted: 'Reviews',
  security_advisory_credit: 'Credits for advisories',
  security_alert: 'Security alerts',
  ssh_key_expired: 'Expired SSH keys',
  ssh_key_expiring_soon: 'SSH keys that expire soon',
  state_change: 'What you closed or merged',
  subscribed: 'Repositories that you watch',
  team_mention: 'Your team is mentioned',
  transfer: 'Repositories transferred to you',
  unmergeable: 'What can’t be merged',
  update: 'Other news',
  your_activity: 'What you took part in',
};

const keeps: Record<Keeps, string> = {
  here: 'What is read or archived is kept on this computer only',
  sent: 'What is read here is read there',
  both: 'What is read here is read there, and the other way round',
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
    kinds[protocol]?.client ?? 'That of an application of your own, made at the service',
  kindKeeps: (read: Keeps) => keeps[read],
  kindBadge: 'New ones count on the badge and make no toasts, unless you choose so',
  sourceReasons: (source: string) => `What of ${source} makes toasts`,
  reasonName: (action: string) => reasons[action] ?? action.replaceAll('_', ' '),
  /** The name of a switch: whether a reason makes toasts. */
  reasonToast: (reason: string) => `Toasts: ${reason}`,
  sourcesAdvanced: 'Proxy and certificates',
  sourceNotify: (name: string) => `Notifications from ${name}`,
  sourceNotifyMenu: 'Its notifications',
  otherPrograms: 'Other programs',
  otherProgramsHint: 'Keep their notifications, import their sources',
  desktop: 'Other programs on this computer',
  desktopKeep: 'Keep what other programs tell',
  desktopKeepHint:
    'The notifications that they show on this desktop, as text, so that those of the night are found in the morning. It stays on this computer: nothing of it is sent, and nothing is fetched for it',
  desktopOff: 'Nothing is kept now. What was kept is still in the inbox; to forget it, remove the source above',
  desktopNobody:
    'No program has shown a notification since this was switched on. Each one that does is listed here, and kept once you switch it on',
  desktopApps: 'Programs that are kept',
  desktopAppsHint:
    'Of a program that is off nothing but its name is known. Volume, progress and other notices of the moment are never kept, nor are those of Tidings',
  desktopApp: (name: string) => `Keep what ${name} tells`,
  desktopRemove: 'Nothing more is kept of what other programs tell, and which ones were chosen is forgotten.',
  desktopKept: (programs: number) =>
    programs === 0 ? 'No program yet' : programs === 1 ? '1 program' : `${n(programs)} programs`,
  signInBrowser: 'Sign in with the browser',
  signInMay: 'Signed in with the browser, Tidings may',
  signInEnter: (host: string) => `Open the page of ${host} and enter this code. Compare it there before you agree`,
  signInAgree: (host: string) => `Agree on the page of ${host} that was opened in the browser`,
  signInCode: 'Code',
  signInOpen: 'Open the page',
  signInStop: 'Stop',
  signInWaiting: 'Waiting until you agree on the page',
  client: 'Client ID',
  clientMissing: 'Write the client ID first, or a token below',
  orToken: 'Or with a token',
  noise: 'Noise report',
  noiseLead: 'How much each source sends, and how much of it you read',
  noNoise: 'Nothing has arrived in the last 30 days',
  noiseTold: (items: number, percent: number) =>
    `${n(items)} ${items === 1 ? 'notification' : 'notifications'}, ${percent} % read`,
  noiseOf: (origin: string, source: string) => `${origin} of ${source}`,
  noiseMute: (name: string) => `Mute ${name}`,
  noiseUnmute: (name: string) => `Unmute ${name}`,
  noiseMuted: (name: string) => `What comes from ${name} is muted from now on, by a rule`,
  noiseUnmuted: (name: string) => `Notifications from ${name} are on again`,
  noiseHint: (since: string) => `Since ${since}. What is read or archived counts as read`,
  proxy: 'Proxy',
  proxyRow: 'Proxy',
  proxyHint:
    'Through which other machines are reached. This computer itself, and what notifications link to, are reached without one',
  proxyDesktop: 'As the desktop says',
  proxyNone: 'None',
  proxyThis: 'This one',
  proxyAddress: 'Address of the proxy',
  proxyAddressMissing: 'Enter the address of a proxy, such as http://proxy.example:3128 or socks5://127.0.0.1:1080',
  proxyUser: 'User',
  proxyPassword: 'Password',
  proxyPasswordKept: 'One is kept. Leave it empty to go on with it',
  proxySave: 'Use this proxy',
  proxySet: (choice: 'desktop' | 'none' | 'this', address: string) =>
    ({
      desktop: 'The proxy that the desktop says is used from now on',
      none: 'No proxy is used from now on',
      this: `${address} is used from now on`,
    })[choice],
  certificates: 'Certificates',
  certificateAddress: 'Certificate for',
  certificateHint:
    'The address of a server that this computer does not trust, as in a company or at home, or that wants a client certificate. What is added is used for that address alone; the key of a client certificate is kept in the keyring',
  certificateAddressMissing: 'Enter the address of a server, such as https://git.example:8443',
  certificateAuthority: 'Authority…',
  certificateClient: 'Client certificate…',
  certificateAbout: (client: boolean, issuer: string | null, until: string, valid: boolean) => {
    const what = client ? 'Client certificate' : 'Authority';
    const end = valid ? `Valid until ${until}` : `Expired or not valid yet: its time ends on ${until}`;
    return `${what}, signed by ${issuer ?? 'itself'}. ${end}`;
  },
  certificateRemove: (subject: string, origin: string) => `Remove ${subject} for ${origin}`,
  certificateRemoved: (subject: string, origin: string) => `${subject} removed for ${origin}`,
  importAndExport: 'Import and export',
  importRow: 'Import sources',
  importHint: 'From Gitify, gotify-tray, ntfy’s client.yml, or a list of feeds (OPML)',
  importMenu: 'Import…',
  importCommand: 'Import sources…',
  importFrom: (file: string) => `Import from ${file}`,
  importEmpty: 'There is no source in this file',
  importIntro: 'Each is asked before it is added',
  importAll: (count: number) => `All ${n(count)}`,
  importPrivate: 'On this computer or its network: asked only if you choose it',
  importKnown: (name: string) => `Here already, as ${name}`,
  importToken: (name: string) => `Token for ${name}`,
  importTokenMissing: 'The file has none that can be read',
  importAsking: 'Asking',
  importAdded: (name: string) => `Added as ${name}`,
  importAdd: (count: number) => (count > 0 ? `Add ${n(count)}` : 'Add'),
  importDone: (added: number, refused: number) =>
    refused > 0 ? `${n(added)} added, ${n(refused)} not` : `${n(added)} added`,
  importLeftOut: (names: readonly string[], more: number) =>
    `Can’t be a source: ${list(more > 0 ? [...names, `${n(more)} more`] : names, 'and')}`,
  exportFeeds: 'Export feeds',
  exportFeedsHint: 'A list (OPML) that other readers take',
  sentences: (all: readonly string[]) => all.join('. '),
};
