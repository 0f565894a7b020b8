// The stack of open dialogs, from the moment in which each is requested. The uppermost one has every key, also before
// the focus is in it: Escape closes it, and no key reaches what lies behind.

export interface Layer {
  /** What it is drawn as; none while its code is still read in. */
  readonly box: () => HTMLElement | undefined;
  readonly close: () => void;
}

const layers: Layer[] = [];

function key(event: KeyboardEvent): void {
  const top = layers.at(-1);
  if (!top || event.isComposing) return;
  const box = top.box();
  if (box && event.target instanceof Node && box.contains(event.target)) return;
  // Leads the focus into it.
  if (event.key === 'Tab' && box) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === 'Escape') top.close();
}

/** Lays one on top. Answers with what takes it away again. */
export function cover(layer: Layer): () => void {
  if (layers.length === 0) window.addEventListener('keydown', key, { capture: true });
  layers.push(layer);
  return () => {
    const at = layers.indexOf(layer);
    if (at >= 0) layers.splice(at, 1);
    if (layers.length === 0) window.removeEventListener('keydown', key, { capture: true });
  };
}
