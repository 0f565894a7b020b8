// Filters over a list: each is a token of the query language with a name.
import type { Strings } from '../../i18n/en';
import type { Stores } from '../../state/stores';

export interface Filter {
  readonly id: string;
  readonly token: string;
  /** The label in a menu: "Show only unread". */
  readonly label: string;
  /** The label of a chip: "Unread". */
  readonly short: string;
}

/** The token of items that are unread and not counted on the badge. */
export const QUIET = 'is:quiet';

function sourceToken(name: string): string {
  return `source:${/\s/.test(name) ? `"${name}"` : name}`;
}

/** The filter for the source of the current thread, unless the place is that of a source. */
function thisSource(stores: Stores, t: Strings): Filter[] {
  const of = stores.scope.place.place === 'source' ? undefined : stores.currentThread.row?.source;
  const source = stores.places.source(of);
  if (!source) return [];
  const name = stores.places.sourceName(source);
  return [{ id: 'source', token: sourceToken(name), label: t.onlyFrom(name), short: name }];
}

export function filters(stores: Stores, t: Strings): Filter[] {
  const unread: Filter = { id: 'unread', token: 'is:unread', label: t.onlyUnread, short: t.unread };
  return [
    ...(stores.scope.place.place === 'unread' ? [] : [unread]),
    { id: 'quiet', token: QUIET, label: t.onlyQuiet, short: t.quietItems },
    ...thisSource(stores, t),
    { id: 'attachment', token: 'has:attachment', label: t.onlyAttachment, short: t.withAttachment },
    { id: 'link', token: 'has:link', label: t.onlyLink, short: t.withLink },
    { id: 'priority', token: 'priority:4', label: t.onlyPriority, short: t.highPriority },
  ];
}

/** The name of an active filter. For a token that is not in the menu it is the source's name or the token itself. */
export function filterName(token: string, stores: Stores, t: Strings): string {
  const known = filters(stores, t).find((one) => one.token === token);
  if (known) return known.short;
  return token.replace(/^source:"?([^"]*)"?$/, '$1');
}
