// The noise report's lines, and the rules that mute what a topic or a repository tells.
import type { NoiseOrigin } from '../../../generated/NoiseOrigin';
import type { Rule } from '../../../generated/Rule';
import { emptyRule } from '../../../state/settings/empty-rule';

/** How much of what was told was read, percent; 0 and 100 only where nothing or all was. */
export function readPercent({ items, unread }: { items: number; unread: number }): number {
  if (items === 0 || unread >= items) return 0;
  return unread === 0 ? 100 : Math.min(99, Math.max(1, Math.round((100 * (items - unread)) / items)));
}

/** The rule that mutes everything from a topic or repository, and only that. */
export function mutingRule(rules: readonly Rule[], source: number, { target }: NoiseOrigin): Rule | undefined {
  const plain = emptyRule().when;
  return rules.find(
    ({ on, when, then }) =>
      on &&
      then.mute &&
      when.source === source &&
      when.target.toLowerCase() === target.toLowerCase() &&
      JSON.stringify({ ...when, source: null, target: '' }) === JSON.stringify(plain),
  );
}

/** A new rule that mutes everything from a topic or repository. */
export function newMutingRule(source: number, { target }: NoiseOrigin): Rule {
  const rule = emptyRule();
  return { ...rule, when: { ...rule.when, source, target }, then: { ...rule.then, mute: true } };
}

/** Whether a rule does nothing else, so that it goes with its mute. */
export function onlyMutes({ then }: Rule): boolean {
  return JSON.stringify({ ...then, mute: false }) === JSON.stringify(emptyRule().then);
}
