// The subscription of threads at their services: what is offered for threads, with its icon and result text.

import type { Mark } from '../../generated/Mark';
import type { ThreadRow } from '../../generated/ThreadRow';
import type { Strings } from '../../i18n/en';
import type { IconName } from '../../icons';

/** The most threads that one command changes at their services: each is a request. */
const MOST = 100;

export interface SubscriptionChange {
  readonly mark: Mark;
  readonly icon: IconName;
  readonly label: string;
  /** The result text for threads, which it names. */
  readonly done: (what: string) => string;
  /** The threads whose service keeps subscriptions. */
  readonly ids: number[];
}

/** The service of threads, or several; null if none of them keeps subscriptions. */
function serviceOf(rows: readonly ThreadRow[], t: Strings): string | null {
  const services = new Set(rows.flatMap((row) => row.follow?.service ?? []));
  if (rows.length > MOST) return null;
  const [one, second] = services;
  return second ? t.theirServices : (one ?? null);
}

/** Subscribes if all of the threads are unsubscribed from, else unsubscribes; null if no service keeps that. */
export function subscriptionChange(rows: readonly ThreadRow[], t: Strings): SubscriptionChange | null {
  const kept = rows.filter((row) => row.follow);
  const service = serviceOf(kept, t);
  if (service === null) return null;
  const ids = kept.map((row) => row.id);
  const away = kept.every(
    ({ follow }) => follow?.subscription === 'unsubscribed' || follow?.subscription === 'ignored',
  );
  return away
    ? {
        mark: { op: 'subscribe' },
        icon: 'user-plus',
        label: t.subscribeAt(service),
        done: (what) => t.didSubscribe(what, service),
        ids,
      }
    : {
        mark: { op: 'unsubscribe' },
        icon: 'user-minus',
        label: t.unsubscribeAt(service),
        done: (what) => t.didUnsubscribe(what, service),
        ids,
      };
}

/** Mutes threads here and at their service; null if no service keeps that, or all of them are muted so. */
export function muteThere(rows: readonly ThreadRow[], t: Strings): SubscriptionChange | null {
  const kept = rows.filter((row) => row.follow && !(row.muted && row.follow.subscription === 'ignored'));
  const service = serviceOf(kept, t);
  if (service === null) return null;
  return {
    mark: { op: 'ignore' },
    icon: 'bell-off',
    label: t.muteAt(service),
    done: (what) => t.didMuteAt(what, service),
    ids: kept.map((row) => row.id),
  };
}
