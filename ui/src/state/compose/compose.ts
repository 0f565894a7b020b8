// Beginning a conversation: where one can, and how it is shown once it is begun.
import { tick } from 'svelte';
import { nextFrame } from '../../dom/next-frame';
import type { SourceRow } from '../../generated/SourceRow';
import type { Page } from '../page.svelte';

/** Sources at which people can be written to. */
export function writableSources(page: Page): SourceRow[] {
  return page.sources.filter((one) => one.protocol === 'tidings');
}

/** Where one most likely wants to write: where one is, else where others are. */
export function likelySource(page: Page): SourceRow | undefined {
  const sources = writableSources(page);
  const { place } = page;
  const at = place.place === 'source' ? place.source : page.row?.kind === 'message' ? page.row.source : null;
  return sources.find((one) => one.id === at) ?? sources.find((one) => !one.own) ?? sources[0];
}

/** Opens the form that begins a conversation; false where nobody can be written to. */
export function begin(page: Page): boolean {
  if (!page.ready || writableSources(page).length === 0) return false;
  page.drawer = false;
  page.beginning = true;
  return true;
}

/** Opens a conversation that was just begun, in a list that holds it, and lets its writer go on. */
export async function showNewConversation(page: Page, thread: number, source: number): Promise<void> {
  const { place } = page;
  const holds =
    page.search.query === null &&
    page.finding.filters.length === 0 &&
    (place.place === 'inbox' ||
      (place.place === 'kind' && place.kind === 'message') ||
      (place.place === 'source' && place.source === source));
  if (!holds) await page.go({ place: 'kind', kind: 'message' });
  await page.open(thread);
  await page.reading.here;
  await nextFrame();
  await tick();
  document.querySelector<HTMLElement>('.composer textarea')?.focus();
}
