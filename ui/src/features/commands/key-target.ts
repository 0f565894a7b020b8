// The element a key press goes to, where that decides what the key does.

/** Arrows, Enter and Space keep their meaning on a control; in the reading pane the arrows scroll. */
export function onControl(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('button, a, [role="separator"]') !== null;
}

export function inPane(event: KeyboardEvent, pane: string): boolean {
  return event.target instanceof Element && event.target.closest(pane) !== null;
}

/** Moves the focus along the places, or the names of the settings. */
export function moveInPlaces(event: KeyboardEvent, by: 1 | -1): boolean {
  const all = [...document.querySelectorAll<HTMLElement>('.places .place')];
  const at = all.indexOf(event.target as HTMLElement);
  if (at < 0) return false;
  all[at + by]?.focus();
  return true;
}
