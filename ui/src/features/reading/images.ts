// Images from elsewhere: named, and loaded only when asked for, one or all of a body. Refuses to tell where they are read.
import type { IconName } from '../../components/icons';
import type { Words } from '../../i18n/en';
import { icon } from './icon';

interface Remote {
  readonly address: string;
  readonly host: string;
  readonly alt: string;
}

export function offerImages(root: HTMLElement, t: Words): void {
  const boxes: HTMLElement[] = [];
  for (const span of root.querySelectorAll<HTMLElement>('[data-image]')) {
    const address = span.dataset.image ?? '';
    if (!/^https?:/i.test(address)) continue;
    const image = { address, host: span.dataset.host ?? new URL(address).host, alt: span.textContent };
    const box = boxOf(image, t, t.imageFrom(image.host), 'image');
    span.replaceWith(box);
    boxes.push(box);
  }
  const [first] = boxes;
  if (first && boxes.length > 1) first.append(showAll(root, boxes.length, t));
}

/** Stands in for an image: what there is to know of it, and the way to see it. */
function boxOf(image: Remote, t: Words, says: string, sign: IconName): HTMLElement {
  const box = document.createElement('span');
  box.className = 'remote-image';
  const words = document.createElement('span');
  words.className = 'ell';
  words.textContent = says;
  words.title = image.alt || image.address;
  const show = button(t.show);
  show.dataset.show = '';
  show.addEventListener('click', () => box.replaceWith(load(image, t)));
  box.append(icon(sign), words, show);
  return box;
}

function showAll(root: HTMLElement, count: number, t: Words): HTMLElement {
  const all = button(t.showAllImages(count));
  all.addEventListener('click', () => {
    for (const show of root.querySelectorAll<HTMLElement>('.remote-image [data-show]')) show.click();
  });
  return all;
}

function load(remote: Remote, t: Words): HTMLElement {
  const image = document.createElement('img');
  image.referrerPolicy = 'no-referrer';
  image.alt = remote.alt;
  image.addEventListener('error', () =>
    image.replaceWith(boxOf(remote, t, t.imageFailed(remote.host), 'circle-alert')),
  );
  image.src = remote.address;
  return image;
}

function button(words: string): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'btn small';
  made.textContent = words;
  return made;
}
