// Filters over a list: each is a token of the query language with a name of its own.
import type { Words } from '../../i18n/en';
import type { Page } from '../../state/page.svelte';

export interface Filter {
  readonly id: string;
  readonly token: string;
  /** As a line of a menu: "Show only unread". */
  readonly words: string;
  /** As a chip: "Unread". */
  readonly short: string;
}

function sourceToken(name: string): string {
  return `source:${/\s/.test(name) ? `"${name}"` : name}`;
}

/** The source that "this source" means: that of the chosen thread. */
function thisSource(page: Page, t: Words): Filter[] {
  const of = page.place.place === 'source' ? undefined : page.row?.source;
  const source = page.sources.find((one) => one.id === of);
  if (!source) return [];
  const name = page.sourceName(source);
  return [{ id: 'source', token: sourceToken(name), words: t.onlyFrom(name), short: name }];
}

export function filters(page: Page, t: Words): Filter[] {
  const unread: Filter = { id: 'unread', token: 'is:unread', words: t.onlyUnread, short: t.unread };
  return [
    ...(page.place.place === 'unread' ? [] : [unread]),
    ...thisSource(page, t),
    { id: 'attachment', token: 'has:attachment', words: t.onlyAttachment, short: t.withAttachment },
    { id: 'link', token: 'has:link', words: t.onlyLink, short: t.withLink },
    { id: 'priority', token: 'priority:4', words: t.onlyPriority, short: t.highPriority },
  ];
}

/** What a filter that is on is called; one that the menu does not know stands for itself. */
export function filterName(token: string, page: Page, t: Words): string {
  const known = filters(page, t).find((one) => one.token === token);
  if (known) return known.short;
  return token.replace(/^source:"?([^"]*)"?$/, '$1');
}
