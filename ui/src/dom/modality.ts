// Whether the reader last used a key or the pointer. After a click WebKit marks nothing that a script focuses as
// `:focus-visible`, even if a key asked for it; the class `by-key` stands for that in the stylesheets.

const MODIFIERS = ['Shift', 'Control', 'Alt', 'Meta'];

export function trackModality(root: HTMLElement): void {
  const use = (byKey: boolean) => root.classList.toggle('by-key', byKey);
  // Ctrl may belong to a click.
  addEventListener('keydown', (event) => !MODIFIERS.includes(event.key) && use(true), { capture: true });
  addEventListener('pointerdown', () => use(false), { capture: true });
}
