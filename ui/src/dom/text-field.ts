// What text fields have in common.

/** An input method composes a character: its keys are not those of the page. Some engines tell it only by the old code. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Enter without modifiers, which sends. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  const modified = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
  return event.key === 'Enter' && !modified && !isComposing(event);
}

/** Makes a field as tall as its text; the stylesheet has the bound. `border` in px. */
export function fitHeight(field: HTMLTextAreaElement | null | undefined, border = 0): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + border}px`;
}
