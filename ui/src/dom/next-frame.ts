// Waiting for the next frame.

/** Bound for a window that is not on screen and paints none, ms. */
const MOST = 50;

/** Resolves once what changed just now is on screen, or would be. */
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
