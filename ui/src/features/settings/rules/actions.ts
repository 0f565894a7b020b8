// The actions of a rule, one table: for each its name, whether it is set, and what the rule's sentence says of it.
import type { RuleThen } from '../../../generated/RuleThen';
import type { AllStrings } from '../../../i18n/all';

export interface RuleAction {
  readonly key: keyof RuleThen;
  readonly name: (t: AllStrings) => string;
  /** Its place among the others in the sentence. */
  readonly place: number;
  /** Its part of the sentence, if it is set. */
  readonly clause: (t: AllStrings, then: RuleThen) => string;
}

/** The actions, in the order of the form. */
export const actions: readonly RuleAction[] = [
  { key: 'mute', name: (t) => t.thenMute, place: 1, clause: (t) => t.doMute },
  { key: 'archive', name: (t) => t.thenArchive, place: 2, clause: (t) => t.doArchive },
  { key: 'read', name: (t) => t.thenRead, place: 3, clause: (t) => t.doRead },
  { key: 'pin', name: (t) => t.thenPin, place: 4, clause: (t) => t.doPin },
  { key: 'no_toast', name: (t) => t.thenNoToast, place: 6, clause: (t) => t.doNoToast },
  {
    key: 'priority',
    name: (t) => t.thenPriority,
    place: 5,
    clause: (t, { priority }) => t.doPriority(priority > 0, Math.abs(priority)),
  },
];

/** The actions that a rule has, in the order of the form. */
export const setActions = (then: RuleThen): RuleAction[] =>
  actions.filter(({ key }) => (key === 'priority' ? then.priority !== 0 : then[key]));

/** The actions that the form shows: those that the rule has, for a new one the first. */
export function actionsOf(then: RuleThen): readonly RuleAction[] {
  const found = setActions(then);
  return found.length > 0 ? found : actions.slice(0, 1);
}
