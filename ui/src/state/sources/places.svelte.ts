// The counts of the places, the sources and the saved searches, as the program counted them, and the kinds of which there is
// something.
import type { Kind } from '../../generated/Kind';
import type { Places as Snapshot } from '../../generated/Places';
import type { QuietName } from '../../generated/QuietName';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import { firstPage } from '../list/list-query';
import { nameOf } from './sync-text';

/** The kinds that have a place, which is shown once a source has something of it. */
const PLACED: readonly Kind[] = ['announcement', 'message'];

export class Places {
  /** The program's newest answer; null before the first. */
  current: Snapshot | null = $state.raw(null);
  /** The names of topics, applications and repositories, as the list of what is quiet has them. */
  originNames: readonly QuietName[] = $state.raw([]);
  #kinds: ReadonlySet<Kind> = $state.raw(new Set());

  constructor(private readonly platform: Platform) {}

  get sources(): readonly SourceRow[] {
    return this.current?.sources ?? [];
  }

  get saved(): readonly SavedSearch[] {
    return this.current?.saved ?? [];
  }

  /** Whether there is, or was, something of a kind. */
  has(kind: Kind): boolean {
    return this.#kinds.has(kind) || (this.current?.[kind].unread ?? 0) > 0;
  }

  /** Takes note of the kinds of the arrived items. */
  learn(kinds: readonly Kind[]): void {
    const unread = PLACED.filter((kind) => (this.current?.[kind].unread ?? 0) > 0);
    const found = [...kinds, ...unread].filter((kind) => !this.#kinds.has(kind));
    if (found.length > 0) this.#kinds = new Set([...this.#kinds, ...found]);
  }

  /** Looks for kinds of which nothing has been seen yet. */
  async look(): Promise<void> {
    for (const kind of PLACED) {
      if (this.#kinds.has(kind)) continue;
      const { rows } = await this.platform.threads(firstPage({ place: 'kind', kind }, 1));
      if (rows.length > 0) this.learn([kind]);
    }
  }

  source(id: number | null | undefined): SourceRow | undefined {
    return this.sources.find((one) => one.id === id);
  }

  sourceName(source: SourceRow): string {
    return nameOf(source, i18n.t);
  }

  /** The name of the source with this id; empty if there is none. */
  nameOf(id: number | null | undefined): string {
    const source = this.source(id);
    return source ? this.sourceName(source) : '';
  }

  /** The name of a topic, an application or a repository; its id if no name is known. */
  originName(source: number, origin: string): string {
    const known = this.originNames.find((one) => one.source === source && one.origin === origin);
    return known?.name ?? origin.replace(/^(topic|application):/, '');
  }

  /** Replaces a part, until the program's next answer. */
  set(part: Partial<Snapshot>): void {
    if (this.current) this.current = { ...this.current, ...part };
  }
}
