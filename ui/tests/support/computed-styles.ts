// Computed styles that are made once for all elements that have the same. The test's document makes each anew, at the
// cost of a hundred selectors, and axe asks for those of every element.

/** The attributes by which the document's own style sheet tells elements of one name apart. */
const TOLD_APART = ['type', 'hidden', 'disabled', 'dir', 'open', 'list', 'readonly'];
/** What an element takes over from those around it, if the style attribute of one sets it. */
const INHERITED = /color|visibility|pointer-events/;

/** Runs something that only reads the document, with one computed style for all elements that have the same. */
export async function styledOnce<T>(read: () => Promise<T>): Promise<T> {
  const original = window.getComputedStyle;
  // Style sheets of the page could tell elements apart by anything.
  if (document.styleSheets.length > 0) return read();
  const known = new Map<string, CSSStyleDeclaration>();
  const paths = new WeakMap<Element, string>();

  /** The name of an element and what tells it apart, after those of the elements around it. */
  function pathOf(element: Element): string {
    const before = paths.get(element);
    if (before !== undefined) return before;
    const parent = element.parentElement;
    const apart = TOLD_APART.filter((name) => element.hasAttribute(name)).map(
      (name) => `[${name}=${element.getAttribute(name)}]`,
    );
    const style = element.getAttribute('style') ?? '';
    const own = `${element.localName}${apart.join('')}${INHERITED.test(style) ? `{${style}}` : ''}`;
    const focus = element === document.activeElement ? ':focus' : '';
    const path = `${parent ? `${pathOf(parent)}>` : ''}${own}${focus}`;
    paths.set(element, path);
    return path;
  }

  window.getComputedStyle = (element, pseudo) => {
    if (pseudo || !element.isConnected) return original(element, pseudo);
    const key = `${pathOf(element)} ${element.getAttribute('style') ?? ''}`;
    const style = known.get(key) ?? original(element);
    known.set(key, style);
    return style;
  };
  try {
    return await read();
  } finally {
    window.getComputedStyle = original;
  }
}
