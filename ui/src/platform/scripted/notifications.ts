// Notification settings of the scripted program, per source and thread, and rules tried against its threads.
import type { CalendarReading } from '../../generated/CalendarReading';
import type { Noise } from '../../generated/Noise';
import type { NotifySettings } from '../../generated/NotifySettings';
import type { QuietCause } from '../../generated/QuietCause';
import type { QuietName } from '../../generated/QuietName';
import type { QuietNow } from '../../generated/QuietNow';
import type { Rule } from '../../generated/Rule';
import type { RuleAct } from '../../generated/RuleAct';
import type { RuleDay } from '../../generated/RuleDay';
import type { RuleField } from '../../generated/RuleField';
import type { RuleThen } from '../../generated/RuleThen';
import type { RuleTrial } from '../../generated/RuleTrial';
import type { RuleValue } from '../../generated/RuleValue';
import type { RuleWhen } from '../../generated/RuleWhen';
import type { ThreadRow } from '../../generated/ThreadRow';
import { emptyRule } from '../../state/settings/empty-rule';
import { ScriptedPart } from './part';
import { gone } from './refusals';
import { NOISE } from './sample-sources';
import { answered, NOW, type ScriptedThread } from './scripted-thread';

const DAY = 86_400_000;
const TAGS = ['backup', 'build', 'nas', 'urgent'];
const REASONS = ['comment', 'mention', 'review-requested'];

const ruleOf = (id: number, name: string, on: boolean, when: Partial<RuleWhen>, then: Partial<RuleThen>): Rule => {
  const empty = emptyRule();
  return { id, name, on, when: { ...empty.when, ...when }, then: { ...empty.then, ...then } };
};

export class ScriptedNotifications extends ScriptedPart {
  rules: Rule[] = [
    ruleOf(1, '', true, { source: 2, words: 'deploy' }, { no_toast: true }),
    ruleOf(2, this.l('Failed builds', '失败的构建'), false, { target: 'ci' }, { priority: 1, pin: true }),
  ];
  days: RuleDay[] = [
    { rule: 2, at: NOW - 3 * DAY, items: 12 },
    { rule: 2, at: NOW - DAY, items: 4 },
    { rule: 2, at: NOW, items: 2 },
  ];
  readonly #threads = new Map<number, NotifySettings>();

  async source(source: number, notify: NotifySettings): Promise<NotifySettings> {
    this.program.asked.push(['setSourceNotify', source, notify]);
    if (!this.program.sources.some((one) => one.id === source)) this.#gone();
    const stored = withinBounds(notify);
    this.program.setSources((one) => (one.id === source ? { ...one, notify: stored } : one));
    return stored;
  }

  /** The origins that are muted, with their ends. */
  readonly origins = new Map<string, number | null>();

  /** Mutes a source or an origin; `until` is undefined to unmute it. */
  async mute(source: number, origin: string, until: number | null | undefined): Promise<void> {
    const context = this.program;
    context.asked.push(until === undefined ? ['unmute', source, origin] : ['mute', source, origin, until]);
    const muted = until !== undefined;
    const muted_until = until ?? null;
    if (origin === '') {
      const level = muted ? ('nothing' as const) : null;
      context.setSources((one) =>
        one.id === source ? { ...one, notify: { ...one.notify, level }, muted_until } : one,
      );
      return;
    }
    if (muted) this.origins.set(`${source}:${origin}`, muted_until);
    else this.origins.delete(`${source}:${origin}`);
    context.inbox = context.inbox.map((one) => {
      const { row } = one;
      if (row.source !== source || row.origin?.id !== origin) return one;
      return {
        ...one,
        row: { ...row, muted, muted_until, counts: !muted, origin: { ...row.origin, muted, muted_until } },
      };
    });
    context.emitThreads(context.inbox.flatMap(({ row }) => (row.origin?.id === origin ? [row.id] : [])));
  }

  /** What is quiet: the pause, quiet hours that end at `quiet_until`, and what is muted. */
  async quietNow(): Promise<QuietNow> {
    const { sync, sources, inbox } = this.program;
    const cause = (what: QuietCause['what'], more: Partial<QuietCause>): QuietCause => ({
      what,
      name: '',
      source: null,
      until: null,
      ...more,
    });
    const { paused_until: pause, quiet_until: hours } = sync;
    const muted = inbox.filter(({ row }) => row.muted && !row.origin?.muted);
    return {
      causes: [
        ...(pause === null ? [] : [cause({ is: 'pause' }, { until: pause || null })]),
        ...(hours === null
          ? []
          : [cause({ is: this.calendars.length > 0 ? 'calendar' : 'hours', at: 0 }, { until: hours })]),
        ...(sync.do_not_disturb ? [cause({ is: 'do_not_disturb' }, {})] : []),
        ...sources
          .filter((one) => one.notify.level === 'nothing')
          .map(({ id, muted_until }) => cause({ is: 'source' }, { source: id, until: muted_until })),
        ...[...this.origins].map(([key, until]) => {
          const [source = '', ...origin] = key.split(':');
          const name = origin.at(-1) ?? '';
          return cause({ is: 'origin', origin: origin.join(':') }, { source: Number(source), name, until });
        }),
        ...muted.map(({ row }) =>
          cause({ is: 'thread', thread: row.id }, { source: row.source, name: row.sentence, until: row.muted_until }),
        ),
        ...sources
          .filter((one) => one.notify.level === 'badge')
          .map(({ id }) => cause({ is: 'badge_only' }, { source: id })),
      ],
      more_threads: this.moreMuted,
      names: this.quietNames,
      calendars: this.calendars,
    };
  }

  /** The calendars of quiet hours, as they were read. */
  calendars: CalendarReading[] = [];

  /** The names of what quiet hours are for. */
  quietNames: QuietName[] = [];

  /** The muted threads beyond those that are listed. */
  moreMuted = 0;

  /** The noise report, with what is muted. */
  async noise(): Promise<Noise> {
    const sources = NOISE.sources.map((of) => ({
      ...of,
      origins: of.origins.map((one) => {
        const until = this.origins.get(`${of.source}:${one.target}`);
        return { ...one, muted: until !== undefined, muted_until: until ?? null };
      }),
    }));
    return { ...NOISE, sources };
  }

  /** Sets the notify settings of a thread; the level `nothing` mutes it. */
  async thread(thread: number, notify: NotifySettings): Promise<NotifySettings> {
    this.program.asked.push(['setThreadNotify', thread, notify]);
    if (!this.program.inbox.some(({ row }) => row.id === thread)) this.#gone();
    const stored = withinBounds(notify);
    const muted = stored.level === 'nothing';
    this.#threads.set(thread, muted ? { ...stored, level: null } : stored);
    this.program.set(thread, (one) => {
      const of = this.program.sources.find(({ id }) => id === one.row.source)?.notify;
      const least = stored.from_priority ?? of?.from_priority ?? this.program.now.notify.from_priority;
      const counts = !muted && one.row.priority >= least;
      return { ...one, row: { ...one.row, muted, muted_until: null, counts } };
    });
    return stored;
  }

  /** The notify settings of a thread; the level of a muted one is `nothing`. */
  of({ id, muted }: ThreadRow): NotifySettings {
    const stored = this.#threads.get(id) ?? { level: null, from_priority: null, sound: null };
    return muted ? { ...stored, level: 'nothing' } : stored;
  }

  /** The file that is chosen as a sound; null for a dialog that is cancelled. */
  soundFile: string | null = '/home/sam/Music/ding.oga';

  async chooseSound(): Promise<string | null> {
    this.program.asked.push(['chooseSound']);
    return this.soundFile;
  }

  #gone(): never {
    throw gone(this.program.now.lang_now);
  }

  #check(rule: number): void {
    if (rule !== 0 && !this.rules.some((one) => one.id === rule)) this.#gone();
  }

  async all(): Promise<Rule[]> {
    return this.rules;
  }

  async save(rule: Rule): Promise<Rule[]> {
    this.program.asked.push(['saveRule', rule]);
    this.#check(rule.id);
    if (rule.id === 0) {
      const id = 1 + Math.max(0, ...this.rules.map((one) => one.id));
      this.rules = [...this.rules, { ...rule, id }];
    } else this.rules = this.rules.map((one) => (one.id === rule.id ? rule : one));
    return this.rules;
  }

  async remove(id: number): Promise<Rule[]> {
    this.program.asked.push(['removeRule', id]);
    this.#check(id);
    this.rules = this.rules.filter((one) => one.id !== id);
    this.days = this.days.filter((one) => one.rule !== id);
    return this.rules;
  }

  /** The known values for a field of a rule: actors and topics of its threads, and a few tags. */
  async complete(field: RuleField, text: string): Promise<RuleValue[]> {
    this.program.asked.push(['completeRule', field, text]);
    const { inbox } = this.program;
    const topics = inbox.filter(({ row }) => row.avatar.shape === 'thing').map(({ row }) => row.who);
    const actors = inbox.flatMap(({ items }) => items.map((item) => item.actor));
    const all = { actor: actors, target: topics, action: REASONS, tag: TAGS }[field];
    const fits = (value: string) => value.toLowerCase().startsWith(text.toLowerCase());
    return [...new Set(all)]
      .filter(fits)
      .slice(0, 8)
      .map((value) => ({ value, name: '' }));
  }

  async did(rule: number): Promise<RuleAct[]> {
    const found = this.rules.find((one) => one.id === rule);
    const matches = found && this.days.some((day) => day.rule === rule) ? this.#matching(found) : [];
    return matches.map(({ row, items }) => {
      const then = { ...emptyRule().then, ...found?.then };
      return { row, msgid: items.at(-1)?.msgid ?? '', at: NOW - DAY / 24, then };
    });
  }

  /** The threads that a rule matches. */
  matched(rule: Rule): number[] {
    return this.program.inbox.filter((one) => fits(rule, one)).map(({ row }) => row.id);
  }

  #matching(rule: Rule): ScriptedThread[] {
    return this.program.inbox.filter((one) => fits(rule, one)).slice(0, 20);
  }

  async order(ids: number[]): Promise<Rule[]> {
    this.program.asked.push(['orderRules', ids]);
    const named = ids.flatMap((id) => this.rules.filter((one) => one.id === id));
    this.rules = [...named, ...this.rules.filter((one) => !named.includes(one))];
    return this.rules;
  }

  async attempt(rule: Rule): Promise<RuleTrial> {
    this.program.asked.push(['tryRule', rule]);
    const { inbox } = this.program;
    const items = inbox
      .flatMap((one) => one.items.filter((item) => !item.own).map((item) => ({ item, ...one, items: [item] })))
      .sort((a, b) => b.item.time - a.item.time);
    const matches = items.filter((one) => fits(rule, one));
    const rows = [...new Set(matches.map(({ row }) => row))].map(answered);
    return { matches: matches.length, of: items.length, rows: rows.slice(0, 5) };
  }
}

const withinBounds = (notify: NotifySettings): NotifySettings => ({
  ...notify,
  from_priority: notify.from_priority === null ? null : Math.min(5, Math.max(1, notify.from_priority)),
});

function fits({ when }: Rule, { row, title, items }: ScriptedThread): boolean {
  const words = items.flatMap((item) => [item.title, item.body]);
  const text = [row.who, title, ...words].join('\n').toLowerCase();
  const priority = row.priority;
  return (
    (when.source === null || when.source === row.source) &&
    (when.kind === null || when.kind === row.kind) &&
    (when.actor === '' || items.some((item) => item.actor.toLowerCase() === when.actor.toLowerCase())) &&
    when.tags.length === 0 &&
    (when.target === '' || [row.who.toLowerCase(), row.origin?.id].includes(when.target.toLowerCase())) &&
    (when.at_least === null || priority >= when.at_least) &&
    (when.at_most === null || priority <= when.at_most) &&
    when.words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}
