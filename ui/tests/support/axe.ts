// The violations that axe finds on the current page. Checks that need a layout, such as colours, are made elsewhere.
import axe from 'axe-core';
import { styledOnce } from './computed-styles';

document.title = 'Tidings';
// Otherwise axe writes down the markup of each element with all that is in it, also if nothing is wrong.
axe.configure({ noHtml: true });

export async function violations(): Promise<string[]> {
  const found = await styledOnce(() =>
    axe.run(document, {
      rules: { 'color-contrast': { enabled: false }, 'scrollable-region-focusable': { enabled: false } },
      resultTypes: ['violations'],
      elementRef: true,
    }),
  );
  return found.violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.element?.outerHTML.slice(0, 160) ?? node.target).join(' | ')}`,
  );
}
