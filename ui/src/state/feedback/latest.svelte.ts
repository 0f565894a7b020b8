// The latest answer to a question that is asked again whenever what it depends on changes.

/** The answer so far. Until the first one, and until the first failure, both members are null. */
export interface Latest<T> {
  readonly value: T | null;
  /** Why the last question failed; null if it was answered. */
  readonly failed: unknown;
}

/**
 * Asks now, and again when state that `ask` reads changes. What was answered before stays until the next answer, so that
 * nothing moves under the pointer meanwhile; an answer that a later question overtook is dropped. Call it while a
 * component is set up: it asks no more once that is gone.
 */
export function latest<T>(ask: () => Promise<T>): Latest<T> {
  let state: Latest<T> = $state.raw({ value: null, failed: null });
  $effect(() => {
    let current = true;
    const keep = (next: Latest<T>): void => {
      if (current) state = next;
    };
    ask().then(
      (value) => keep({ value, failed: null }),
      (failed: unknown) => keep({ value: state.value, failed }),
    );
    return () => {
      current = false;
    };
  });
  return {
    get value() {
      return state.value;
    },
    get failed() {
      return state.failed;
    },
  };
}
