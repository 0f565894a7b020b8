// The stack of open dialogs, from the moment in which each is requested. The uppermost one receives every key, also
// before it has the focus: Escape closes it, and no key reaches the page behind.

export interface Layer {
  /** The dialog's element; undefined while its code is being loaded. */
  readonly box: () => HTMLElement | undefined;
  readonly close: () => void;
}

const layers: Layer[] = [];

function key(event: KeyboardEvent): void {
  const top = layers.at(-1);
  if (!top || event.isComposing) return;
  const box = top.box();
  if (box && event.target instanceof Node && box.contains(event.target)) return;
  // Tab moves the focus into the dialog.
  if (event.key === 'Tab' && box) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === 'Escape') top.close();
}

/** Adds a layer on top. Returns the function that removes it. */
export function cover(layer: Layer): () => void {
  if (layers.length === 0) window.addEventListener('keydown', key, { capture: true });
  layers.push(layer);
  return () => {
    const at = layers.indexOf(layer);
    if (at >= 0) layers.splice(at, 1);
    if (layers.length === 0) window.removeEventListener('keydown', key, { capture: true });
  };
}
