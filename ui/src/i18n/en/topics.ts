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
  sender: 'Its form is known: the template is not asked',
  template: 'By the template',
  json: 'As it came: no template fits',
};

export const enTopics = {
  topics: 'Topics',
  topicsLead: 'A name, an icon and a priority for each topic',
  topicAdvanced: 'Who may publish and read, template, secrets',
  addTopic: 'Add topic…',
  noTopics: 'None with settings',
  noTopicsHint:
    'Any topic can be published to. Settings give one a name, an icon, a template, or say who may publish and read',
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
  topicNameHint: 'Empty: the topic’s own',
  topicIcon: 'Address of an icon',
  topicIconHint: 'For what has none',
  priorityFloor: 'Lowest priority of what comes',
  noFloor: 'As it comes',
  whoPublishes: 'Who may publish',
  anybodyPublishes: 'Whoever may publish at all',
  namedPublish: 'Only these users',
  publishers: 'Ids of the users',
  publishersHint: (owner: string | null) =>
    owner === null
      ? 'With spaces between them. Programs without a token are refused'
      : `With spaces between them. Tokens made in these settings are of “${owner}”; programs without one are refused`,
  whoReads: 'Who may read',
  allRead: 'All users of the server',
  readers: 'Ids of the readers',
  readersHint: (owner: string | null) =>
    owner === null
      ? 'With spaces between them. What comes from then on reaches nobody else, and what is there stays where it is'
      : `With spaces between them. What comes from then on reaches nobody else; your inbox here is that of “${owner}”`,
  publishersMissing: 'Name at least one user',
  topicSaved: (name: string) => `${name} saved`,
  topicRemoveTitle: (name: string) => `Remove the settings of ${name}?`,
  topicRemoveText:
    'Its name, template and secrets are forgotten, and so are the payloads that are kept for it. What was published stays, and the topic can still be published to.',
  topicRemoved: (name: string) => `Settings of ${name} removed`,

  // the template
  template: 'Template',
  templateHint:
    'In Jinja, for webhooks without a known form: members of the payload are variables. What it sets as title, url, priority, tags, thread and resolved becomes that',
  templateTrial: 'On the last payloads',
  tryAgain: 'Look for new payloads',
  triedCount: (count: number) => (count === 1 ? '1 payload tried' : `${count} payloads tried`),
  noPayloads: 'No payload has come yet. This line sends one:',
  payloadsOf: 'Name the topic above; then the template is tried on what came for it',
  staleTrial: 'This is how they arrived before the error',
  unknownSender: 'Unknown sender',
  triedBy: (by: TriedBy) => triedBy[by],
  triedError: (why: string) => `The template failed: ${why}`,
  triedResolves: 'Marks it as read',
  triedMore: (count: number) => (count === 1 ? 'and 1 more' : `and ${count} more`),
  triedPayloads: 'How the last payloads would arrive',

  // secrets
  secrets: 'Secrets of webhooks',
  secretsHint: 'With one, the topic takes only webhooks that are signed with it. A secret is never shown again',
  signingSender: (sender: SigningSender) => senders[sender],
  secretOf: (sender: SigningSender) => `Secret of ${senders[sender]}`,
  secretSet: 'Is set',
  secretGoes: 'Is removed when you save',
  secretReplaced: 'Replaces the one that is set',
  addSecret: 'Add a secret for',
  addSecretNone: 'Choose',
  replaceSecret: 'Replace',
  replaceSecretOf: (sender: SigningSender) => `Replace the secret of ${senders[sender]}`,
  removeSecretOf: (sender: SigningSender) => `Remove the secret of ${senders[sender]}`,
  keepSecret: 'Leave as it is',
  keepSecretOf: (sender: SigningSender) => `Leave the secret of ${senders[sender]} as it is`,
  secretMissing: 'Enter the secret, or leave it as it is',
};
