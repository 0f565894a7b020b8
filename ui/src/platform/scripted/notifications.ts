// Notification settings of the scripted program, per source and thread, and rules tried against its threads.
import type { Lang } from '../../generated/Lang';
import type { NotifySettings } from '../../generated/NotifySettings';
import type { Places } from '../../generated/Places';
import type { Rule } from '../../generated/Rule';
import type { RuleTrial } from '../../generated/RuleTrial';
import type { ScriptedContext } from './admin';
import type { ScriptedThread } from './scripted-thread';

export class ScriptedNotifications {
  rules: Rule[] = [];
  readonly #context: ScriptedContext & { inbox: ScriptedThread[]; changes: number; places(): Places };
  readonly #threads = new Map<number, NotifySettings>();
  #last = 0;

  constructor(context: ScriptedContext & { inbox: ScriptedThread[]; changes: number; places(): Places }, lang: Lang) {
    this.#context = context;
    const when = { source: null, kind: null, actor: '', target: '', words: '', at_least: null, at_most: null };
    const then = { mute: false, archive: false, pin: false, priority: 0, no_toast: false };
    this.rules = [
      { id: 1, name: '', on: true, when: { ...when, source: 2, words: 'deploy' }, then: { ...then, no_toast: true } },
      {
        id: 2,
        name: lang === 'en' ? 'Failed builds' : '失败的构建',
        on: false,
        when: { ...when, target: 'ci' },
        then: { ...then, priority: 1, pin: true },
      },
    ];
    this.#last = this.rules.length;
  }

  async source(source: number, notify: NotifySettings): Promise<NotifySettings> {
    this.#context.asked.push(['setSourceNotify', source, notify]);
    this.#context.sources = this.#context.sources.map((one) => (one.id === source ? { ...one, notify } : one));
    this.#context.emit({ event: 'sync', sync: this.#context.sync, sources: this.#context.sources });
    return notify;
  }

  /** Sets the notify settings of a thread; the level `nothing` mutes it. */
  async thread(thread: number, notify: NotifySettings): Promise<NotifySettings> {
    const context = this.#context;
    context.asked.push(['setThreadNotify', thread, notify]);
    this.#threads.set(thread, notify);
    const muted = notify.level === 'nothing';
    context.inbox = context.inbox.map((one) =>
      one.row.id === thread ? { ...one, row: { ...one.row, muted, counts: !muted } } : one,
    );
    const rows = context.inbox.filter(({ row }) => row.id === thread).map(({ row }) => row);
    context.emit({
      event: 'threads',
      rows,
      gone: [],
      refetch: false,
      places: context.places(),
      as_of: context.changes,
    });
    return notify;
  }

  of(thread: number): NotifySettings {
    return this.#threads.get(thread) ?? { level: null, from_priority: null, sound: null };
  }

  async all(): Promise<Rule[]> {
    return this.rules;
  }

  async save(rule: Rule): Promise<Rule[]> {
    this.#context.asked.push(['saveRule', rule]);
    if (rule.id === 0) {
      this.#last += 1;
      this.rules = [...this.rules, { ...rule, id: this.#last }];
    } else this.rules = this.rules.map((one) => (one.id === rule.id ? rule : one));
    return this.rules;
  }

  async remove(id: number): Promise<Rule[]> {
    this.#context.asked.push(['removeRule', id]);
    this.rules = this.rules.filter((one) => one.id !== id);
    return this.rules;
  }

  async order(ids: number[]): Promise<Rule[]> {
    this.#context.asked.push(['orderRules', ids]);
    this.rules = ids.flatMap((id) => this.rules.filter((one) => one.id === id));
    return this.rules;
  }

  async attempt(rule: Rule): Promise<RuleTrial> {
    this.#context.asked.push(['tryRule', rule]);
    const { inbox } = this.#context;
    const matches = inbox.filter((one) => fits(rule, one));
    const rows = matches.map(({ row }) => row).sort((a, b) => b.time - a.time);
    return { matches: matches.length, of: inbox.length, rows: rows.slice(0, 5) };
  }
}

function fits({ when }: Rule, { row, title, items }: ScriptedThread): boolean {
  const text = [row.who, title, row.snippet, ...items.map((item) => item.body)].join('\n').toLowerCase();
  const priority = row.priority;
  return (
    (when.source === null || when.source === row.source) &&
    (when.kind === null || when.kind === row.kind) &&
    (when.actor === '' || items.some((item) => item.actor.toLowerCase() === when.actor.toLowerCase())) &&
    (when.target === '' || row.who.toLowerCase() === when.target.toLowerCase()) &&
    (when.at_least === null || priority >= when.at_least) &&
    (when.at_most === null || priority <= when.at_most) &&
    when.words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}
