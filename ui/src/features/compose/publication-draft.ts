// The draft of a notification to publish, saved in `localStorage` while it is typed, so that it survives a closed window
// and a source that cannot be reached.
const KEY = 'publication';

/** The content of a form, without the place to which it goes. */
export interface PublicationDraft {
  /** The same for each try, so that the next one takes the place of one whose answer was lost. */
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly markdown: boolean;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly click: string;
}

/** 96 random bits as letters and digits. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const nothing = (): PublicationDraft => ({
  key: newKey(),
  title: '',
  text: '',
  markdown: false,
  priority: 3,
  tags: [],
  click: '',
});

/** Whether nothing was written that another try could send. */
export function isEmpty({ title, text, tags, click }: PublicationDraft): boolean {
  return [title, text, click].every((one) => one.trim() === '') && tags.length === 0;
}

export function loadPublicationDraft(): PublicationDraft {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return typeof kept === 'object' && kept !== null ? { ...nothing(), ...kept } : nothing();
  } catch {
    return nothing();
  }
}

/** Saves the draft; null or an empty draft removes it. */
export function savePublicationDraft(what: PublicationDraft | null): void {
  try {
    if (what === null || isEmpty(what)) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(what));
  } catch {
    // Without storage the draft lasts as long as its dialog.
  }
}
