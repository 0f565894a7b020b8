// The Simplified Chinese texts about kinds of sources, by protocol, and about how much sources tell.
import type { Keeps } from '../../generated/Keeps';
import type { enSources, KindTexts } from '../en/sources';
import { list, n } from './phrases';

const kinds: Record<string, KindTexts> = {
  tidings: {
    name: 'Tidings 服务器',
    token: '由运行服务器的人创建，需要可以读取收件箱',
  },
  ntfy: {
    address: '服务器和主题，多个主题用逗号隔开：ntfy.sh/alerts,backups。主题由英文字母、数字、- 和 _ 组成',
    token: '令牌，或 用户名:密码。所有人都能读的主题留空',
  },
  gotify: {
    address: '浏览器中打开的服务器地址',
    token: '客户端的令牌，在 Gotify 的“客户端”中创建。应用的令牌不能读取',
  },
  github: {
    address: 'github.com 的 API。GitHub Enterprise 用 https://主机/api/v3',
    token:
      '在 GitHub 的设置、开发者设置中创建的经典令牌，需要“notifications”权限；要看私有仓库的内容还需要“repo”。细粒度令牌不能读取通知',
    client:
      '你自己的 OAuth 应用的 ID：在设置、开发者设置、OAuth 应用中新建，并启用“Device Flow”。地址可以任意填写，不需要它的密钥',
  },
  forgejo: {
    address: '浏览器中打开的服务器地址；Forgejo 或 Gitea',
    token: '在设置、应用中创建，需要读取用户、读写通知、读取工单和仓库的权限',
  },
  gitlab: {
    address: '浏览器中打开的服务器地址',
    token: '在偏好设置中创建的个人访问令牌，需要“api”权限。只有“read_api”时，那里不会有标记',
    client:
      '你自己的应用的 ID：在偏好设置、应用程序中新建，不勾选“机密”，权限选“read_api”；要在那里标记则选“api”。重定向地址可以任意填写',
  },
  mastodon: {
    address: '你的账号所在的服务器；API 相同的程序也可以',
    token: '在偏好设置、开发、新建应用中创建，需要“read:accounts”和“read:notifications”权限',
  },
  feed: {
    name: '订阅源（RSS、Atom、JSON）',
    address: '订阅源（RSS、Atom、JSON Feed）的地址，或标明了订阅源的网页地址',
  },
  desktop: { name: '其他程序' },
};

const reasons: Record<string, string> = {
  added_approver: '你成为批准人',
  approval_requested: '请你批准',
  approval_required: '请你批准',
  assign: '分配给你',
  assigned: '分配给你',
  author: '你发起的内容有更新',
  build_failed: '流水线失败',
  ci_activity: '检查和工作流',
  comment: '评论',
  directly_addressed: '直接提到你',
  invitation: '邀请',
  manual: '你关注的内容',
  marked: '你自己添加的待办',
  member_access_requested: '访问请求',
  member_feature_requested: '成员的请求',
  mention: '提到你',
  mentioned: '提到你',
  merge_train_removed: '移出合并队列',
  okr_checkin_requested: '请你更新进展',
  release: '发布',
  review_requested: '请你评审',
  review_submitted: '评审',
  security_advisory_credit: '安全通告致谢',
  security_alert: '安全警报',
  ssh_key_expired: 'SSH 密钥已过期',
  ssh_key_expiring_soon: 'SSH 密钥即将过期',
  state_change: '你关闭或合并的内容',
  subscribed: '你关注的仓库',
  team_mention: '提到你的团队',
  transfer: '转让给你的仓库',
  unmergeable: '无法合并',
  update: '其他更新',
  your_activity: '你参与过的内容',
};

const keeps: Record<Keeps, string> = {
  here: '已读和归档只保存在本机',
  sent: '在这里标为已读，那里也是已读',
  both: '已读状态两边一致',
};

export const zhSources: typeof enSources = {
  kindName: ({ name, label }) => kinds[name]?.name ?? label,
  kindList: (all) =>
    list(
      all.map(({ name, label }) => kinds[name]?.listed ?? kinds[name]?.name ?? label),
      ' 或 ',
    ),
  kindAddress: (protocol) => kinds[protocol]?.address,
  kindToken: (protocol) => kinds[protocol]?.token,
  kindClient: (protocol) => kinds[protocol]?.client ?? '你自己的应用的 ID，在该服务中创建',
  kindKeeps: (read) => keeps[read],
  kindBadge: '新内容只计入角标，不弹窗，可以更改',
  sourceReasons: (source) => `${source} 的哪些内容弹窗`,
  reasonName: (action) => reasons[action] ?? action.replaceAll('_', ' '),
  reasonToast: (reason) => `弹窗：${reason}`,
  sourcesAdvanced: '代理和证书',
  sourceNotify: (name) => `“${name}”的通知`,
  sourceNotifyMenu: '它的通知',
  otherPrograms: '其他程序',
  otherProgramsHint: '保留它们的通知，导入它们的来源',
  desktop: '本机的其他程序',
  desktopKeep: '保留其他程序的通知',
  desktopKeepHint:
    '它们在这个桌面上显示的通知，以文字保留，夜里的通知早上也能找到。内容只留在本机：不会发送，也不会为它获取任何东西',
  desktopOff: '现在什么都不保留。已保留的仍在收件箱中；要清除，移除上面的来源',
  desktopNobody: '打开以来还没有程序显示通知。显示过通知的程序会列在这里，由你打开后才保留',
  desktopApps: '保留哪些程序',
  desktopAppsHint: '关闭的程序只知道名称。音量、进度等一时的提示从不保留，Tidings 自己的通知也不保留',
  desktopApp: (name) => `保留 ${name} 的通知`,
  desktopRemove: '不再保留其他程序的通知，选择了哪些程序也会忘记。',
  desktopKept: (programs) => (programs === 0 ? '还没有程序' : `${n(programs)} 个程序`),
  signInBrowser: '用浏览器登录',
  signInMay: '用浏览器登录后，Tidings 可以',
  signInEnter: (host) => `打开 ${host} 的页面，输入这个代码。同意之前先核对代码`,
  signInAgree: (host) => `在浏览器打开的 ${host} 页面上同意`,
  signInCode: '代码',
  signInOpen: '打开页面',
  signInStop: '停止',
  signInWaiting: '正在等待你在页面上同意',
  client: '客户端 ID',
  clientMissing: '先写下客户端 ID，或在下面写下令牌',
  orToken: '或者使用令牌',
  noise: '通知数量',
  noiseLead: '各来源发来多少，你读了多少',
  noNoise: '最近 30 天没有收到通知',
  noiseTold: (items, percent) => `${n(items)} 条，已读 ${percent}%`,
  noiseOf: (origin, source) => `${source} 的 ${origin}`,
  noiseMute: (name) => `静音：${name}`,
  noiseUnmute: (name) => `取消静音：${name}`,
  noiseMuted: (name) => `从现在起，来自“${name}”的内容由一条规则静音`,
  noiseUnmuted: (name) => `来自“${name}”的内容会再次提醒`,
  noiseHint: (since) => `从${since}起。已读或已归档都算已读`,
  proxy: '代理',
  proxyRow: '代理',
  proxyHint: '经由它访问其他机器。这台电脑本身，以及通知中的链接，都不经过代理',
  proxyDesktop: '按桌面设置',
  proxyNone: '不使用',
  proxyThis: '使用这个',
  proxyAddress: '代理的地址',
  proxyAddressMissing: '填写代理的地址，例如 http://proxy.example:3128 或 socks5://127.0.0.1:1080',
  proxyUser: '用户',
  proxyPassword: '密码',
  proxyPasswordKept: '已保存密码。留空则继续使用',
  proxySave: '使用这个代理',
  proxySet: (choice, address) =>
    ({
      desktop: '从现在起按桌面设置使用代理',
      none: '从现在起不使用代理',
      this: `从现在起使用 ${address}`,
    })[choice],
  certificates: '证书',
  certificateAddress: '证书用于',
  certificateHint:
    '这台电脑不信任的服务器的地址，例如公司或家里的，或要求客户端证书的。添加的证书只用于这个地址；客户端证书的私钥保存在密钥环中',
  certificateAddressMissing: '填写服务器的地址，例如 https://git.example:8443',
  certificateAuthority: '签发机构…',
  certificateClient: '客户端证书…',
  certificateAbout: (client, issuer, until, valid) => {
    const what = client ? '客户端证书' : '签发机构';
    const end = valid ? `有效期至 ${until}` : `已过期或尚未生效，有效期至 ${until}`;
    return `${what}，由${issuer === null ? '自己' : ` ${issuer} `}签发。${end}`;
  },
  certificateRemove: (subject, origin) => `移除 ${origin} 的 ${subject}`,
  certificateRemoved: (subject, origin) => `已移除 ${origin} 的 ${subject}`,
  importAndExport: '导入和导出',
  importRow: '导入来源',
  importHint: '来自 Gitify、gotify-tray、ntfy 的 client.yml，或订阅列表（OPML）',
  importMenu: '导入…',
  importCommand: '导入来源…',
  importFrom: (file) => `从 ${file} 导入`,
  importEmpty: '这个文件里没有来源',
  importIntro: '每个来源都先询问，再添加',
  importAll: (count) => `全部 ${n(count)} 个`,
  importPrivate: '在这台电脑或其网络上：只有选中才会询问',
  importKnown: (name) => `已经有了，名为 ${name}`,
  importToken: (name) => `${name} 的令牌`,
  importTokenMissing: '文件里没有可以读取的令牌',
  importAsking: '正在询问',
  importAdded: (name) => `已添加，名为 ${name}`,
  importAdd: (count) => (count > 0 ? `添加 ${n(count)} 个` : '添加'),
  importDone: (added, refused) =>
    refused > 0 ? `已添加 ${n(added)} 个，${n(refused)} 个未添加` : `已添加 ${n(added)} 个`,
  importLeftOut: (names, more) =>
    `不能作为来源：${names.join('、')}${more > 0 ? `${names.length > 0 ? '，' : ''}另有 ${n(more)} 项` : ''}`,
  exportFeeds: '导出订阅源',
  exportFeedsHint: '其他阅读器可以导入的列表（OPML）',
  sentences: (all) => all.join('。'),
};
