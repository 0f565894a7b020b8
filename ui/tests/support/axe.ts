// The violations that axe finds on the current page. Checks that need a layout, such as colours, are made elsewhere.
import axe from 'axe-core';

document.title = 'Tidings';

export async function violations(): Promise<string[]> {
  const found = await axe.run(document, {
    rules: { 'color-contrast': { enabled: false }, 'scrollable-region-focusable': { enabled: false } },
  });
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}
