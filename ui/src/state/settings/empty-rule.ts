// A rule before its reader enters anything.
import { defaultRule } from '../../generated/defaults';
import type { Rule } from '../../generated/Rule';
import type { ThreadRow } from '../../generated/ThreadRow';
import { threadTitle } from '../list/thread-name';

/** A new rule, without conditions and without actions. */
export function emptyRule(): Rule {
  return { ...structuredClone(defaultRule), on: true };
}

/** A new rule for what comes like a thread: from its topic or repository, else from whom it is, else of its kind. Its
 * name is the thread's title, so that one knows later what it was made for. */
export function ruleLike(row: ThreadRow): Rule {
  const { source, kind, origin, who, avatar } = row;
  const rule = emptyRule();
  const isFrom = origin === undefined && (isFeed(avatar) || (kind === 'message' && avatar.shape === 'person'));
  const when = origin ? { target: origin.id } : isFrom ? { actor: who } : { kind };
  return { ...rule, name: threadTitle(row), when: { ...rule.when, source, ...when } };
}

const isFeed = (avatar: ThreadRow['avatar']) => avatar.shape === 'thing' && avatar.icon === 'rss';
