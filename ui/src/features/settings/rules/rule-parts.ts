// The conditions and actions of a rule as parts: which ones it has, and that with which a new rule begins.
import type { RuleThen } from '../../../generated/RuleThen';
import type { RuleWhen } from '../../../generated/RuleWhen';

/** The conditions, in the order of the form. */
export const conditions = ['words', 'source', 'kind', 'actor', 'target', 'action', 'tags', 'priorities'] as const;
export type Condition = (typeof conditions)[number];

/** The actions, in the order of the form. */
export const actions = ['mute', 'archive', 'read', 'pin', 'no_toast', 'priority'] as const;
export type RuleAction = (typeof actions)[number];

/** The conditions that a rule has; for a new one the first. */
export function conditionsOf(when: RuleWhen): Condition[] {
  const set: Record<Condition, boolean> = {
    words: when.words !== '',
    source: when.source !== null,
    kind: when.kind !== null,
    actor: when.actor !== '',
    target: when.target !== '',
    action: when.action !== '',
    tags: when.tags.length > 0,
    priorities: when.at_least !== null || when.at_most !== null,
  };
  const found = conditions.filter((one) => set[one]);
  return found.length > 0 ? found : [conditions[0]];
}

/** The actions that a rule has; for a new one the first. */
export function actionsOf(then: RuleThen): RuleAction[] {
  const found = actions.filter((one) => (one === 'priority' ? then.priority !== 0 : then[one]));
  return found.length > 0 ? found : [actions[0]];
}
