// How one source is doing: icon, tone and words of its line, and where it is.
import type { IconName } from '../../components/icons';
import type { SourceRow } from '../../generated/SourceRow';
import { say } from '../../i18n/say.svelte';
import { clockTime, dayOf, dayWord, moment, shortDate } from '../../i18n/times';
import type { Clock } from '../../state/clock.svelte';
import { seconds } from '../../state/sync-words';
import { hostOf } from '../reading/links';

export interface SourceState {
  /** A dot where there is none. */
  icon: IconName | null;
  tone: string;
  words: string;
  progress?: { done: number; of: number };
}

/** Was removed, and what it brought stayed. */
export function isKept(source: SourceRow): boolean {
  return source.protocol === 'kept';
}

export function isMuted(source: SourceRow): boolean {
  return source.notify.level === 'nothing';
}

/** The host, or the topics where the name is the host's already. */
export function whereOf(source: SourceRow): string {
  const host = hostOf(source.url);
  const topics = source.url.replace(/^\w+:\/\/[^/]*\/?/, '').replace(/\/$/, '');
  if (source.protocol !== 'ntfy' || topics === '') return host;
  return topics.split(',').join(say.lang === 'en' ? ', ' : '、');
}

function sinceWords(ms: number, today: number): string {
  switch (dayOf(ms, today)) {
    case 'today':
      return clockTime(ms, say.lang);
    case 'yesterday':
      return say.t.sinceYesterday;
    case 'week':
      return dayWord(ms, say.lang);
    default:
      return shortDate(ms, today, say.lang);
  }
}

function pausedWords(since: number | null, today: number): string {
  return since === null ? say.t.sourcePaused : say.t.sourcePausedSince(sinceWords(since, today));
}

export function stateOf(source: SourceRow, clock: Clock): SourceState {
  const { state } = source;
  if (isKept(source)) return { icon: 'archive', tone: '', words: say.t.sourceKept };
  switch (state.state) {
    case 'idle':
      return { icon: null, tone: '', words: say.t.sourceIdle };
    case 'live':
      return { icon: null, tone: 'is-ok', words: say.t.sourceLive };
    case 'paused':
      return { icon: 'pause', tone: '', words: pausedWords(state.since, clock.today) };
    case 'pulling':
      return state.of !== null && state.of > 0
        ? {
            icon: 'arrow-down',
            tone: 'accent',
            words: say.t.sourcePullingOf(state.done, state.of),
            progress: { done: state.done, of: state.of },
          }
        : { icon: 'arrow-down', tone: 'accent', words: say.t.sourcePulling(state.done) };
    case 'retrying':
      return {
        icon: state.offline ? 'wifi-off' : 'refresh-cw',
        tone: 'warn',
        words: say.t.sourceRetrying(state.why, seconds(state.at, clock.now)),
      };
    case 'needs_sign_in':
      return {
        icon: 'key-round',
        tone: 'danger',
        words: say.t.sourceSignIn(moment(state.since, clock.today, say.lang)),
      };
  }
}
