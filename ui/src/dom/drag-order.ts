// Moving a line of a list by dragging it. Esc, or a press that the desktop takes away, leaves it where it is.

/** The distance that the pointer moves before a press becomes a drag, px. */
const SLACK = 6;

export interface DragOrder {
  /** The lines of the list, in their order. */
  readonly lines: () => readonly HTMLElement[];
  /** Called with the position where the line would be put; with null at the end. */
  readonly over: (to: number | null) => void;
  readonly drop: (to: number) => void;
}

/** The line whose middle is nearest to a height in the window. */
function nearest(lines: readonly HTMLElement[], y: number): number {
  const away = lines.map((line) => {
    const { top, height } = line.getBoundingClientRect();
    return Math.abs(top + height / 2 - y);
  });
  return away.indexOf(Math.min(...away));
}

/** Follows a press on the line at position `at`. */
export function dragOrder(down: PointerEvent, at: number, { lines, over, drop }: DragOrder): void {
  if (down.button !== 0) return;
  const off = new AbortController();
  const { signal } = off;
  let to: number | null = null;
  const end = (drops: boolean) => {
    off.abort();
    over(null);
    if (drops && to !== null && to !== at) drop(to);
  };
  const move = (event: PointerEvent) => {
    if (to === null && Math.abs(event.clientY - down.clientY) < SLACK) return;
    to = nearest(lines(), event.clientY);
    over(to);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || to === null) return;
    event.stopPropagation();
    end(false);
  };
  addEventListener('pointermove', move, { signal });
  addEventListener('pointerup', () => end(true), { signal });
  addEventListener('pointercancel', () => end(false), { signal });
  addEventListener('keydown', key, { signal, capture: true });
}
