// The protocols of the scripted program: one with each kind of credential, and one with an address of its own.
import type { Abilities } from '../../generated/Abilities';
import type { ProtocolView } from '../../generated/ProtocolView';

const LOCAL: Abilities = {
  live: false,
  history: true,
  read: 'here',
  archive: 'here',
  delete: false,
  reply: false,
  publish_bytes: null,
  follow: false,
  details: false,
  groups: false,
  poll_seconds: 0,
};
const protocol = (name: string, label: string, example: string, more: Partial<ProtocolView> = {}): ProtocolView => ({
  name,
  label,
  default_url: null,
  example,
  credential: 'token',
  sign_in: null,
  abilities: LOCAL,
  notify: 'toast',
  reasons: [],
  ...more,
});

export const PROTOCOLS: readonly ProtocolView[] = [
  protocol('tidings', 'Tidings', 'tidings.example.org', {
    abilities: { ...LOCAL, live: true, read: 'both', archive: 'both', delete: true, reply: true, groups: true },
  }),
  protocol('ntfy', 'ntfy', 'ntfy.sh/alerts', {
    credential: 'optional',
    abilities: { ...LOCAL, live: true, publish_bytes: 4096 },
  }),
  protocol('gotify', 'Gotify', 'gotify.example.org', { abilities: { ...LOCAL, live: true, delete: true } }),
  protocol('github', 'GitHub', 'api.github.com', {
    default_url: 'https://api.github.com',
    sign_in: {
      needs_client: true,
      rights: [{ en: 'read your notifications', zh: '读取你的通知' }],
      more: { en: 'Also show content from private repositories', zh: '同时显示私有仓库的内容' },
    },
    abilities: { ...LOCAL, read: 'both', archive: 'sent', delete: true, follow: true, details: true, poll_seconds: 60 },
    reasons: [
      { action: 'review_requested', toast: true },
      { action: 'mention', toast: true },
      { action: 'ci_activity', toast: false },
      { action: 'subscribed', toast: false },
    ],
  }),
  protocol('mastodon', 'Mastodon', 'mastodon.example', {
    abilities: { ...LOCAL, live: true, poll_seconds: 120 },
    sign_in: { needs_client: false, rights: [{ en: 'see who you are', zh: '查看你的身份' }], more: null },
  }),
  protocol('feed', 'Feed', 'example.org/feed.xml', {
    credential: 'none',
    abilities: { ...LOCAL, poll_seconds: 1800 },
    notify: 'badge',
  }),
  protocol('desktop', 'Other programs', 'desktop:Mail', {
    default_url: 'desktop:',
    credential: 'none',
    abilities: { ...LOCAL, live: true, history: false },
    notify: 'badge',
  }),
];
