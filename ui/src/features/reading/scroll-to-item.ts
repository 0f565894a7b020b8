// Scrolls to an item and highlights it for a moment.
import { tick } from 'svelte';

/** The length of the highlight, ms; the stylesheet fades it. */
const MOMENT = 2400;

export async function scrollToItem(box: HTMLElement, msgid: string): Promise<void> {
  await tick();
  const items = [...box.querySelectorAll<HTMLElement>('[data-item-msgid]')];
  const item = items.find((one) => one.dataset.itemMsgid === msgid);
  if (!item) return;
  item.scrollIntoView?.({ block: 'center' });
  item.classList.add('is-highlighted');
  setTimeout(() => item.classList.remove('is-highlighted'), MOMENT);
}
