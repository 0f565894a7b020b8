// The conditions of a rule, one table: for each its name, how it is entered, whether it is set, and what the rule's
// sentence says of it.
import type { RuleField } from '../../../generated/RuleField';
import type { RuleWhen } from '../../../generated/RuleWhen';
import type { SourceRow } from '../../../generated/SourceRow';
import type { AllStrings } from '../../../i18n/all';
import { sourceText } from './rule-sources';

type TextKey = { [Key in keyof RuleWhen]: RuleWhen[Key] extends string ? Key : never }[keyof RuleWhen];
type Worded = (t: AllStrings) => string;

/** How a condition is entered. */
type Entry =
  /** As a text; `known` is the field whose values are completed, or null if none are. */
  | { readonly as: 'text'; readonly key: TextKey; readonly known: RuleField | null; readonly hint: Worded }
  | { readonly as: 'source' | 'kind' | 'tags' | 'priorities' };

export interface Condition {
  readonly key: string;
  readonly name: Worded;
  readonly entry: Entry;
  readonly isSet: (when: RuleWhen) => boolean;
  /** Its place among the others in the sentence. */
  readonly place: number;
  /** Its part of the sentence, if it is set. */
  readonly clause: (t: AllStrings, when: RuleWhen, sources: readonly SourceRow[]) => string;
}

interface TextCondition {
  readonly name: Worded;
  readonly hint: Worded;
  readonly known?: RuleField;
  readonly place: number;
  readonly clause: (t: AllStrings, value: string) => string;
}

const text = (key: TextKey, { name, hint, known, place, clause }: TextCondition): Condition => ({
  key,
  name,
  entry: { as: 'text', key, known: known ?? null, hint },
  isSet: (when) => when[key].trim() !== '',
  place,
  clause: (t, when) => clause(t, when[key]),
});

/** The conditions, in the order of the form. */
export const conditions: readonly Condition[] = [
  text('words', {
    name: (t) => t.ruleTerms,
    hint: (t) => t.ruleTermsHint,
    place: 7,
    clause: (t, words) => t.ruleWith(words),
  }),
  {
    key: 'source',
    name: (t) => t.source,
    entry: { as: 'source' },
    isSet: ({ source }) => source !== null,
    place: 2,
    clause: (t, when, sources) => t.ruleFrom(sourceText(when, sources)),
  },
  {
    key: 'kind',
    name: (t) => t.type,
    entry: { as: 'kind' },
    isSet: ({ kind }) => kind !== null,
    place: 1,
    clause: (t, { kind }) => (kind === null ? '' : t.ruleKind[kind]),
  },
  text('actor', {
    name: (t) => t.actor,
    hint: (t) => t.actorHint,
    known: 'actor',
    place: 3,
    clause: (t, who) => t.ruleBy(who),
  }),
  text('target', {
    name: (t) => t.target,
    hint: (t) => t.targetHint,
    known: 'target',
    place: 4,
    clause: (t, what) => t.ruleAbout(what),
  }),
  text('action', {
    name: (t) => t.reason,
    hint: (t) => t.reasonHint,
    known: 'action',
    place: 5,
    clause: (t, what) => t.ruleReason(what),
  }),
  {
    key: 'tags',
    name: (t) => t.ruleTags,
    entry: { as: 'tags' },
    isSet: ({ tags }) => tags.length > 0,
    place: 6,
    clause: (t, { tags }) => t.ruleTagged(tags),
  },
  {
    key: 'priorities',
    name: (t) => t.thenPriority,
    entry: { as: 'priorities' },
    isSet: ({ at_least, at_most }) => at_least !== null || at_most !== null,
    place: 8,
    clause: (t, { at_least, at_most }) => {
      const [from, to] = [at_least ?? 1, at_most ?? 5];
      return from === to ? t.rulePriorityIs(from) : t.rulePriority(from, to);
    },
  },
];

/** The conditions that a rule has, in the order of the form; for a new one the first. */
export function conditionsOf(when: RuleWhen): readonly Condition[] {
  const found = conditions.filter((one) => one.isSet(when));
  return found.length > 0 ? found : conditions.slice(0, 1);
}

/** The same with its texts as they are saved, without white space around them. */
export function trimmed(when: RuleWhen): RuleWhen {
  const saved = { ...when };
  for (const { entry } of conditions) {
    if (entry.as === 'text') saved[entry.key] = saved[entry.key].trim();
  }
  return saved;
}
