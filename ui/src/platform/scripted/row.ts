// A thread with nothing special about it.
import type { ThreadRow } from '../../generated/ThreadRow';

/** What most rows have in common. */
export const PLAIN = {
  source: 1,
  kind: 'reminder',
  words: '',
  unread: 0,
  total: 1,
  priority: 3,
  unseen: false,
  pending: false,
  muted: false,
  pinned: false,
  archived: false,
  snoozed_until: null,
  draft: '',
} satisfies Partial<ThreadRow>;
