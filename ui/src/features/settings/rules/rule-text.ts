// A rule as text: its sentence, its name, and the errors that it has.
import type { Rule } from '../../../generated/Rule';
import type { SourceRow } from '../../../generated/SourceRow';
import { i18n } from '../../../i18n/all';
import { setActions } from './actions';
import { conditions } from './conditions';

const byPlace = (a: { readonly place: number }, b: { readonly place: number }) => a.place - b.place;

function conditionTexts({ when }: Rule, sources: readonly SourceRow[]): string[] {
  const { t } = i18n;
  const set = conditions.filter((one) => one.isSet(when)).sort(byPlace);
  const text = set.map((one) => one.clause(t, when, sources));
  return when.kind === null && (i18n.lang === 'en' || text.length === 0) ? [t.ruleEverything, ...text] : text;
}

/** What a rule does, a text for each action. */
export function actionTexts({ then }: Pick<Rule, 'then'>): string[] {
  const text = setActions(then)
    .sort(byPlace)
    .map((one) => one.clause(i18n.t, then));
  return text.length > 0 ? text : [i18n.t.doNothing];
}

/** The sentence of a rule: "Activity from Work with “deploy”: archive and no toast". */
export function ruleSentence(rule: Rule, sources: readonly SourceRow[]): string {
  return i18n.t.ruleSentence(conditionTexts(rule, sources), actionTexts(rule));
}

/** The rule's name, or its sentence if it has none. */
export function ruleName(rule: Rule, sources: readonly SourceRow[]): string {
  return rule.name || ruleSentence(rule, sources);
}

/** Why a rule can't be tried or saved, by the part of its form; null if that part has no error. */
export interface RuleErrors {
  when: string | null;
  then: string | null;
  priorities: string | null;
}

export function ruleErrors({ when, then }: Rule): RuleErrors {
  const { at_least, at_most } = when;
  return {
    when: conditions.some((one) => one.isSet(when)) ? null : i18n.t.ruleNoWhen,
    then: setActions(then).length > 0 ? null : i18n.t.ruleNoThen,
    priorities: at_least !== null && at_most !== null && at_least > at_most ? i18n.t.rulePriorities : null,
  };
}
