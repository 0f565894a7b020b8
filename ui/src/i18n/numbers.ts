// Numbers as text. `Intl` is not asked for counts: its first answer takes longer than the whole first list.

/** A number with a comma between thousands, as English and Chinese write it. */
export function grouped(value: number): string {
  if (!Number.isInteger(value)) return new Intl.NumberFormat('en').format(value);
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
