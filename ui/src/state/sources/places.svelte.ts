// The counts of the places, the sources and the saved searches, as the program counted them.
import type { Places as Snapshot } from '../../generated/Places';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import { i18n } from '../../i18n/i18n.svelte';
import { nameOf } from './sync-text';

export class Places {
  /** The program's newest answer; null before the first. */
  current: Snapshot | null = $state.raw(null);

  get sources(): readonly SourceRow[] {
    return this.current?.sources ?? [];
  }

  get saved(): readonly SavedSearch[] {
    return this.current?.saved ?? [];
  }

  source(id: number | null | undefined): SourceRow | undefined {
    return this.sources.find((one) => one.id === id);
  }

  sourceName(source: SourceRow): string {
    return nameOf(source, i18n.t);
  }

  /** Replaces a part, until the program's next answer. */
  set(part: Partial<Snapshot>): void {
    if (this.current) this.current = { ...this.current, ...part };
  }
}
