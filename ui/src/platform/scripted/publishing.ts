// How others publish to the scripted program: shorter lines than the real ones.
import type { NewPublication } from '../../generated/NewPublication';
import type { PublishDoor } from '../../generated/PublishDoor';
import type { PublishForm } from '../../generated/PublishForm';
import type { PublishLine } from '../../generated/PublishLine';
import type { PublishTool } from '../../generated/PublishTool';
import type { PublishView } from '../../generated/PublishView';
import type { ScriptedLists } from './lists';
import type { ScriptedServer } from './own-server';
import { ScriptedPart } from './part';

const TOOLS: PublishTool[] = [
  'curl',
  'apprise',
  'ntfy',
  'gotify',
  'systemd',
  'cron',
  'shell',
  'powershell',
  'github_actions',
  'home_assistant',
  'node_red',
  'alertmanager',
  'grafana',
];
/** The tools that publish with a token only. */
const NEEDING: PublishTool[] = ['gotify', 'github_actions', 'alertmanager', 'grafana'];
/** A square of 1 by 1, in place of a code. */
const CODE =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAxIDEiLz4=';

/** The topic `hooks` is one of the server's own; the token `wrong` is refused. */
export class ScriptedPublishing extends ScriptedPart {
  constructor(
    program: ScriptedLists,
    private readonly own: ScriptedServer,
  ) {
    super(program);
  }

  async lines(form: PublishForm): Promise<PublishView> {
    const { url, others, addresses } = this.own.view;
    const remote = addresses.find((one) => one === form.address) ?? addresses[0];
    const at = form.elsewhere ? remote : url;
    const topic_error = this.#topicError(form.topic);
    const lines = at && !topic_error ? TOOLS.map((tool) => line(tool, at, form)) : [];
    const ntfy = `ntfy://${remote?.replace('http://', '')}/${form.topic}?secure=false`;
    const phones: PublishView['phones'] =
      remote && !topic_error
        ? [
            { app: 'ntfy', link: ntfy, code: CODE },
            { app: 'gotify', link: remote, code: CODE },
          ]
        : [];
    return { runs: url !== null, others, addresses, topic_error, token_error: null, lines, phones };
  }

  async application(name: string): Promise<string> {
    this.program.asked.push(['createApplication', name]);
    return `tk_application_${name}`;
  }

  async test(form: PublishForm, door: PublishDoor): Promise<void> {
    this.program.asked.push(['testPublishing', form, door]);
    const token = door === 'gotify' ? form.application : form.token;
    if (token === 'wrong') return this.refuse('The server refused the token', '服务器拒绝了此令牌');
  }

  /** Publishes on a topic of a source; on `door` nobody may, and a text `lost` has no answer. */
  async onTopic(publication: NewPublication): Promise<void> {
    this.program.asked.push(['publishOnTopic', publication]);
    if (publication.topic === 'door')
      return this.refuse('You may not publish to “door” at ntfy.sh', '你不能发布到 ntfy.sh 的“door”');
    if (publication.text === 'lost') return this.refuse('ntfy.sh did not answer', 'ntfy.sh 没有应答', 'outside');
  }

  #topicError(topic: string): string | null {
    if (topic === 'hooks')
      return this.l('The server itself uses “hooks”. Choose another topic', '服务器自己使用“hooks”。选择其他主题');
    if (/^[-\w]{1,64}$/.test(topic)) return null;
    return this.l(
      'A topic has 1 to 64 characters: the letters A to Z and a to z, digits, - and _',
      '主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _',
    );
  }
}

function line(tool: PublishTool, at: string, form: PublishForm): PublishLine {
  const door = tool === 'gotify' ? 'gotify' : 'topic';
  const needs_token = form.elsewhere || NEEDING.includes(tool);
  const token = (door === 'gotify' ? form.application : form.token) || (needs_token ? 'TOKEN' : '');
  const header = token ? `-H "Authorization: Bearer ${token}" ` : '';
  return { tool, door, needs_token, text: `${tool} ${header}-d "Backup done" ${at}/${form.topic}` };
}
