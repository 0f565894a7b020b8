// The noise report's numbers.

/** How much of what was told was read, percent; 0 and 100 only where nothing or all was. */
export function readPercent({ items, unread }: { items: number; unread: number }): number {
  if (items === 0 || unread >= items) return 0;
  return unread === 0 ? 100 : Math.min(99, Math.max(1, Math.round((100 * (items - unread)) / items)));
}
