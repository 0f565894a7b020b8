// The ends of mutes, and the origins that can be muted as a whole: a source, or a topic, an application or a repository
// of it.
import type { SourceRow } from '../../generated/SourceRow';
import type { ThreadRow } from '../../generated/ThreadRow';
import { i18n } from '../../i18n/i18n.svelte';
import { moment } from '../../i18n/times';

export interface Mutable {
  readonly source: number;
  /** The topic, application or repository, as `ThreadRow.origin` has it; empty for the whole source. */
  readonly origin: string;
  readonly name: string;
  readonly muted: boolean;
  /** The end of the mute in ms since 1970; null if it is not muted, or until it is unmuted. */
  readonly until: number | null;
}

export function isMutedSource({ notify }: SourceRow): boolean {
  return notify.level === 'nothing';
}

/** That a source is muted, and until when; null if it is not. */
export function mutedSource(source: SourceRow, today: number): string | null {
  if (!isMutedSource(source)) return null;
  const { muted_until: until } = source;
  return until === null ? i18n.t.muted : i18n.t.isMutedUntil(moment(until, today, i18n.lang));
}

export function mutableSource(source: SourceRow, name: string): Mutable {
  return { source: source.id, origin: '', name, muted: isMutedSource(source), until: source.muted_until };
}

/** The sentence that says until when a thread is muted; null if it is not, or until it is unmuted. */
export function mutedUntil({ muted, muted_until: until }: ThreadRow, today: number): string | null {
  return muted && until !== null ? i18n.t.isMutedUntil(moment(until, today, i18n.lang)) : null;
}

/** The topic, application or repository that all of the threads are from; null if there is no such one. */
export function mutableOrigin(rows: readonly ThreadRow[]): Mutable | null {
  const [first] = rows;
  if (!first?.origin) return null;
  const { id, name, muted, muted_until } = first.origin;
  const isOne = rows.every((row) => row.source === first.source && row.origin?.id === id);
  return isOne ? { source: first.source, origin: id, name, muted, until: muted_until } : null;
}
