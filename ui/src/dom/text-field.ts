// Helpers for text fields.

/** Whether an input method is composing text, which then owns the keys. Some engines report it by key code 229 only. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Whether the key is Enter without modifiers, which sends. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  const modified = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
  return event.key === 'Enter' && !modified && !isComposing(event);
}

/** Sets a field's height to that of its text, plus `border` in px; the stylesheet has the bound. */
export function fitHeight(field: HTMLTextAreaElement | null | undefined, border = 0): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + border}px`;
}
