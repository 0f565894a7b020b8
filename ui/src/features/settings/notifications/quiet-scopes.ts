// What quiet hours are for: everything, or some sources, topics, applications and repositories.
import type { Noise } from '../../../generated/Noise';
import type { QuietScope } from '../../../generated/QuietScope';
import { i18n } from '../../../i18n/all';
import type { Places } from '../../../state/sources/places.svelte';

/** A source or topic that quiet hours can be for. */
export interface Scope extends QuietScope {
  readonly name: string;
  /** A topic's name without that of its source. */
  readonly bare: string;
}

const same = (a: QuietScope, b: QuietScope) => a.source === b.source && a.origin === b.origin;

/** The offered scopes: each source, then its known topics, and the chosen ones. */
export function offeredScopes(places: Places, noise: Noise | null, only: readonly QuietScope[]): Scope[] {
  return places.sources.flatMap((source) => {
    const reported = noise?.sources.find((one) => one.source === source.id)?.origins ?? [];
    const chosen = only.flatMap((one) => (one.source === source.id && one.origin !== '' ? [one.origin] : []));
    const topics = (source.topics ?? []).map((topic) => `topic:${topic}`);
    const origins = [...new Set([...topics, ...reported.map((one) => one.target), ...chosen])];
    const name = places.sourceName(source);
    const nameOf = (origin: string) =>
      reported.find((one) => one.target === origin)?.name ?? places.originName(source.id, origin);
    return [
      { source: source.id, origin: '', name, bare: name },
      ...origins.map((origin) => {
        const bare = nameOf(origin);
        return { source: source.id, origin, name: i18n.t.noiseOf(bare, name), bare };
      }),
    ];
  });
}

export const isChosen = (only: readonly QuietScope[], scope: QuietScope) => only.some((one) => same(one, scope));

/** The scopes with one added or taken away. */
export function toggled(only: readonly QuietScope[], { source, origin }: QuietScope): QuietScope[] {
  const scope = { source, origin };
  return isChosen(only, scope) ? only.filter((one) => !same(one, scope)) : [...only, scope];
}

/** What quiet hours are for, in words; empty for everything. */
export function scopeText(only: readonly QuietScope[], places: Places): string {
  if (only.length === 0) return '';
  const names = offeredScopes(places, null, only).filter((scope) => isChosen(only, scope));
  return i18n.t.quietOnly(names.map((scope) => scope.name));
}
