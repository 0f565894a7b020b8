// Starting a new conversation: the source for it, and showing it once it is sent.
import type { SourceRow } from '../../generated/SourceRow';
import type { Stores } from '../../state/stores';
import { focusThread } from '../commands/pane-focus';

/** The sources at which messages can be written. */
export function writableSources({ places, startup }: Stores): SourceRow[] {
  return places.sources.filter((one) => startup.protocol(one.protocol)?.abilities.reply);
}

/** The source that is shown, else one other than the own server. */
export function likelySource(stores: Stores): SourceRow | undefined {
  const { currentThread, scope } = stores;
  const sources = writableSources(stores);
  const { row } = currentThread;
  const at = scope.place.place === 'source' ? scope.place.source : row?.kind === 'message' ? row.source : null;
  return sources.find((one) => one.id === at) ?? sources.find((one) => !one.own) ?? sources[0];
}

/** Opens the form of a new conversation, which says what to add if no source accepts messages. */
export function openCompose(stores: Stores): boolean {
  if (!stores.startup.ready) return false;
  stores.router.newConversation();
  return true;
}

/** Shows a new conversation in a list that contains it, with the focus in its composer. */
export async function showNewConversation(stores: Stores, thread: number, source: number): Promise<void> {
  const { router, scope } = stores;
  const { place } = scope;
  const listed =
    scope.query === null &&
    scope.filters.length === 0 &&
    (place.place === 'inbox' ||
      (place.place === 'kind' && place.kind === 'message') ||
      (place.place === 'source' && place.source === source));
  if (!listed) await router.go({ place: 'kind', kind: 'message' });
  await router.openThread(thread);
  focusThread(stores, thread, true);
}
