// A conversation that was begun and not sent: kept as one types, also when the window is gone meanwhile.
import type { Person } from '../../generated/Person';

const KEY = 'begun';

/** Somebody who is written to. */
export type Recipient = Pick<Person, 'id' | 'name'>;

export interface NewConversationDraft {
  readonly source: number | null;
  readonly people: readonly Recipient[];
  readonly name: string;
  readonly body: string;
}

export const NOTHING: NewConversationDraft = { source: null, people: [], name: '', body: '' };

export function loadNewConversationDraft(): NewConversationDraft {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return typeof kept === 'object' && kept !== null ? { ...NOTHING, ...kept } : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Nothing forgets it. */
export function saveNewConversationDraft(what: NewConversationDraft | null): void {
  try {
    const empty = what === null || (what.people.length === 0 && what.name === '' && what.body.trim() === '');
    if (empty) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(what));
  } catch {
    // Without a store it lasts as long as its dialog.
  }
}
