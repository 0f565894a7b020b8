// The element that receives a key press, for commands whose effect depends on it.

/** Whether the key types a character. Space is not one here: outside of text it turns the page. */
export function isCharacter(event: KeyboardEvent): boolean {
  return event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** Whether a control receives the key: Arrows, Enter and Space keep their effect there. */
export function onControl(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('button, a, [role="separator"]') !== null;
}

export function inPane(event: KeyboardEvent, pane: string): boolean {
  return event.target instanceof Element && event.target.closest(pane) !== null;
}

/** Moves the focus along the places, or along the pages of the settings; false if the focus is elsewhere. */
export function moveInPlaces(event: KeyboardEvent, by: 1 | -1): boolean {
  const all = [...document.querySelectorAll<HTMLElement>('.places .place')];
  const at = all.indexOf(event.target as HTMLElement);
  if (at < 0) return false;
  all[at + by]?.focus();
  return true;
}
