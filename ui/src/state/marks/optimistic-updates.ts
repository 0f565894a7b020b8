// Marks that were asked for, laid over rows that the program read before it had put them. Without it a row falls back to
// how it was for as long as such rows are on their way, and a key that depends on it does the opposite. Asks nobody.
import type { Mark } from '../../generated/Mark';
import type { ThreadRow } from '../../generated/ThreadRow';
import { marked } from './marks';

/** A mark that was asked for. */
export interface Asked {
  readonly ids: ReadonlySet<number>;
  readonly mark: Mark;
  /** The program's count of changes as it was put; null until that is known. */
  asOf: number | null;
}

export class OptimisticUpdates {
  #asked: readonly Asked[] = [];
  /** The count of changes that was heard of last. */
  #heard = 0;

  ask(ids: readonly number[], mark: Mark): Asked {
    const asked: Asked = { ids: new Set(ids), mark, asOf: null };
    this.#asked = [...this.#asked, asked];
    return asked;
  }

  /** The program has put it. */
  put(asked: Asked, asOf: number): void {
    asked.asOf = asOf;
    this.#forget();
  }

  /** It comes to nothing. */
  drop(asked: Asked): void {
    this.#asked = this.#asked.filter((one) => one !== asked);
  }

  /** Rows of an answer that knows of `asOf` changes, as they will be. */
  lay(rows: readonly ThreadRow[], asOf: number): ThreadRow[] {
    return rows.map((row) =>
      this.#asked
        .filter((one) => one.ids.has(row.id) && (one.asOf === null || one.asOf > asOf))
        .reduce((now, one) => marked(now, one.mark), row),
    );
  }

  /** The same for what is told unasked: it comes in order, so what it knows of needs no laying any more. */
  hear(rows: readonly ThreadRow[], asOf: number): ThreadRow[] {
    const laid = this.lay(rows, asOf);
    this.#heard = asOf;
    this.#forget();
    return laid;
  }

  #forget(): void {
    this.#asked = this.#asked.filter((one) => one.asOf === null || one.asOf > this.#heard);
  }
}
