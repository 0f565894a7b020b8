// Optimistic updates. Sent marks are applied to every row that the program read before it had set them. So a row does
// not fall back to its old state for a moment.
import type { Mark } from '../../generated/Mark';
import type { ThreadRow } from '../../generated/ThreadRow';
import { marked } from './marks';

export interface OptimisticMark {
  readonly ids: ReadonlySet<number>;
  readonly mark: Mark;
  /** The program's change count after it had set the mark; null until it has answered. */
  asOf: number | null;
}

export class OptimisticUpdates {
  #marks: readonly OptimisticMark[] = [];
  /** The change count of the newest event. */
  #received = 0;

  add(ids: readonly number[], mark: Mark): OptimisticMark {
    const added: OptimisticMark = { ids: new Set(ids), mark, asOf: null };
    this.#marks = [...this.#marks, added];
    return added;
  }

  /** Records that the program has set the mark. */
  confirm(mark: OptimisticMark, asOf: number): void {
    mark.asOf = asOf;
    this.#forget();
  }

  /** Removes a mark that the program refused, or that was never sent. */
  revert(mark: OptimisticMark): void {
    this.#marks = this.#marks.filter((one) => one !== mark);
  }

  /** The rows of an answer with the change count `asOf`, with the later marks applied. */
  apply(rows: readonly ThreadRow[], asOf: number): ThreadRow[] {
    return rows.map((row) =>
      this.#marks
        .filter((one) => one.ids.has(row.id) && (one.asOf === null || one.asOf > asOf))
        .reduce((now, one) => marked(now, one.mark), row),
    );
  }

  /** `apply` for the rows of an event. Events come in order, so marks that this one includes are forgotten. */
  applyToEvent(rows: readonly ThreadRow[], asOf: number): ThreadRow[] {
    const applied = this.apply(rows, asOf);
    this.#received = asOf;
    this.#forget();
    return applied;
  }

  #forget(): void {
    this.#marks = this.#marks.filter((one) => one.asOf === null || one.asOf > this.#received);
  }
}
