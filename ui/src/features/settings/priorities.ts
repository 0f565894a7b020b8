// The five priorities, as choices.
import { say } from '../../i18n/say.svelte';

export const PRIORITIES = [1, 2, 3, 4, 5] as const;

export function priorityOptions(): { value: string; name: string }[] {
  return PRIORITIES.map((one) => ({ value: String(one), name: say.t.priorityName(one) }));
}
