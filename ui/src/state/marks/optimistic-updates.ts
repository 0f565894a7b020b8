// Optimistic updates: marks that were sent are applied to every row that the program read before it had put them, so that
// a row does not fall back to its old state for a moment.
import type { Mark } from '../../generated/Mark';
import type { ThreadRow } from '../../generated/ThreadRow';
import { marked } from './marks';

export interface OptimisticMark {
  readonly ids: ReadonlySet<number>;
  readonly mark: Mark;
  /** The program's count of changes when it had put the mark; null until it has answered. */
  asOf: number | null;
}

export class OptimisticUpdates {
  #marks: readonly OptimisticMark[] = [];
  /** The count of changes of the newest event. */
  #received = 0;

  add(ids: readonly number[], mark: Mark): OptimisticMark {
    const added: OptimisticMark = { ids: new Set(ids), mark, asOf: null };
    this.#marks = [...this.#marks, added];
    return added;
  }

  /** The program has put it. */
  confirm(mark: OptimisticMark, asOf: number): void {
    mark.asOf = asOf;
    this.#forget();
  }

  /** The program refused it, or it was never sent. */
  revert(mark: OptimisticMark): void {
    this.#marks = this.#marks.filter((one) => one !== mark);
  }

  /** Rows of an answer that knows of `asOf` changes, as they will be. */
  apply(rows: readonly ThreadRow[], asOf: number): ThreadRow[] {
    return rows.map((row) =>
      this.#marks
        .filter((one) => one.ids.has(row.id) && (one.asOf === null || one.asOf > asOf))
        .reduce((now, one) => marked(now, one.mark), row),
    );
  }

  /** The same for rows of an event. Events come in order: marks that this one knows of are forgotten. */
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
