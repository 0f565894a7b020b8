// The English texts of the settings of topics.
import type { SigningSender } from '../../generated/SigningSender';
import type { TriedBy } from '../../generated/TriedBy';

const senders: Record<SigningSender, string> = {
  forgejo: 'Forgejo or Gitea',
  github: 'GitHub',
  gitlab: 'GitLab',
  grafana: 'Grafana',
  sentry: 'Sentry',
};
const triedBy: Record<TriedBy, string> = {
  sender: 'Known sender: the template is not used',
  template: 'By the template',
  json: 'As it arrived: no template fits',
};

export const enTopics = {
  topics: 'Topics',
  topicsLead: 'A name, an icon and a priority for each topic',
  topicAdvanced: 'Who may publish and read, template, secrets',
  addTopic: 'Add topic…',
  noTopics: 'No topics with settings',
  noTopicsHint:
    'You can publish to any topic. Settings give a topic a name, an icon or a template, or limit who may publish and read',
  topicMenu: (name: string) => `More for ${name}`,
  topicParts: (parts: readonly string[]) => parts.join(' · '),
  topicFloor: (priority: string) => `At least ${priority}`,
  topicHasTemplate: 'Template',
  topicLimited: (users: readonly string[]) =>
    users.length === 0 ? 'Published by nobody' : `Published by ${users.join(', ')} only`,
  topicReaders: (users: readonly string[]) =>
    users.length === 0 ? 'Read by nobody' : `Read by ${users.join(', ')} only`,
  topicSigned: (names: readonly string[]) => `Signed by ${names.join(', ')}`,
  newTopic: 'New topic',
  editTopic: (name: string) => `Edit ${name}`,
  topicInvalid: 'A topic has 1 to 64 characters: the letters A to Z and a to z, digits, - and _',
  topicNameHint: 'Leave empty to use the name of the topic',
  topicIcon: 'Address of an icon',
  topicIconHint: 'For notifications without an icon',
  priorityFloor: 'Lowest priority',
  noFloor: 'Unchanged',
  topicExpect: 'Expect a notification at least every',
  topicExpectHint: 'If none comes in that time, a notification says so. Leave empty to expect none',
  topicExpects: (time: string) => `Expected every ${time}`,
  shortTime: (n: number, unit: 86_400 | 3_600 | 60 | 1) =>
    `${n} ${{ 86400: n === 1 ? 'day' : 'days', 3600: 'h', 60: 'min', 1: 's' }[unit]}`,
  whoPublishes: 'Who may publish',
  anybodyPublishes: 'Everyone who may publish',
  namedPublish: 'Only these users',
  publishers: 'User names of publishers',
  publishersHint: (owner: string | null) =>
    owner === null
      ? 'Separate user names with spaces. Programs without a token are refused'
      : `Separate user names with spaces. Tokens created in these settings belong to “${owner}”; programs without one are refused`,
  whoReads: 'Who may read',
  allRead: 'All users of the server',
  readers: 'User names of readers',
  readersHint: (owner: string | null) =>
    owner === null
      ? 'Separate user names with spaces. New notifications reach nobody else; earlier ones stay where they are'
      : `Separate user names with spaces. New notifications reach nobody else; your inbox here belongs to “${owner}”`,
  publishersMissing: 'Enter at least one user name',
  topicSaved: (name: string) => `${name} saved`,
  topicRemoveTitle: (name: string) => `Remove the settings of ${name}?`,
  topicRemoveText:
    'Its name, template and secrets are deleted, and the requests that are kept for it. What was published stays, and you can still publish to the topic.',
  topicRemoved: (name: string) => `Settings of ${name} removed`,

  // the template
  template: 'Template',
  templateHint:
    'Write it in Jinja, for webhooks of unknown senders. The fields of a request are its variables. It can set title, url, priority, tags, thread and resolved of the notification',
  templateTrial: 'With the last requests',
  tryAgain: 'Check for new requests',
  triedCount: (count: number) => (count === 1 ? '1 request tried' : `${count} requests tried`),
  noPayloads: 'No request has arrived yet. Send one with this line:',
  payloadsOf: 'Enter the topic above to try the template with its requests',
  staleTrial: 'This is the result from before the error',
  unknownSender: 'Unknown sender',
  triedBy: (by: TriedBy) => triedBy[by],
  triedError: (why: string) => `The template failed: ${why}`,
  triedResolves: 'Marks it as read',
  triedMore: (count: number) => (count === 1 ? 'and 1 more' : `and ${count} more`),
  triedPayloads: 'How the last requests would look',

  // secrets
  secrets: 'Secrets of webhooks',
  secretsHint:
    'If a secret is set, the topic accepts only webhooks that are signed with it. A secret is never shown again',
  signingSender: (sender: SigningSender) => senders[sender],
  secretOf: (sender: SigningSender) => `Secret of ${senders[sender]}`,
  secretSet: 'Set',
  secretGoes: 'Removed when you save',
  secretReplaced: 'Replaces the current secret',
  addSecret: 'Add a secret for',
  addSecretNone: 'Choose a sender',
  replaceSecret: 'Replace',
  replaceSecretOf: (sender: SigningSender) => `Replace the secret of ${senders[sender]}`,
  removeSecretOf: (sender: SigningSender) => `Remove the secret of ${senders[sender]}`,
  keepSecret: 'Keep',
  keepSecretOf: (sender: SigningSender) => `Keep the secret of ${senders[sender]}`,
  secretMissing: 'Enter the secret, or keep the current one',
};
