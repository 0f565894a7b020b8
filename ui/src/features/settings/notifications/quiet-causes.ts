// What is quiet now: its name, the reason in words, and how it is ended.

import type { QuietCause } from '../../../generated/QuietCause';
import type { QuietHours } from '../../../generated/QuietHours';
import { i18n } from '../../../i18n/all';
import { moment } from '../../../i18n/times';
import type { IconName } from '../../../icons';
import type { Stores } from '../../../state/stores';
import { quietSummary } from './quiet-hours';
import { scopeText } from './quiet-scopes';

export const causeId = ({ what, source }: QuietCause) => JSON.stringify([what, source]);

const icons: Record<QuietCause['what']['is'], IconName> = {
  pause: 'pause',
  hours: 'moon',
  calendar: 'moon',
  do_not_disturb: 'moon',
  source: 'bell-off',
  origin: 'bell-off',
  thread: 'bell-off',
  badge_only: 'bell-off',
};

/** The quiet hours of a cause, as the settings have them. */
function hoursOf({ settings }: Stores, { what }: QuietCause): QuietHours | undefined {
  return what.is === 'hours' || what.is === 'calendar' ? settings.current.notify.quiet[what.at] : undefined;
}

export function describe(
  stores: Stores,
  cause: QuietCause,
  today: number,
): { icon: IconName; title: string; why: string } {
  const { t } = i18n;
  const { what, until } = cause;
  const icon = icons[what.is];
  if (what.is === 'do_not_disturb') return { icon, title: t.doNotDisturb, why: t.doNotDisturbHint };
  const end = until === null ? t.untilEnded : t.untilWhen(moment(until, today, i18n.lang));
  const hours = hoursOf(stores, cause);
  const { places } = stores;
  const from = places.nameOf(cause.source);
  const scope = scopeText(hours?.only ?? [], places);
  const texts = {
    pause: [t.toastsRow, t.whyPaused],
    hours: [hours ? quietSummary(hours) : '', [t.quietHours, scope].filter(Boolean).join(' · ')],
    calendar: [hours ? quietSummary(hours) : '', [t.whyCalendar, scope].filter(Boolean).join(' · ')],
    source: [from, t.whySource],
    origin: [cause.name, t.whyOrigin(from)],
    thread: [cause.name, t.whyThread(from)],
    badge_only: [from, t.notifyBadge],
  } as const;
  const [title, why] = texts[what.is];
  return { icon, title, why: `${why} · ${end}` };
}

/** What ends a cause; null if only the desktop can. */
export function endOf(stores: Stores, cause: QuietCause): (() => Promise<void>) | null {
  const { places, sourceActions, threadActions } = stores;
  const { what, source, until, name } = cause;
  switch (what.is) {
    case 'pause':
      return () => sourceActions.resumeToasts();
    case 'hours':
    case 'calendar':
      return () => endHours(stores, cause);
    case 'do_not_disturb':
      return null;
    case 'thread':
      return () => threadActions.unmute([what.thread]);
    case 'badge_only': {
      const row = places.sources.find((one) => one.id === source);
      return row ? () => sourceActions.showToasts(row) : null;
    }
    default: {
      const origin = what.is === 'origin' ? what.origin : '';
      const muted = { source: source ?? 0, origin, name: name || places.nameOf(source), muted: true, until };
      return () => sourceActions.unmute(muted);
    }
  }
}

/** Ends quiet hours this time; they begin again as usual. */
async function endHours(stores: Stores, cause: QuietCause): Promise<void> {
  const { feedback, settings } = stores;
  const hours = hoursOf(stores, cause);
  if (!hours) return;
  const set = async (ended_until: number | null) => {
    const { notify } = settings.current;
    if (cause.what.is !== 'hours' && cause.what.is !== 'calendar') return;
    const { at } = cause.what;
    const quiet = notify.quiet.map((one, place) => (place === at ? { ...one, ended_until } : one));
    await settings.change({ notify: { ...notify, quiet } });
  };
  await set(cause.until);
  feedback.done(i18n.t.quietHoursEnded, () => set(hours.ended_until));
}
