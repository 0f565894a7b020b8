// How a link or a button that opens an address is used. A click or Enter opens the address; Ctrl or the middle button
// opens it in the background, as in a browser.

/** Whether a click asks for the background. */
function inBackground(event: MouseEvent): boolean {
  return event.button === 1 || event.ctrlKey || event.metaKey;
}

/** The handlers of an element that opens an address. */
export function opening(open: (background: boolean) => unknown) {
  return {
    onclick: (event: MouseEvent) => void open(inBackground(event)),
    onauxclick: (event: MouseEvent) => {
      // The right button opens the menu.
      if (event.button !== 1) return;
      event.preventDefault();
      void open(true);
    },
  };
}
