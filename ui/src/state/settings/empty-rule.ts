// A rule before its reader enters anything.
import { defaultRule } from '../../generated/defaults';
import type { Rule } from '../../generated/Rule';
import type { RuleWhen } from '../../generated/RuleWhen';
import type { ThreadRow } from '../../generated/ThreadRow';
import { threadTitle } from '../list/thread-name';

/** A new rule, without conditions and without actions. */
export function emptyRule(): Rule {
  return { ...structuredClone(defaultRule), on: true };
}

/** A new rule for what comes like a thread: from its topic or repository, from whom it is, about what it is, or else of its
 * kind. Its name says which of these it is for. */
export function ruleLike(row: ThreadRow): Rule {
  const { source, kind, origin, who, avatar } = row;
  const rule = emptyRule();
  const made = (name: string, when: Partial<RuleWhen>) => ({ ...rule, name, when: { ...rule.when, source, ...when } });
  if (origin) return made(origin.name, { target: origin.id });
  if (isFeed(avatar) || (kind === 'message' && avatar.shape === 'person')) return made(who, { actor: who });
  const title = threadTitle(row);
  return kind === 'reminder' && title !== who ? made(title, { target: title }) : made('', { kind });
}

const isFeed = (avatar: ThreadRow['avatar']) => avatar.shape === 'thing' && avatar.icon === 'rss';
