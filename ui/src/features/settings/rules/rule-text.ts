// A rule as text: its sentence, its name, and the errors that it has.
import type { Rule } from '../../../generated/Rule';
import type { SourceRow } from '../../../generated/SourceRow';
import { i18n } from '../../../i18n/i18n.svelte';
import { nameOf } from '../../../state/sources/sync-text';

function sourceName(id: number, sources: readonly SourceRow[]): string {
  const source = sources.find((one) => one.id === id);
  return source ? nameOf(source, i18n.t) : i18n.t.ruleSourceGone;
}

/** The name of a rule's source as its field has it; empty for any source. */
export function sourceText({ when }: Rule, sources: readonly SourceRow[]): string {
  return when.source === null ? '' : sourceName(when.source, sources);
}

function conditionTexts({ when }: Rule, sources: readonly SourceRow[]): string[] {
  const { t } = i18n;
  const text: string[] = [];
  if (when.kind !== null) text.push(t.ruleKind[when.kind]);
  if (when.source !== null) text.push(t.ruleFrom(sourceName(when.source, sources)));
  if (when.actor) text.push(t.ruleBy(when.actor));
  if (when.target) text.push(t.ruleAbout(when.target));
  if (when.action) text.push(t.ruleReason(when.action));
  if (when.tags.length > 0) text.push(t.ruleTagged(when.tags));
  if (when.words) text.push(t.ruleWith(when.words));
  if (when.at_least !== null || when.at_most !== null) text.push(t.rulePriority(when.at_least ?? 1, when.at_most ?? 5));
  if (when.kind === null && (i18n.lang === 'en' || text.length === 0)) text.unshift(t.ruleEverything);
  return text;
}

/** What a rule does, a text for each action. */
export function actionTexts({ then }: Pick<Rule, 'then'>): string[] {
  const { t } = i18n;
  const text: string[] = [];
  if (then.mute) text.push(t.doMute);
  if (then.archive) text.push(t.doArchive);
  if (then.read) text.push(t.doRead);
  if (then.pin) text.push(t.doPin);
  if (then.priority !== 0) text.push(t.doPriority(then.priority));
  if (then.no_toast) text.push(t.doNoToast);
  return text.length > 0 ? text : [t.doNothing];
}

/** The sentence of a rule: "Activity from Work with “deploy”: archive and no toast". */
export function ruleSentence(rule: Rule, sources: readonly SourceRow[]): string {
  return i18n.t.ruleSentence(conditionTexts(rule, sources), actionTexts(rule));
}

/** The rule's name, or its sentence if it has none. */
export function ruleName(rule: Rule, sources: readonly SourceRow[]): string {
  return rule.name || ruleSentence(rule, sources);
}

export interface Wrongs {
  when: string | null;
  then: string | null;
  priorities: string | null;
}

/** The errors that keep a rule from being tried or saved. */
export function wrongs({ when, then }: Rule): Wrongs {
  const text = when.actor.trim() + when.target.trim() + when.action.trim() + when.words.trim();
  const set = when.tags.length > 0 || [when.source, when.kind, when.at_least, when.at_most].some((one) => one !== null);
  const acts = then.mute || then.archive || then.read || then.pin || then.no_toast || then.priority !== 0;
  const crossed = when.at_least !== null && when.at_most !== null && when.at_least > when.at_most;
  return {
    when: set || text !== '' ? null : i18n.t.ruleNoWhen,
    then: acts ? null : i18n.t.ruleNoThen,
    priorities: crossed ? i18n.t.rulePriorities : null,
  };
}
