// Waiting for the next frame.

/** The bound for a window that is not on screen and paints no frame, ms. */
const MOST = 50;

/** Resolves once the current changes are on screen, or would be. */
export function nextFrame(): Promise<void> {
  return new Promise((done) => {
    const most = setTimeout(done, MOST);
    requestAnimationFrame(() => {
      clearTimeout(most);
      // A task after the frame, not within it.
      setTimeout(done);
    });
  });
}
