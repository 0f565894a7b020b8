// The icons as symbols of one element, which `use` refers to. A symbol is added when it is first asked for: all of them
// at once took longer to read than the rest of the first list.
import { type IconName, icons } from '../../icons';

const sprite = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
sprite.classList.add('sprite');
sprite.setAttribute('width', '0');
sprite.setAttribute('height', '0');
sprite.setAttribute('aria-hidden', 'true');
const added = new Set<IconName>();

function written([tag, attributes]: (typeof icons)[IconName][number]): string {
  const all = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `<${tag} ${all.join(' ')}/>`;
}

/** The address of an icon's symbol in the document, for `use`. */
export function symbol(name: IconName): string {
  const id = `icon-${name}`;
  if (!sprite.isConnected) document.body.prepend(sprite);
  if (!added.has(name)) {
    added.add(name);
    sprite.insertAdjacentHTML(
      'beforeend',
      `<symbol id="${id}" viewBox="0 0 24 24">${icons[name].map(written).join('')}</symbol>`,
    );
  }
  return `#${id}`;
}
