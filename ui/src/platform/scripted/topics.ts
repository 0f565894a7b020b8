// The topics of the scripted program. Its templates know `{{ job }}` and `{{ state }}`; a brace without its pair can't be
// read, and `{{ fail }}` fails. The topic `hooks` is one of the server's own.
import type { TemplateTrial } from '../../generated/TemplateTrial';
import type { TopicField } from '../../generated/TopicField';
import type { TopicForm } from '../../generated/TopicForm';
import type { TopicRow } from '../../generated/TopicRow';
import type { TopicSaved } from '../../generated/TopicSaved';
import type { TopicsView } from '../../generated/TopicsView';
import type { TriedPayload } from '../../generated/TriedPayload';
import type { ScriptedLists } from './lists';
import type { ScriptedServer } from './own-server';
import { ScriptedPart } from './part';
import { NOW } from './scripted-thread';

/** A payload that came for a topic. */
export interface ScriptedPayload {
  sender: string;
  event: string;
  job: string;
  state: string;
}

export class ScriptedTopics extends ScriptedPart {
  rows: TopicRow[] = [
    {
      topic: 'backups',
      name: 'Backups',
      icon: null,
      priority_floor: 4,
      template: '{{ job }}: {{ state }}',
      publishers: null,
      readers: null,
      secrets: ['github'],
      expect_secs: null,
    },
  ];
  /** The last payloads by topic, the newest first. */
  payloads: Record<string, ScriptedPayload[]> = {
    backups: [
      { sender: '', event: '', job: 'nas', state: 'Backup done' },
      { sender: 'github', event: 'push', job: 'site', state: 'pushed' },
    ],
  };

  constructor(
    program: ScriptedLists,
    private readonly own: ScriptedServer,
  ) {
    super(program);
  }

  async all(): Promise<TopicsView> {
    const runs = this.own.view.url !== null;
    return { runs, owner: runs ? 'me' : null, topics: runs ? this.rows : [] };
  }

  async save(form: TopicForm): Promise<TopicSaved> {
    this.program.asked.push(['saveTopic', form]);
    const problem = this.#problem(form);
    if (problem) return { problem, topics: await this.all() };
    const before = this.rows.find((one) => one.topic === form.topic);
    const secrets = new Set(before?.secrets);
    for (const { sender, secret } of form.secrets) secret === '' ? secrets.delete(sender) : secrets.add(sender);
    const { topic, name, priority_floor, template, publishers, readers } = form;
    const icon = form.icon || null;
    const hours = form.expect === '' ? null : form.expect.replace(/ ?h$/, '');
    const row: TopicRow = {
      topic,
      name,
      icon,
      priority_floor,
      template,
      publishers,
      readers,
      secrets: [...secrets].sort(),
      expect_secs: hours === null ? null : Number(hours) * 3_600,
    };
    const others = this.rows.filter((one) => one.topic !== topic);
    this.rows = [...others, row].sort((a, b) => (a.topic < b.topic ? -1 : 1));
    return { problem: null, topics: await this.all() };
  }

  async remove(topic: string): Promise<TopicsView> {
    this.program.asked.push(['removeTopic', topic]);
    this.rows = this.rows.filter((one) => one.topic !== topic);
    delete this.payloads[topic];
    return this.all();
  }

  async attempt(topic: string, template: string): Promise<TemplateTrial> {
    this.program.asked.push(['tryTemplate', topic, template]);
    const line = `curl http://127.0.0.1:7878/hooks/${topic} -d '{"job": "nas", "state": "Backup done"}'`;
    const problem = this.#unreadable(template);
    const payloads = problem === null ? (this.payloads[topic] ?? []).map((one) => tried(one, template)) : [];
    return { problem, payloads, line };
  }

  #unreadable(template: string): string | null {
    if (template.split('{{').length === template.split('}}').length) return null;
    const line = template.split('\n').length;
    return this.l(
      `The template can’t be read: line ${line}: unexpected end`,
      `无法读取模板：第 ${line} 行：unexpected end`,
    );
  }

  #problem(form: TopicForm): TopicSaved['problem'] {
    const at = (field: TopicField, en: string, zh: string) => ({ field, text: this.l(en, zh) });
    const { topic } = form;
    if (!/^[-\w]{1,64}$/.test(topic))
      return at(
        'topic',
        'A topic has 1 to 64 characters: the letters A to Z and a to z, digits, - and _',
        '主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _',
      );
    if (form.new && this.rows.some((one) => one.topic === topic))
      return at('topic', `“${topic}” is already in the list. Edit it there`, `“${topic}”已在列表中。在那里编辑`);
    if (form.icon !== '' && !form.icon.startsWith('http'))
      return at('icon', 'Enter an address that begins with http://', '输入以 http:// 开头的地址');
    if (!/^(\d+ ?h)?$/.test(form.expect))
      return at('expect', 'Enter a time such as 26 h or 2 days', '输入时间，例如 26 小时或 2 天');
    const text = this.#unreadable(form.template);
    return text === null ? null : { field: 'template', text };
  }
}

function tried(payload: ScriptedPayload, template: string): TriedPayload {
  const { sender, event, job, state } = payload;
  const known = sender !== '';
  const fails = !known && template.includes('{{ fail }}');
  const by = known ? 'sender' : fails || template === '' ? 'json' : 'template';
  const raw = JSON.stringify({ job, state });
  const body = by === 'template' ? template.replace('{{ job }}', job).replace('{{ state }}', state) : raw;
  const notice = { title: by === 'template' ? '' : job, body, priority: 3, tags: ['disk'], url: null, resolved: false };
  const error = fails ? 'line 1: undefined value' : null;
  return { received_at: NOW - 60_000, sender, event, by, error, notices: [notice], more: 0 };
}
