// The next picture on the screen.

/** A window that is not on screen paints none, ms. */
const MOST = 50;

/** Done once what changed just now is on screen, or would be. */
export function nextFrame(): Promise<void> {
  return new Promise((done) => {
    const most = setTimeout(done, MOST);
    requestAnimationFrame(() => {
      clearTimeout(most);
      // After the frame, not within it.
      setTimeout(done);
    });
  });
}
