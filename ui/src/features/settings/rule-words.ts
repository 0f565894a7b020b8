// A rule in words: what it is called when its reader gave it no name, and whether it is whole.
import type { Rule } from '../../generated/Rule';
import type { SourceRow } from '../../generated/SourceRow';
import { say } from '../../i18n/say.svelte';
import { nameOf } from '../../state/sync-words';

export function emptyRule(): Rule {
  return {
    id: 0,
    name: '',
    on: true,
    when: { source: null, kind: null, actor: '', target: '', words: '', at_least: null, at_most: null },
    then: { mute: false, archive: false, pin: false, priority: 0, no_toast: false },
  };
}

function whenWords({ when }: Rule, sources: readonly SourceRow[]): string[] {
  const { t } = say;
  const words: string[] = [];
  if (when.kind !== null) words.push(t.ruleKind[when.kind]);
  if (when.source !== null) {
    const source = sources.find((one) => one.id === when.source);
    words.push(t.ruleFrom(source ? nameOf(source, t) : t.ruleSourceGone));
  }
  if (when.actor) words.push(t.ruleBy(when.actor));
  if (when.target) words.push(t.ruleAbout(when.target));
  if (when.words) words.push(t.ruleWith(when.words));
  if (when.at_least !== null || when.at_most !== null)
    words.push(t.rulePriority(when.at_least ?? 1, when.at_most ?? 5));
  if (when.kind === null && (say.lang === 'en' || words.length === 0)) words.unshift(t.ruleEverything);
  return words;
}

function thenWords({ then }: Rule): string[] {
  const { t } = say;
  const words: string[] = [];
  if (then.mute) words.push(t.doMute);
  if (then.archive) words.push(t.doArchive);
  if (then.pin) words.push(t.doPin);
  if (then.priority !== 0) words.push(t.doPriority(then.priority));
  if (then.no_toast) words.push(t.doNoToast);
  return words.length > 0 ? words : [t.doNothing];
}

/** "Reminders from Work with “deploy”: archive and no toast". */
export function ruleSentence(rule: Rule, sources: readonly SourceRow[]): string {
  return say.t.ruleSentence(whenWords(rule, sources), thenWords(rule));
}

/** Its name, or the sentence in place of it. */
export function ruleName(rule: Rule, sources: readonly SourceRow[]): string {
  return rule.name || ruleSentence(rule, sources);
}

export interface Wrongs {
  when: string | null;
  then: string | null;
  priorities: string | null;
}

/** What is missing before a rule can be tried or saved. */
export function wrongs({ when, then }: Rule): Wrongs {
  const text = when.actor.trim() + when.target.trim() + when.words.trim();
  const set = [when.source, when.kind, when.at_least, when.at_most].some((one) => one !== null);
  const acts = then.mute || then.archive || then.pin || then.no_toast || then.priority !== 0;
  const crossed = when.at_least !== null && when.at_most !== null && when.at_least > when.at_most;
  return {
    when: set || text !== '' ? null : say.t.ruleNoWhen,
    then: acts ? null : say.t.ruleNoThen,
    priorities: crossed ? say.t.rulePriorities : null,
  };
}
