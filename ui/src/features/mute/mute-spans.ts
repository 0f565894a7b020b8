// How long something can be muted, and the lines of menus that offer it.
import type { MenuAction } from '../../components/menus/menu-action';
import { i18n } from '../../i18n/i18n.svelte';
import { clockTime, moment, weekday } from '../../i18n/times';
import type { Mutable } from '../../state/marks/mutes';
import type { Stores } from '../../state/stores';
import { choices } from '../list/snooze-times';

export interface MuteSpan {
  readonly id: 'hour' | 'tomorrow' | 'ever';
  readonly label: string;
  readonly hint: string;
  /** The end in ms since 1970; null until it is unmuted. */
  readonly until: number | null;
}

/** The spans that are offered, the shortest first. */
export function muteSpans(now: number): MuteSpan[] {
  const { t, lang } = i18n;
  const { inAnHour, tomorrow } = choices(now);
  return [
    { id: 'hour', label: t.forAnHour, hint: clockTime(inAnHour, lang), until: inAnHour },
    {
      id: 'tomorrow',
      label: t.untilTomorrow,
      hint: `${weekday(tomorrow, lang)} ${clockTime(tomorrow, lang)}`,
      until: tomorrow,
    },
    { id: 'ever', label: t.untilUnmuted, hint: '', until: null },
  ];
}

/** The lines that mute something as a whole, or the one that unmutes it and says when that happens by itself. */
export function muteLines({ clock, sourceActions }: Stores, what: Mutable): (MenuAction & { id: string })[] {
  const { t, lang } = i18n;
  const named = what.origin === '' ? { mute: t.muteSpan, unmute: t.unmuteSource } : originTexts(what.name);
  if (what.muted) {
    const hint = what.until === null ? '' : t.untilWhen(moment(what.until, clock.today, lang));
    return [{ id: 'unmute', icon: 'bell', label: named.unmute, hint, run: () => sourceActions.unmute(what) }];
  }
  return muteSpans(clock.read()).map(({ id, label, hint, until }) => ({
    id: `mute-${id}`,
    icon: 'bell-off',
    label: named.mute(label),
    hint,
    run: () => sourceActions.mute(what, until),
  }));
}

function originTexts(name: string) {
  const { t } = i18n;
  return { mute: (span: string) => t.muteOriginSpan(name, span), unmute: t.unmuteOrigin(name) };
}
