// The digest: its span of time, the program's answer, archiving its items, and the offer of one after an absence.
import type { Away } from '../../generated/Away';
import type { Digest as Answer } from '../../generated/Digest';
import type { DigestTarget } from '../../generated/DigestTarget';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import type { Clock } from '../clock.svelte';
import { errorText, type Feedback } from '../feedback/feedback.svelte';
import type { MarkQueue } from '../marks/mark-queue';
import type { Navigation } from '../navigation/navigation.svelte';
import type { Router } from '../navigation/router';

/** Since when: the reader's last absence, the last evening, some days, or a chosen time. */
export type Span = 'away' | 'night' | 'day' | 'days' | 'week' | 'time';

const HOUR = 3_600_000;
const BACK: Partial<Record<Span, number>> = { day: 24 * HOUR, days: 72 * HOUR, week: 168 * HOUR };
const EVENING = 18;
/** The time between two reports that the reader is here, ms. */
const REPORT = 60_000;

/** The beginning of the last evening that is over, or of this one. */
function lastEvening(now: number): number {
  const date = new Date(now);
  if (date.getHours() < EVENING) date.setDate(date.getDate() - 1);
  return date.setHours(EVENING, 0, 0, 0);
}

export class Digest {
  span: Span = $state('away');
  /** The chosen time, for the span `time`. */
  chosen = $state(0);
  current: Answer | null = $state.raw(null);
  /** The reason why there is none. */
  error: string | null = $state(null);
  /** Whether something of the shown digest was archived. */
  archived = $state(false);
  /** What came during an absence, while a digest of it is offered. */
  away: Away | null = $state.raw(null);
  /** Counts the digests that were opened. */
  opened = $state(0);
  #reported = Number.NEGATIVE_INFINITY;
  #round = 0;

  constructor(
    private readonly platform: Platform,
    private readonly clock: Clock,
    private readonly navigation: Navigation,
    private readonly router: Router,
    private readonly markQueue: MarkQueue,
    private readonly feedback: Feedback,
  ) {}

  /** Reports, once a minute at most, that the reader is at the window. */
  here(): void {
    const now = this.clock.read();
    if (!document.hasFocus() || (now - this.#reported < REPORT && now >= this.#reported)) return;
    this.#reported = now;
    this.#offer(this.platform.here());
  }

  /** Asks again what came during an absence: a pull may have brought more. The reader need not be here. */
  look(): void {
    this.#offer(this.platform.away());
  }

  /** Without an answer nothing is offered. */
  #offer(asked: Promise<Away | null>): void {
    asked.then(
      (away) => (this.away = away),
      () => (this.away = null),
    );
  }

  /** Takes the offer away for good. */
  closeAway(): void {
    if (this.away === null) return;
    this.away = null;
    this.platform.closeAway().catch(this.feedback.fail);
  }

  /** Shows the digest of a span; again without one. */
  async open(span = this.span, chosen = this.chosen): Promise<void> {
    this.router.leaveList();
    Object.assign(this.navigation, { view: 'digest', placesOpen: false });
    if (span === 'away') this.closeAway();
    this.span = span;
    this.chosen = chosen;
    this.archived = false;
    await this.#load(null);
    this.opened += 1;
  }

  /** Archives the items of the digest, or of one source or thread of it; items that have arrived since stay. */
  async archive(part: Partial<Pick<DigestTarget, 'source' | 'thread'>>, items: number): Promise<void> {
    const shown = this.current;
    if (!shown) return;
    const target = { since: shown.since_micros, last_item: shown.last_item, source: null, thread: null, ...part };
    await this.feedback.attempt(async () => {
      const done = await this.markQueue.send(() => this.platform.archiveDigest(target));
      this.archived = true;
      const { undo } = done;
      const back = async () => {
        if (undo !== null) await this.markQueue.send(() => this.platform.undo(undo));
        await this.#load(shown.last_item);
      };
      const { t } = i18n;
      if (undo !== null) this.feedback.done(t.didArchiveItems(items), back, t.itemsAreBack(items));
      await this.#load(shown.last_item);
    });
  }

  get #since(): number | null {
    const now = this.clock.read();
    if (this.span === 'away') return null;
    if (this.span === 'time') return this.chosen;
    return this.span === 'night' ? lastEvening(now) : now - (BACK[this.span] ?? 0);
  }

  /** Makes the digest; with the last item of one that is shown it is that one as it is now. */
  async #load(lastItem: number | null): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    const since = lastItem === null ? this.#since : (this.current?.since ?? null);
    try {
      const made = await this.platform.digest({ since, last_item: lastItem });
      if (round !== this.#round) return;
      this.current = made;
      this.error = null;
    } catch (error) {
      if (round === this.#round) this.error = errorText(error);
    }
  }
}
