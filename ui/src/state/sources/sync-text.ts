// The status of all sources in one sentence.

import type { SourceRow } from '../../generated/SourceRow';
import type { Sync } from '../../generated/Sync';
import type { Strings } from '../../i18n/en';
import type { IconName } from '../../icons';

export interface SyncText {
  readonly icon: IconName;
  readonly tone: 'ok' | 'warn' | 'danger' | 'accent' | '';
  /** The sentence; it reads `now`, ms since 1970, if a retry counts down. */
  readonly text: (now: () => number) => string;
  /** The sentence for screen readers, without a countdown. */
  readonly announced: string;
  /** The source that is tried again after a while, and can be at once. */
  readonly retrying?: number;
}

function fixed(icon: IconName, tone: SyncText['tone'], text: string): SyncText {
  return { icon, tone, text: () => text, announced: text };
}

export function seconds(at: number, now: number): number {
  return Math.max(0, Math.ceil((at - now) / 1000));
}

export function nameOf(source: SourceRow, t: Strings): string {
  return source.own ? t.thisComputer : source.name;
}

export function syncText(sync: Sync, sources: readonly SourceRow[], t: Strings): SyncText {
  if (sync.offline) return fixed('wifi-off', 'warn', t.offline);
  if (sources.length === 0) return fixed('info', '', t.noSources);
  if (sync.up_to_date) return fixed('circle-check', 'ok', t.upToDate);
  const counted = { done: 0, of: 0, any: false };
  for (const { state } of sources) {
    if (state.state !== 'pulling') continue;
    counted.any = true;
    counted.done += state.done;
    counted.of += state.of ?? 0;
  }
  if (counted.any) {
    const text = counted.of > counted.done ? t.pullingOf(counted.done, counted.of) : t.pulling;
    return { icon: 'arrow-down', tone: 'accent', text: () => text, announced: t.pulling };
  }
  const refused = sources.find(({ state }) => state.state === 'needs_sign_in');
  const retrying = sources.find(({ state }) => state.state === 'retrying');
  if (retrying?.state.state === 'retrying') {
    const name = nameOf(retrying, t);
    const { at } = retrying.state;
    return {
      icon: 'refresh-cw',
      tone: 'warn',
      text: (now) => t.retrying(name, seconds(at, now())),
      announced: `${name}: ${t.isRetrying}`,
      retrying: retrying.id,
    };
  }
  const ended = sources.find(({ state }) => state.state === 'ended');
  if (ended?.state.state === 'ended') {
    const name = nameOf(ended, t);
    const { at } = ended.state;
    return {
      icon: 'triangle-alert',
      tone: 'warn',
      text: (now) => t.goingOn(name, seconds(at, now())),
      announced: `${name}: ${t.isEnded}`,
      retrying: ended.id,
    };
  }
  if (refused) return fixed('key-round', 'danger', t.signIn(nameOf(refused, t)));
  return fixed('circle-check', 'ok', sync.last_pull === null ? t.starting : t.upToDate);
}
