// The noise report's numbers.

/** The share of items that were read, percent; 0 and 100 only if none or all were. */
export function readPercent({ items, unread }: { items: number; unread: number }): number {
  if (items === 0 || unread >= items) return 0;
  return unread === 0 ? 100 : Math.min(99, Math.max(1, Math.round((100 * (items - unread)) / items)));
}
