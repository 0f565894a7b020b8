// Remote images: named, and shown only on request, one or as many of a body as fit; those of the own server at once. The
// program fetches them, as it checks the address and the page itself may load nothing remote. A click enlarges an image.

import type { Preview } from '../../../generated/Preview';
import type { AllStrings } from '../../../i18n/all';
import type { IconName } from '../../../icons';
import type { LargePicture } from '../../../state/navigation/dialogs.svelte';
import { type Picture, PictureBudget } from '../../../state/reading/picture-budget';
import { icon } from './icon';

export interface ImageLoading {
  /** Fetches an image; rejects if that fails. */
  readonly load: (address: string) => Promise<Preview>;
  /** Whether an image is shown without being asked for. */
  readonly isOwn: (address: string) => boolean;
  /** Shows an image as large as the window allows. */
  readonly enlarge: (picture: LargePicture) => void;
}

/** The bound of simultaneous requests for images. */
const AT_ONCE = 4;

interface Remote {
  readonly address: string;
  readonly host: string;
  readonly alt: string;
}

/** The remote images of one body. Each is a box until it is requested, and an image if that succeeds. */
class RemoteImages {
  readonly #load: ImageLoading['load'];
  readonly #enlarge: ImageLoading['enlarge'];
  readonly #t: AllStrings;
  readonly #waiting: (() => Promise<void>)[] = [];
  #underway = 0;
  /** The boxes, with what their buttons do. */
  readonly #boxes = new Map<HTMLElement, (chosen: boolean) => void>();
  readonly #remotes = new Map<HTMLImageElement, Remote>();
  readonly #budget = new PictureBudget<HTMLImageElement>();
  /** Whether one of all images did not fit, so that the others wait to be chosen. */
  #full = false;

  constructor({ load, enlarge }: ImageLoading, t: AllStrings) {
    this.#load = load;
    this.#enlarge = enlarge;
    this.#t = t;
  }

  /** The box of an image: its host, and the button that shows it. */
  box(remote: Remote): HTMLElement {
    return this.#boxOf(remote, this.#t.imageFrom(remote.host), 'image');
  }

  /** Shows as many images as fit in place of their boxes. */
  show(boxes: Iterable<HTMLElement>): void {
    this.#full = false;
    for (const box of boxes) this.#boxes.get(box)?.(false);
  }

  /** The button that shows as many images as fit. */
  showAll(count: number): HTMLElement {
    const all = button(this.#t.showAllImages(count));
    all.addEventListener('click', () => this.show([...this.#boxes.keys()]));
    return all;
  }

  #boxOf(remote: Remote, says: string, sign: IconName): HTMLElement {
    const box = document.createElement('span');
    box.className = 'remote-image';
    const label = document.createElement('span');
    label.className = 'ellipsis';
    label.textContent = says;
    label.title = remote.alt || remote.address;
    const show = button(this.#t.show);
    const load = (chosen: boolean) => {
      if (show.disabled) return;
      show.disabled = true;
      this.#queue(async () => {
        if (!chosen && this.#full) {
          show.disabled = false;
          return;
        }
        const fetched = await this.#load(remote.address).catch(() => null);
        if (fetched?.preview !== 'image') {
          this.#replace(box, this.#failed(remote));
        } else if (chosen || this.#budget.fits(fetched)) {
          const image = this.#image(remote, fetched);
          // An image in a link leads where that leads.
          this.#replace(box, box.closest('a') ? image : this.#enlarging(image, remote));
        } else {
          this.#full = true;
          show.disabled = false;
        }
      });
    };
    show.addEventListener('click', () => load(true));
    this.#boxes.set(box, load);
    box.append(icon(sign), label, show);
    return box;
  }

  #failed(remote: Remote): HTMLElement {
    return this.#boxOf(remote, this.#t.imageFailed(remote.host), 'circle-alert');
  }

  /** The image, for which older ones may become boxes again. */
  #image(remote: Remote, picture: Picture): HTMLImageElement {
    const image = document.createElement('img');
    image.alt = remote.alt;
    image.addEventListener('error', () => this.#hide(image, this.#failed(remote)));
    image.src = picture.src;
    for (const older of this.#budget.show(image, picture)) {
      const shown = this.#remotes.get(older);
      if (shown) this.#hide(older, this.box(shown));
    }
    this.#remotes.set(image, remote);
    return image;
  }

  /** The button around an image that enlarges it. */
  #enlarging(image: HTMLImageElement, { alt, host }: Remote): HTMLElement {
    const name = alt || host;
    const around = document.createElement('button');
    around.type = 'button';
    around.setAttribute('aria-label', this.#t.enlarge(name));
    around.setAttribute('aria-haspopup', 'dialog');
    around.addEventListener('click', () => this.#enlarge({ name, src: image.src }));
    around.append(image);
    return around;
  }

  #hide(image: HTMLImageElement, box: HTMLElement): void {
    this.#budget.hide(image);
    this.#remotes.delete(image);
    (image.closest('button') ?? image).replaceWith(box);
  }

  #replace(box: HTMLElement, by: HTMLElement): void {
    this.#boxes.delete(box);
    box.replaceWith(by);
  }

  #queue(load: () => Promise<void>): void {
    this.#waiting.push(load);
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

export function offerImages(root: HTMLElement, t: AllStrings, loading: ImageLoading): void {
  const images = new RemoteImages(loading, t);
  const own: HTMLElement[] = [];
  const others: HTMLElement[] = [];
  for (const span of root.querySelectorAll<HTMLElement>('[data-image]')) {
    const address = span.dataset.image ?? '';
    if (!/^https?:/i.test(address)) continue;
    const box = images.box({ address, host: span.dataset.host ?? new URL(address).host, alt: span.textContent });
    span.replaceWith(box);
    (loading.isOwn(address) ? own : others).push(box);
  }
  images.show(own);
  const [first] = others;
  if (first && others.length > 1) first.append(images.showAll(others.length));
}

function button(label: string): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'btn small';
  made.textContent = label;
  return made;
}
