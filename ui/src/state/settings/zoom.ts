// The steps of zoom and text size, as web browsers have them.

/** The steps of the page's zoom, percent. */
export const ZOOMS = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300] as const;
/** The sizes of text, percent. Rows of whole px come of each. */
export const TEXT_SIZES = [90, 100, 125, 150, 175, 200] as const;

/** The next larger or smaller zoom; the same at either end. */
export function nextZoom(zoom: number, by: 1 | -1): number {
  const beyond = by > 0 ? ZOOMS.find((one) => one > zoom) : ZOOMS.findLast((one) => one < zoom);
  return beyond ?? zoom;
}
