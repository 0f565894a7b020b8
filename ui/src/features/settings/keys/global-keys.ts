// The keys that show and hide the window from anywhere, as the program has them: `Control+Alt+KeyT`.

const NAMED =
  /^(F([1-9]|1\d|2[0-4])|Digit\d|Arrow(Up|Down|Left|Right)|Space|Home|End|PageUp|PageDown|Insert|Delete|Comma|Period|Slash|Semicolon|Quote|BracketLeft|BracketRight|Backslash|Minus|Equal|Backquote)$/;

/** The keys of an event; empty if they would take a letter from every program, or are no such keys. */
export function globalKeysOf(event: KeyboardEvent): string {
  if (!event.ctrlKey && !event.altKey && !event.metaKey) return '';
  // A letter is that of the layout, wherever its key is.
  const letter = /^[a-z]$/i.test(event.key) ? `Key${event.key.toUpperCase()}` : '';
  const key = letter || (NAMED.test(event.code) ? event.code : '');
  if (key === '') return '';
  const held = [
    event.ctrlKey && 'Control',
    event.altKey && 'Alt',
    event.shiftKey && 'Shift',
    event.metaKey && 'Super',
  ].filter((one) => one !== false);
  return [...held, key].join('+');
}

/** The keys as they stand on a keyboard. */
export function globalLabels(keys: string): string[] {
  return keys.split('+').map((key) => (key === 'Control' ? 'Ctrl' : key.replace(/^(Key|Digit|Arrow)(?=.)/, '')));
}
