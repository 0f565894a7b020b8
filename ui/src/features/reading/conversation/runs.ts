// Which messages of a conversation stand together: one person, one day, no long pause between.
import type { ItemView } from '../../../generated/ItemView';
import type { OutgoingView } from '../../../generated/OutgoingView';
import { startOfDay } from '../../../i18n/times';

/** A pause that starts a new run, ms. */
const PAUSE = 10 * 60_000;

export interface Run {
  readonly own: boolean;
  /** "New since" stands above it. */
  readonly fresh: boolean;
  readonly items: ItemView[];
}

/** `since` in ms since 1970: the first message of another one after it starts a run of its own. */
export function runsOf(items: readonly ItemView[], since: number | null): Run[] {
  const runs: Run[] = [];
  const freshAt = since === null ? -1 : items.findIndex((item) => item.time > since && !item.own);
  for (const [at, item] of items.entries()) {
    const run = runs.at(-1);
    const last = run?.items.at(-1);
    const joins =
      run &&
      last &&
      at !== freshAt &&
      run.own === item.own &&
      last.actor === item.actor &&
      String(last.receipt) === String(item.receipt) &&
      item.time - last.time < PAUSE &&
      startOfDay(item.time) === startOfDay(last.time);
    if (joins) run.items.push(item);
    else runs.push({ own: item.own, fresh: at === freshAt, items: [item] });
  }
  return runs;
}

/** What is not among the messages yet, oldest first: what is equally far stands together, what was refused alone. */
export function outgoingRuns(outgoing: readonly OutgoingView[]): OutgoingView[][] {
  const runs: OutgoingView[][] = [];
  for (const one of outgoing) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && last.failed === null && one.failed === null && last.sent === one.sent) run.push(one);
    else runs.push([one]);
  }
  return runs;
}
