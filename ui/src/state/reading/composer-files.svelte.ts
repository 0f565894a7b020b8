// The files that are attached in composers until they are sent, and the progress of those that are being sent. The
// program copies the files that are chosen in its dialog; the bytes of dropped and pasted files are passed on in
// pieces. Those that the page does not get are copied by the program.
import { SvelteMap } from 'svelte/reactivity';
import type { AttachedFile } from '../../generated/AttachedFile';
import type { Upload } from '../../generated/Upload';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';

/** The bytes of a piece. */
const PIECE = 512 * 1024;

export interface ComposerFile extends AttachedFile {
  /** The bytes that the program has; null once it has them all. */
  readonly done: number | null;
}

export class ComposerFiles {
  /** The files that are being sent, by the id of their message. */
  uploads: ReadonlyMap<string, Upload> = $state.raw(new Map());
  readonly #files = new SvelteMap<number, readonly ComposerFile[]>();
  /** What is being read in each conversation: whether all of it was attached. */
  readonly #reading = new SvelteMap<number, Promise<boolean>>();

  constructor(
    private readonly platform: Platform,
    private readonly feedback: Feedback,
  ) {}

  /** The files attached in a conversation. */
  of(thread: number): readonly ComposerFile[] {
    return this.#files.get(thread) ?? [];
  }

  /** Whether every file of a conversation can be sent. */
  complete(thread: number): boolean {
    return !this.#reading.has(thread) && this.of(thread).every((file) => file.done === null);
  }

  /** Resolves once nothing is being read in a conversation; false if something of it was not attached. */
  async allRead(thread: number): Promise<boolean> {
    return (await this.#reading.get(thread)) ?? true;
  }

  /** Shows what the program has for a conversation that this page opens for the first time. */
  open(thread: number, files: readonly AttachedFile[]): void {
    if (this.#files.has(thread)) return;
    this.#set(
      thread,
      files.map((file) => ({ ...file, done: null })),
    );
  }

  /** Lets the reader choose a file in the desktop's dialog. */
  choose(thread: number): Promise<void> {
    return this.feedback.attempt(async () => {
      const file = await this.platform.chooseFile(thread);
      if (file) this.#attached(thread, file);
    });
  }

  /** Attaches files that were dropped or pasted, one after the other; without any, those that the page does not get. */
  async add(thread: number, files: readonly File[]): Promise<void> {
    const reading = Promise.all([this.allRead(thread), this.#readAll(thread, files)]).then((all) => all.every(Boolean));
    this.#reading.set(thread, reading);
    await reading;
    if (this.#reading.get(thread) === reading) this.#reading.delete(thread);
  }

  async remove(thread: number, id: string): Promise<void> {
    this.#without(thread, id);
    await this.platform.removeFile(id).catch(this.feedback.fail);
  }

  /** Takes the files out of the composer, to be sent. */
  take(thread: number): readonly ComposerFile[] {
    const files = this.of(thread);
    this.#set(thread, []);
    return files;
  }

  /** Puts files that could not be sent back into the composer. */
  putBack(thread: number, files: readonly ComposerFile[]): void {
    this.#set(thread, [...files, ...this.of(thread)]);
  }

  setUploads(uploads: readonly Upload[]): void {
    this.uploads = new Map(uploads.map((upload) => [upload.id, upload]));
  }

  /** Lets the program attach the files that the page does not get; false if one was not attached. */
  async #takeAll(thread: number): Promise<boolean> {
    try {
      for (;;) {
        const file = await this.platform.givenFile(thread);
        if (!file) return true;
        this.#attached(thread, file);
      }
    } catch (error) {
      this.feedback.fail(error);
      return false;
    }
  }

  /** Passes files to the program up to the first that was not attached; false if there was one. */
  async #readAll(thread: number, files: readonly File[]): Promise<boolean> {
    if (files.length === 0) return this.#takeAll(thread);
    for (const file of files) if (!(await this.#read(thread, file))) return false;
    return true;
  }

  /** Passes a file to the program; false if it was not attached. */
  async #read(thread: number, file: File): Promise<boolean> {
    let id: string | null = null;
    try {
      const begun = await this.platform.beginFile(thread, file.name, file.size);
      id = begun.id;
      this.#add(thread, { ...begun, done: 0 });
      for (let from = 0; from < file.size; from += PIECE) {
        const piece = await base64(file.slice(from, from + PIECE));
        // It was taken away meanwhile.
        if (!this.of(thread).some((one) => one.id === id)) return true;
        await this.platform.addPiece(id, piece);
        this.#change(thread, id, Math.min(from + PIECE, file.size));
      }
      this.#change(thread, id, null);
      this.feedback.announce(i18n.t.attached(begun.name));
      return true;
    } catch (error) {
      if (id !== null) await this.remove(thread, id);
      // A folder cannot be read, nor what was deleted meanwhile.
      if (error instanceof DOMException) this.feedback.showUnasked(i18n.t.unreadable(file.name));
      else this.feedback.fail(error);
      return false;
    }
  }

  #attached(thread: number, file: AttachedFile): void {
    this.#add(thread, { ...file, done: null });
    this.feedback.announce(i18n.t.attached(file.name));
  }

  #add(thread: number, file: ComposerFile): void {
    this.#set(thread, [...this.of(thread), file]);
  }

  #without(thread: number, id: string): void {
    this.#set(
      thread,
      this.of(thread).filter((file) => file.id !== id),
    );
  }

  #change(thread: number, id: string, done: number | null): void {
    this.#set(
      thread,
      this.of(thread).map((file) => (file.id === id ? { ...file, done } : file)),
    );
  }

  #set(thread: number, files: readonly ComposerFile[]): void {
    this.#files.set(thread, files);
  }
}

/** The content of a blob in base64. */
function base64(blob: Blob): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => failed(reader.error ?? new DOMException('', 'NotReadableError'));
    reader.readAsDataURL(blob);
  });
}
