// The Simplified Chinese texts of the settings of topics.
import type { SigningSender } from '../../generated/SigningSender';
import type { TriedBy } from '../../generated/TriedBy';
import type { enTopics } from '../en/topics';

const senders: Record<SigningSender, string> = {
  forgejo: 'Forgejo 或 Gitea',
  github: 'GitHub',
  gitlab: 'GitLab',
  grafana: 'Grafana',
  sentry: 'Sentry',
};
const triedBy: Record<TriedBy, string> = {
  sender: '格式已知，不用模板',
  template: '由模板生成',
  json: '原样显示：没有合适的模板',
};

export const zhTopics: typeof enTopics = {
  topics: '主题',
  topicsLead: '为每个主题设置名称、图标和优先级',
  topicAdvanced: '谁可以发布和阅读、模板、密钥',
  addTopic: '添加主题…',
  noTopics: '还没有设置过的主题',
  noTopicsHint: '任何主题都可以发布。设置可以给主题名称、图标和模板，或规定谁可以发布、谁可以阅读',
  topicMenu: (name) => `${name} 的更多操作`,
  topicParts: (parts) => parts.join(' · '),
  topicFloor: (priority) => `至少为${priority}`,
  topicHasTemplate: '模板',
  topicLimited: (users) => (users.length === 0 ? '谁也不能发布' : `只限 ${users.join('、')} 发布`),
  topicReaders: (users) => (users.length === 0 ? '谁也不能阅读' : `只限 ${users.join('、')} 阅读`),
  topicSigned: (names) => `需要 ${names.join('、')} 的签名`,
  newTopic: '新主题',
  editTopic: (name) => `编辑 ${name}`,
  topicInvalid: '主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _',
  topicNameHint: '留空则用主题自己的名字',
  topicIcon: '图标的地址',
  topicIconHint: '用于没有图标的通知',
  priorityFloor: '最低优先级',
  noFloor: '不改变',
  whoPublishes: '谁可以发布',
  anybodyPublishes: '所有可以发布的人',
  namedPublish: '只限这些用户',
  publishers: '用户的 ID',
  publishersHint: (owner) =>
    owner === null
      ? '用空格分隔。没有令牌的程序会被拒绝'
      : `用空格分隔。在设置中新建的令牌属于“${owner}”；没有令牌的程序会被拒绝`,
  whoReads: '谁可以阅读',
  allRead: '服务的所有用户',
  readers: '可以阅读的用户的 ID',
  readersHint: (owner) =>
    owner === null
      ? '用空格分隔。此后的内容只到这些用户；已有的内容不变'
      : `用空格分隔。此后的内容只到这些用户；你在这里的收件箱属于“${owner}”`,
  publishersMissing: '至少写一个用户',
  topicSaved: (name) => `已保存 ${name}`,
  topicRemoveTitle: (name) => `移除 ${name} 的设置？`,
  topicRemoveText: '它的名称、模板、密钥和保留的请求内容会被忘记。已发布的内容还在，也仍可以向这个主题发布。',
  topicRemoved: (name) => `已移除 ${name} 的设置`,

  // the template
  template: '模板',
  templateHint:
    '用 Jinja 书写，用于格式未知的 webhook：请求内容的成员就是变量。模板设置的 title、url、priority、tags、thread 和 resolved 会成为通知的相应部分',
  templateTrial: '用最近的请求内容试用',
  tryAgain: '查看新的请求内容',
  triedCount: (count) => `已试用 ${count} 个请求内容`,
  noPayloads: '还没有收到请求内容。这一行会发送一个：',
  payloadsOf: '先在上面写主题，然后模板会用它收到的内容试用',
  staleTrial: '这是出错之前的结果',
  unknownSender: '未知的发送者',
  triedBy: (by) => triedBy[by],
  triedError: (why) => `模板出错：${why}`,
  triedResolves: '会标为已读',
  triedMore: (count) => `另有 ${count} 条`,
  triedPayloads: '最近的请求内容会这样显示',

  // secrets
  secrets: 'Webhook 的密钥',
  secretsHint: '设置后，主题只接受用它签名的 webhook。密钥不会再显示',
  signingSender: (sender) => senders[sender],
  secretOf: (sender) => `${senders[sender]} 的密钥`,
  secretSet: '已设置',
  secretGoes: '保存时移除',
  secretReplaced: '代替已设置的密钥',
  addSecret: '添加密钥',
  addSecretNone: '选择',
  replaceSecret: '更换',
  replaceSecretOf: (sender) => `更换 ${senders[sender]} 的密钥`,
  removeSecretOf: (sender) => `移除 ${senders[sender]} 的密钥`,
  keepSecret: '保持不变',
  keepSecretOf: (sender) => `${senders[sender]} 的密钥保持不变`,
  secretMissing: '填写密钥，或保持不变',
};
