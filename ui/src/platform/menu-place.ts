// The position at which a menu was requested: at the pointer, or below the focused element if a key requested it. The
// desktop decides where the menu fits.

/** The position in the window, px. */
export const menuPlace = { x: 0, y: 0 };

function note(event: MouseEvent): void {
  const byKey = event.type === 'click' && event.detail === 0 && event.target instanceof Element;
  const box = byKey ? (event.target as Element).getBoundingClientRect() : null;
  menuPlace.x = Math.round(box ? box.left : event.clientX);
  menuPlace.y = Math.round(box ? box.bottom : event.clientY);
}

addEventListener('contextmenu', note, true);
addEventListener('click', note, true);
