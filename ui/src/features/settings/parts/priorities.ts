// The five priorities as options.
import { i18n } from '../../../i18n/all';

export const PRIORITIES = [1, 2, 3, 4, 5] as const;

export function priorityOptions(): { value: string; name: string }[] {
  return PRIORITIES.map((one) => ({ value: String(one), name: i18n.t.priorityName(one) }));
}
