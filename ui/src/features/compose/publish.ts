// Publishing on a topic of a source: which topics there are, and which one is meant.
import type { TopicOfSource } from '../../state/navigation/dialogs.svelte';
import type { Stores } from '../../state/stores';

/** The topics on which one can publish, in the order of their sources. */
export function allTopics({ places }: Stores): TopicOfSource[] {
  return places.sources.flatMap(({ id, topics }) => (topics ?? []).map((topic) => ({ source: id, topic })));
}

/** The topic of the current thread, else the first one of the source that is shown, else the first of all. */
function topicInView(stores: Stores): TopicOfSource | undefined {
  const topics = allTopics(stores);
  const { place } = stores.scope;
  const { row } = stores.currentThread;
  const shown = place.place === 'source' ? place.source : row?.source;
  return (
    topics.find((one) => one.source === row?.source && one.topic === row.topic) ??
    topics.find((one) => one.source === shown) ??
    topics[0]
  );
}

/** Opens the form, by default for the topic in view; false if no source has topics. */
export function openPublish(stores: Stores, at?: TopicOfSource): boolean {
  const topic = at ?? topicInView(stores);
  if (!stores.startup.ready || !topic) return false;
  stores.navigation.placesOpen = false;
  stores.dialogs.publish = topic;
  return true;
}

/** The address in a text; null for anything but addresses of the web and of mail. */
export function clickAddress(typed: string): string | null {
  const text = typed.trim();
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(text).protocol) ? text : null;
  } catch {
    return null;
  }
}
