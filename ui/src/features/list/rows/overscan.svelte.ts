// The number of rows that are kept in the document beyond those on screen.
import { untrack } from 'svelte';
import { nextFrame } from '../../../dom/next-frame';
import type { Stores } from '../../../state/stores';

const ROWS = 8;
/** The pause before a list has them while a search is typed, ms: the next letter has another list. */
const TYPING = 1_000;

/** Is 0 until the first rows of a list are drawn. To be made while a component is. */
export class Overscan {
  rows = $state(0);

  constructor({ list, scope }: Stores) {
    $effect.pre(() => {
      void list.shown;
      this.rows = 0;
      const typed = untrack(() => scope.query !== null);
      let later: ReturnType<typeof setTimeout> | undefined;
      let left = false;
      void nextFrame().then(() => {
        if (!left) later = setTimeout(() => (this.rows = ROWS), typed ? TYPING : 0);
      });
      return () => {
        left = true;
        clearTimeout(later);
      };
    });
  }
}
