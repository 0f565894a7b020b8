// Groups messages of a conversation into runs: one person, one day, no long pause between.
import type { GroupLine } from '../../../generated/GroupLine';
import type { ItemView } from '../../../generated/ItemView';
import type { OutgoingView } from '../../../generated/OutgoingView';
import { startOfDay } from '../../../i18n/times';

/** The pause after which a new run begins, ms. */
const PAUSE = 10 * 60_000;

export interface Run {
  readonly own: boolean;
  /** Whether "New since" is above it. */
  readonly fresh: boolean;
  readonly items: ItemView[];
}

/** The changes of a group after one message and up to another; before the first message those of its day. */
export function linesBetween(
  lines: readonly GroupLine[],
  after: ItemView | undefined,
  upTo: ItemView | undefined,
): GroupLine[] {
  const from = after?.time ?? (upTo ? startOfDay(upTo.time) : Number.NEGATIVE_INFINITY);
  const to = upTo?.time ?? Number.POSITIVE_INFINITY;
  return lines.filter(({ time }) => from < time && time <= to);
}

/** Groups messages. The first message of others after `since`, ms since 1970, begins a run of its own, and so does the first
 * one after a change of the group. */
export function runsOf(items: readonly ItemView[], since: number | null, lines: readonly GroupLine[] = []): Run[] {
  const runs: Run[] = [];
  const freshAt = since === null ? -1 : items.findIndex((item) => item.time > since && !item.own);
  for (const [at, item] of items.entries()) {
    const run = runs.at(-1);
    const last = run?.items.at(-1);
    const joins =
      run &&
      last &&
      at !== freshAt &&
      linesBetween(lines, last, item).length === 0 &&
      run.own === item.own &&
      last.actor === item.actor &&
      JSON.stringify(last.receipt) === JSON.stringify(item.receipt) &&
      item.time - last.time < PAUSE &&
      startOfDay(item.time) === startOfDay(last.time);
    if (joins) run.items.push(item);
    else runs.push({ own: item.own, fresh: at === freshAt, items: [item] });
  }
  return runs;
}

/** Groups outgoing messages, oldest first, into runs of one state; each refused message is a run of its own. */
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
