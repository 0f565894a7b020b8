// The name of an item for screen readers: who, what and when, in one line.
import type { ItemView } from '../../../generated/ItemView';
import { i18n } from '../../../i18n/i18n.svelte';

export function itemName({ actor, verb, title, unread }: ItemView, time: string): string {
  const who = [actor, verb].filter(Boolean).join(' ');
  return [who, title, unread ? i18n.t.isUnread : '', time].filter(Boolean).join(', ');
}
