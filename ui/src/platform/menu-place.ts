// Where a menu is asked for: at the pointer, or at what has the focus where a key asks. Refuses to guess where a menu
// has room.

/** In the window, px. */
export const menuPlace = { x: 0, y: 0 };

function note(event: MouseEvent): void {
  const byKey = event.type === 'click' && event.detail === 0 && event.target instanceof Element;
  const box = byKey ? (event.target as Element).getBoundingClientRect() : null;
  menuPlace.x = Math.round(box ? box.left : event.clientX);
  menuPlace.y = Math.round(box ? box.bottom : event.clientY);
}

addEventListener('contextmenu', note, true);
addEventListener('click', note, true);
