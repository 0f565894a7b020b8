// How the sources are doing, in one sentence for the foot of the places, and in one for each source.

import type { IconName } from '../../components/icons/icons';
import type { SourceRow } from '../../generated/SourceRow';
import type { Sync } from '../../generated/Sync';
import type { Strings } from '../../i18n/en';

export interface SyncText {
  readonly icon: IconName;
  readonly tone: 'ok' | 'warn' | 'danger' | 'accent' | '';
  /** As the eye has it; `now` in ms since 1970 lets a retry count down. */
  readonly text: (now: () => number) => string;
  /** As it is said aloud: without numbers that run. */
  readonly said: string;
}

function text(icon: IconName, tone: SyncText['tone'], text: string): SyncText {
  return { icon, tone, text: () => text, said: text };
}

export function seconds(at: number, now: number): number {
  return Math.max(0, Math.ceil((at - now) / 1000));
}

export function nameOf(source: SourceRow, t: Strings): string {
  return source.own ? t.thisComputer : source.name;
}

export function syncText(sync: Sync, sources: readonly SourceRow[], t: Strings): SyncText {
  if (sync.offline) return text('wifi-off', 'warn', t.offline);
  if (sources.length === 0) return text('info', '', t.noSources);
  if (sync.up_to_date) return text('circle-check', 'ok', t.upToDate);
  const counted = { done: 0, of: 0, any: false };
  for (const { state } of sources) {
    if (state.state !== 'pulling') continue;
    counted.any = true;
    counted.done += state.done;
    counted.of += state.of ?? 0;
  }
  if (counted.any) {
    const text = counted.of > counted.done ? t.pullingOf(counted.done, counted.of) : t.pulling;
    return { icon: 'arrow-down', tone: 'accent', text: () => text, said: t.pulling };
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
      said: `${name}: ${t.isRetrying}`,
    };
  }
  if (refused) return text('key-round', 'danger', t.signIn(nameOf(refused, t)));
  return text('circle-check', 'ok', sync.last_pull === null ? t.starting : t.upToDate);
}
