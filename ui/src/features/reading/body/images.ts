// Remote images: named, and shown only on request, one or all of a body. The program fetches them, as it checks the
// address and the page itself may load nothing remote.
import type { IconName } from '../../../components/icons/icons';
import type { Preview } from '../../../generated/Preview';
import type { Strings } from '../../../i18n/en';
import { icon } from './icon';

/** Fetches an image; rejects where that fails. */
export type LoadImage = (address: string) => Promise<Preview>;

/** The bound of simultaneous requests for images. */
const AT_ONCE = 4;

interface Remote {
  readonly address: string;
  readonly host: string;
  readonly alt: string;
}

/** The requested images of one body, fetched a few at a time. */
class Loading {
  readonly #load: LoadImage;
  readonly #waiting: (() => Promise<void>)[] = [];
  #underway = 0;

  constructor(load: LoadImage) {
    this.#load = load;
  }

  get(address: string, take: (image: Preview | null) => void): void {
    this.#waiting.push(() => this.#load(address).then(take, () => take(null)));
    this.#next();
  }

  #next(): void {
    if (this.#underway >= AT_ONCE) return;
    const load = this.#waiting.shift();
    if (!load) return;
    this.#underway += 1;
    void load().finally(() => {
      this.#underway -= 1;
      this.#next();
    });
  }
}

export function offerImages(root: HTMLElement, t: Strings, load: LoadImage): void {
  const loading = new Loading(load);
  const boxes: HTMLElement[] = [];
  for (const span of root.querySelectorAll<HTMLElement>('[data-image]')) {
    const address = span.dataset.image ?? '';
    if (!/^https?:/i.test(address)) continue;
    const image = { address, host: span.dataset.host ?? new URL(address).host, alt: span.textContent };
    const box = boxOf(image, loading, t, t.imageFrom(image.host), 'image');
    span.replaceWith(box);
    boxes.push(box);
  }
  const [first] = boxes;
  if (first && boxes.length > 1) first.append(showAll(root, boxes.length, t));
}

/** The placeholder of an image: its description, and the button that shows it. */
function boxOf(image: Remote, loading: Loading, t: Strings, says: string, sign: IconName): HTMLElement {
  const box = document.createElement('span');
  box.className = 'remote-image';
  const label = document.createElement('span');
  label.className = 'ellipsis';
  label.textContent = says;
  label.title = image.alt || image.address;
  const show = button(t.show);
  show.dataset.show = '';
  show.addEventListener('click', () => {
    if (show.disabled) return;
    show.disabled = true;
    loading.get(image.address, (fetched) => box.replaceWith(shown(fetched, image, loading, t)));
  });
  box.append(icon(sign), label, show);
  return box;
}

function showAll(root: HTMLElement, count: number, t: Strings): HTMLElement {
  const all = button(t.showAllImages(count));
  all.addEventListener('click', () => {
    for (const show of root.querySelectorAll<HTMLElement>('.remote-image [data-show]')) show.click();
  });
  return all;
}

function shown(fetched: Preview | null, remote: Remote, loading: Loading, t: Strings): HTMLElement {
  const failed = () => boxOf(remote, loading, t, t.imageFailed(remote.host), 'circle-alert');
  if (fetched?.preview !== 'image') return failed();
  const image = document.createElement('img');
  image.alt = remote.alt;
  image.addEventListener('error', () => image.replaceWith(failed()));
  image.src = fetched.src;
  return image;
}

function button(label: string): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'btn small';
  made.textContent = label;
  return made;
}
