// Selection by dragging over the avatars: from the first row to the one under the pointer, scrolling at the edges.
import type { Stores } from '../../../state/stores';

interface Around {
  idNear(clientY: number): number | null;
  scrollTowards(clientY: number): void;
}

export interface DragSelect {
  begin(event: PointerEvent, id: number | null): void;
  /** Whether the click that follows belongs to a drag; true at most once for each drag. */
  took(): boolean;
}

export function dragSelect(stores: Stores, around: Around): DragSelect {
  let took = false;
  return {
    took() {
      const was = took;
      took = false;
      return was;
    },
    begin(down, from) {
      took = false;
      if (from === null) return;
      const before = stores.selection.ids;
      const off = new AbortController();
      const { signal } = off;
      let y = down.clientY;
      let frame = 0;
      const reach = () => {
        const to = around.idNear(y);
        if (to === null || (to === from && !took)) return;
        took = true;
        last = to;
        stores.selection.selectRange(from, to, before);
      };
      const follow = () => {
        around.scrollTowards(y);
        if (took) reach();
        frame = requestAnimationFrame(follow);
      };
      let last = from;
      const end = () => {
        if (took) stores.currentThread.landOn(last);
        cancelAnimationFrame(frame);
        off.abort();
      };
      addEventListener(
        'pointermove',
        (event) => {
          y = event.clientY;
          reach();
          if (took && frame === 0) frame = requestAnimationFrame(follow);
        },
        { signal },
      );
      addEventListener('pointerup', end, { signal });
      addEventListener('pointercancel', end, { signal });
    },
  };
}
