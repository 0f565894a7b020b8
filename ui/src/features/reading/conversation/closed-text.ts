// Why nothing can be written in a conversation any more, in words.
import type { Closed } from '../../../generated/Closed';
import { i18n } from '../../../i18n/all';

/** The sentence in place of the composer; `title` is the name of the conversation. */
export function closedText(closed: Closed, title: string): string {
  if (closed === 'left') return i18n.t.groupLeft;
  return closed === 'ended' ? i18n.t.groupEnded : i18n.t.personRemoved(title);
}
