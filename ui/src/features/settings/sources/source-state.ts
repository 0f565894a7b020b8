// The status of a source: icon, tone and text of its line, and its address.

import type { ProtocolView } from '../../../generated/ProtocolView';
import type { SourceRow } from '../../../generated/SourceRow';
import { i18n } from '../../../i18n/all';
import { clockTime, dayOf, longDay, moment, shortDate } from '../../../i18n/times';
import type { IconName } from '../../../icons';
import type { Clock } from '../../../state/clock.svelte';
import { seconds } from '../../../state/sources/sync-text';
import { hostOf } from '../../reading/item/links';

export interface SourceState {
  /** The icon; null for a dot. */
  icon: IconName | null;
  tone: string;
  text: string;
  progress?: { done: number; of: number };
}

/** Whether the source was removed and its items kept. */
export function isKept(source: SourceRow): boolean {
  return source.protocol === 'kept';
}

/** The kind, if the name does not say it, and the host; for an ntfy source with topics, the topics. */
export function whereOf(source: SourceRow, kind: ProtocolView | undefined): string {
  const called = kind && !source.own ? i18n.t.kindShort(kind.name, kind.label) : '';
  const named = source.name.toLowerCase().includes(called.toLowerCase());
  return [named ? '' : called, addressOf(source)].filter(Boolean).join(' · ');
}

function addressOf(source: SourceRow): string {
  if (source.applications) return i18n.t.desktopKept(source.applications.filter((one) => one.kept).length);
  const host = hostOf(source.url);
  const topics = source.url.replace(/^\w+:\/\/[^/]*\/?/, '').replace(/\/$/, '');
  if (source.protocol !== 'ntfy' || topics === '') return host;
  return i18n.t.names(topics.split(','));
}

function formatSince(ms: number, today: number): string {
  switch (dayOf(ms, today)) {
    case 'today':
      return clockTime(ms, i18n.lang);
    case 'yesterday':
      return i18n.t.sinceYesterday;
    case 'week':
      return longDay(ms, i18n.lang);
    default:
      return shortDate(ms, today, i18n.lang);
  }
}

function pausedText(since: number | null, today: number): string {
  return since === null ? i18n.t.sourcePaused : i18n.t.sourcePausedSince(formatSince(since, today));
}

export function stateOf(source: SourceRow, clock: Clock): SourceState {
  const { state } = source;
  if (isKept(source)) return { icon: 'archive', tone: '', text: i18n.t.sourceKept };
  switch (state.state) {
    case 'idle':
      return { icon: 'circle-check', tone: 'ok', text: i18n.t.sourceIdle };
    case 'live':
      return { icon: null, tone: 'is-ok', text: i18n.t.sourceLive };
    case 'paused':
      return { icon: 'pause', tone: '', text: pausedText(state.since, clock.today) };
    case 'pulling':
      return state.of !== null && state.of > 0
        ? {
            icon: 'arrow-down',
            tone: 'accent',
            text: i18n.t.sourcePullingOf(state.done, state.of),
            progress: { done: state.done, of: state.of },
          }
        : { icon: 'arrow-down', tone: 'accent', text: i18n.t.sourcePulling(state.done) };
    case 'retrying':
      return {
        icon: state.offline ? 'wifi-off' : 'refresh-cw',
        tone: 'warn',
        text: i18n.t.sourceRetrying(state.why, seconds(state.at, clock.now)),
      };
    case 'ended':
      return {
        icon: 'triangle-alert',
        tone: 'warn',
        text: i18n.t.sourceEnded(state.why, seconds(state.at, clock.now)),
      };
    case 'needs_sign_in':
      return {
        icon: 'key-round',
        tone: 'danger',
        text: i18n.t.sourceSignIn(moment(state.since, clock.today, i18n.lang)),
      };
  }
}
