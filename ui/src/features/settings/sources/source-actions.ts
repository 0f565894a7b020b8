// What a reader does with a source: shown at once, put back where the program refuses.
import { tick } from 'svelte';
import type { NotifySettings } from '../../../generated/NotifySettings';
import type { SourceRow } from '../../../generated/SourceRow';
import { i18n } from '../../../i18n/i18n.svelte';
import type { Page } from '../../../state/page.svelte';

async function change(page: Page, next: SourceRow[], ask: () => Promise<unknown>): Promise<void> {
  const before = [...page.sources];
  page.setSources(next);
  try {
    await ask();
  } catch (error) {
    page.setSources(before);
    page.fail(error);
  }
}

function withOne(page: Page, id: number, part: Partial<SourceRow>): SourceRow[] {
  return page.sources.map((one) => (one.id === id ? { ...one, ...part } : one));
}

export function pause(page: Page, id: number, on: boolean): Promise<void> {
  const state: SourceRow['state'] = on ? { state: 'paused', since: page.clock.now } : { state: 'idle' };
  return change(page, withOne(page, id, { state }), () => page.platform.pauseSource(id, on));
}

export function pull(page: Page, id: number): void {
  page.platform.trySource(id).catch(page.fail);
}

/** Changes what a source may do. */
export function tell(page: Page, source: SourceRow, part: Partial<NotifySettings>): Promise<void> {
  const notify = { ...source.notify, ...part };
  return change(page, withOne(page, source.id, { notify }), () => page.platform.setSourceNotify(source.id, notify));
}

/** One up or down; says where it is now. */
export async function move(page: Page, source: SourceRow, by: 1 | -1): Promise<void> {
  const next = [...page.sources];
  const at = next.findIndex((one) => one.id === source.id);
  next.splice(at, 1);
  next.splice(at + by, 0, source);
  const ids = next.map((one) => one.id);
  await change(page, next, () => page.platform.orderSources(ids));
  await tick();
  document.querySelector<HTMLElement>(`[data-source-menu="${source.id}"]`)?.focus();
  const place = page.sources.findIndex((one) => one.id === source.id) + 1;
  page.announcer.announce(i18n.t.moved(page.sourceName(source), place, page.sources.length));
}
