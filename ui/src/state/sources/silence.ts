// What holds toasts back now: a pause, quiet hours, or the desktop's do-not-disturb mode.
import type { Lang } from '../../generated/Lang';
import type { Sync } from '../../generated/Sync';
import type { Strings } from '../../i18n/en';
import { pauseText } from './pause-text';

export interface Silence {
  /** For the foot of the places: what holds toasts back, and until when. */
  readonly text: string;
  /** For the settings, if there is room for the consequences. */
  readonly sentence: string;
  /** Whether the reader paused toasts, so that the pause can be ended here. */
  readonly paused: boolean;
}

/** The silence in force; null if toasts are shown as they arrive. Of a pause and quiet hours the later end counts. */
export function silenceOf(sync: Sync | null, today: number, lang: Lang, t: Strings): Silence | null {
  if (!sync) return null;
  const { paused_until: pause, quiet_until: quiet } = sync;
  const until = pause === 0 ? 0 : pause !== null && quiet !== null ? Math.max(pause, quiet) : (pause ?? quiet);
  const text = pauseText(until, today, lang, t);
  if (text !== null) return { text, sentence: text, paused: pause !== null };
  return sync.do_not_disturb ? { text: t.doNotDisturb, sentence: t.doNotDisturbHint, paused: false } : null;
}
