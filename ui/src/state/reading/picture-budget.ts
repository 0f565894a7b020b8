// The pictures that are shown at once, within bounds: each takes memory for its file and for its pixels.
import type { Preview } from '../../generated/Preview';

export type Picture = Extract<Preview, { preview: 'image' }>;

/** The most pixels of all pictures together; the engine takes four bytes for each. One alone has at most as many. */
const MOST_PIXELS = 64 * 1024 * 1024;
/** The most characters of their data URLs together, those of four of the largest files. */
const MOST_CHARACTERS = 48 * 1024 * 1024;
/** The most pictures. */
const MOST_PICTURES = 200;

export class PictureBudget<Key> {
  /** What each shown picture takes, the oldest first. */
  readonly #shown = new Map<Key, { pixels: number; characters: number }>();

  /** Whether a picture can be shown beside the others. */
  fits(picture: Picture): boolean {
    let { pixels } = picture;
    let characters = picture.src.length;
    for (const shown of this.#shown.values()) {
      pixels += shown.pixels;
      characters += shown.characters;
    }
    return pixels <= MOST_PIXELS && characters <= MOST_CHARACTERS && this.#shown.size < MOST_PICTURES;
  }

  /** Shows a picture. Returns those that have to make way for it, the oldest first. */
  show(key: Key, picture: Picture): Key[] {
    this.#shown.delete(key);
    const hidden: Key[] = [];
    for (const oldest of this.#shown.keys()) {
      if (this.fits(picture)) break;
      this.#shown.delete(oldest);
      hidden.push(oldest);
    }
    this.#shown.set(key, { pixels: picture.pixels, characters: picture.src.length });
    return hidden;
  }

  hide(key: Key): void {
    this.#shown.delete(key);
  }
}
