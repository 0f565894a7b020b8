// The notify level of each reason of a source, and the rules by which some reasons only count.
import type { Rule } from '../../../generated/Rule';
import { emptyRule } from '../../../state/settings/empty-rule';

/** An action as rules compare it. */
const plain = (action: string) => action.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The rule by which what comes from a source for a reason makes no toast, if there is one for that alone. */
export function quietRule(rules: readonly Rule[], source: number, action: string): Rule | undefined {
  const any = JSON.stringify(emptyRule().when);
  return rules.find(
    ({ on, when, then }) =>
      on &&
      then.no_toast &&
      when.source === source &&
      plain(when.action) === plain(action) &&
      JSON.stringify({ ...when, source: null, action: '' }) === any,
  );
}

/** A new rule of this kind. */
export function newQuietRule(source: number, action: string): Rule {
  const rule = emptyRule();
  return {
    ...rule,
    when: { ...rule.when, source, action: action.replaceAll('_', '-') },
    then: { ...rule.then, no_toast: true },
  };
}

/** Whether a rule does nothing else, so that it goes with its silence. */
export function onlyQuiets({ then }: Rule): boolean {
  return JSON.stringify({ ...then, no_toast: false }) === JSON.stringify(emptyRule().then);
}
