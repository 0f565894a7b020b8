// The English texts of the settings for publishers.
import type { PhoneApp } from '../../generated/PhoneApp';
import type { PublishTool } from '../../generated/PublishTool';
import { grouped as n } from '../numbers';

const tools: Record<PublishTool, { name: string; hint: string }> = {
  curl: { name: 'curl', hint: 'For a terminal or a script' },
  apprise: { name: 'Apprise', hint: 'Its address works in every program that uses Apprise' },
  ntfy: { name: 'ntfy', hint: 'The ntfy command' },
  gotify: { name: 'Gotify', hint: 'The Gotify command. It uses the token of an application' },
  systemd: { name: 'systemd', hint: 'A unit that other units name in OnFailure=' },
  cron: { name: 'cron', hint: 'A line for crontab -e' },
  shell: { name: 'Shell function', hint: 'For .bashrc or .zshrc. Notifies you when a long command ends' },
  powershell: { name: 'PowerShell', hint: 'For a terminal or a script' },
  github_actions: {
    name: 'GitHub Actions',
    hint: 'A workflow step. GitHub must be able to reach the address. Save the token as the secret TIDINGS',
  },
  home_assistant: { name: 'Home Assistant', hint: 'For configuration.yaml' },
  node_red: { name: 'Node-RED', hint: 'A flow to import from the clipboard' },
  alertmanager: { name: 'Alertmanager', hint: 'A receiver, for alertmanager.yml' },
  grafana: { name: 'Grafana', hint: 'A contact point, for a file in provisioning/alerting' },
};
const apps: Record<PhoneApp, string> = { ntfy: 'ntfy', gotify: 'Gotify' };

export const enPublish = {
  publish: 'Publish',
  publishLead: 'Commands for your tools, and QR codes for phones',
  topic: 'Topic',
  topicHint: 'Use letters A to Z, digits, - and _. All notifications of a topic form one thread',
  runsOn: 'The program runs on',
  runsHere: 'This computer',
  runsElsewhere: 'Another device',
  runsAddress: 'Address that the device can reach',
  tool: 'Tool',
  toolName: (tool: PublishTool) => tools[tool].name,
  toolHint: (tool: PublishTool) => tools[tool].hint,
  applicationToken: 'Token of the application',
  tokenNeeded: 'Create or enter a token. It is forgotten when you leave this page',
  tokenNotNeeded: 'Not needed on this computer',
  makePublisherToken: 'Create token…',
  makeApplication: 'Create application…',
  newApplication: 'New application',
  applicationNameHint: 'Its notifications show this name',
  publisherMade: (name: string) => `The line contains the token for ${name}. It is shown only once`,
  lineOf: (tool: string) => `Line for ${tool}`,
  showToken: 'Show token',
  hideToken: 'Hide token',
  sendTest: 'Send a test',
  testSent: 'Test sent. It appears in the inbox in a moment',
  testNeedsToken: 'Create a token first',
  othersShutOut: 'Other devices are not allowed',
  othersShutOutMenu: 'Allow…',
  othersShutOutHint: 'If you allow them, they can publish and read with a token',
  phoneApps: 'Phone apps',
  phoneApp: (app: PhoneApp) => apps[app],
  phoneHint: (app: PhoneApp): string =>
    app === 'ntfy' ? 'Scan it with an Android phone to open the topic' : 'Enter this address in the app',
  phoneCode: (app: PhoneApp, link: string) => `QR code for ${apps[app]}: ${link}`,
  phoneSignIn: 'To sign in to an app, enter any user name. The password is a token that may also read the inbox',
  phonesNone: 'No address for phones yet',
  tokensMenu: 'Tokens…',

  // a notification on a topic of a source
  publishTitle: 'Publish to a topic',
  publishOnTopic: 'Publish to a topic…',
  publishOn: (topic: string) => `Publish to “${topic}”…`,
  topicAt: (topic: string, source: string) => `${topic} (${source})`,
  publicationTitle: 'Title',
  publicationTitleHint: 'Leave empty to use the name of the topic',
  publicationTitleLong: (most: number) => `A title has at most ${n(most)} characters`,
  publicationText: 'Text',
  publicationKeys: (keys: string) => `Press ${keys} to publish`,
  publicationLeft: (left: number) => `${n(left)} ${left === 1 ? 'byte' : 'bytes'} left`,
  publicationLong: (over: number) =>
    `${n(over)} ${over === 1 ? 'byte' : 'bytes'} too long. Shorten the text, or the server turns it into a file`,
  publicationEmpty: 'Enter some text',
  publicationMarkdown: 'The text is Markdown',
  publicationPriority: 'Priority',
  publicationTags: 'Tags',
  publicationTagsHint: 'A tag such as “warning” is shown as an emoji',
  publicationTagsMany: (most: number, chars: number) =>
    `At most ${n(most)} tags, each of at most ${n(chars)} characters`,
  publicationClick: 'Address to open when clicked',
  publicationClickWrong: 'Enter an address that begins with https://, http:// or mailto:',
  publishing: 'Publishing',
  published: (topic: string) => `Published to ${topic}`,
};
