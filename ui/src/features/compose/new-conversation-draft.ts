// The draft of a new conversation, saved in `localStorage` while it is typed, so that it survives a closed window.
import type { Person } from '../../generated/Person';

const KEY = 'begun';

/** A person to whom the conversation is addressed. */
export type Recipient = Pick<Person, 'id' | 'name'>;

export interface NewConversationDraft {
  readonly source: number | null;
  readonly people: readonly Recipient[];
  readonly group: boolean;
  readonly name: string;
  readonly body: string;
}

export const NOTHING: NewConversationDraft = { source: null, people: [], group: false, name: '', body: '' };

export function loadNewConversationDraft(): NewConversationDraft {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return typeof kept === 'object' && kept !== null ? { ...NOTHING, ...kept } : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Saves the draft; null or an empty draft removes it. */
export function saveNewConversationDraft(what: NewConversationDraft | null): void {
  try {
    const empty = what === null || (what.people.length === 0 && what.name === '' && what.body.trim() === '');
    if (empty) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(what));
  } catch {
    // Without storage the draft lasts as long as its dialog.
  }
}
