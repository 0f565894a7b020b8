// Files of the scripted program that are attached in composers until they are sent.
import type { AttachedFile } from '../../generated/AttachedFile';
import { ScriptedSearch } from './search';

type Named = Pick<AttachedFile, 'name' | 'size'>;

export class ScriptedComposerFiles extends ScriptedSearch {
  /** What the next dialogs that choose a file return; without one a dialog is cancelled. */
  readonly chosen: Named[] = [];
  /** The files that were dropped or pasted and are kept from the page. */
  readonly given: Named[] = [];
  /** The bytes of attached files that arrived in pieces, by id. */
  readonly pieces = new Map<string, string>();
  #staged: (AttachedFile & { thread: number })[] = [];

  /** The attached files with these ids, which are being sent. */
  protected takeFiles(ids: readonly string[]): AttachedFile[] {
    const taken = ids.flatMap((id) => this.#staged.filter((file) => file.id === id));
    this.#staged = this.#staged.filter((file) => !ids.includes(file.id));
    return taken;
  }

  protected override attached(thread: number): AttachedFile[] {
    const files = this.#staged.filter((file) => file.thread === thread);
    return files.map(({ id, name, size }) => ({ id, name, size }));
  }

  async chooseFile(thread: number): Promise<AttachedFile | null> {
    this.asked.push(['chooseFile', thread]);
    return this.#stageNext(thread, this.chosen);
  }

  async givenFile(thread: number): Promise<AttachedFile | null> {
    this.asked.push(['givenFile', thread]);
    return this.#stageNext(thread, this.given);
  }

  async beginFile(thread: number, name: string, size: number): Promise<AttachedFile> {
    this.asked.push(['beginFile', thread, name, size]);
    return this.#stage(thread, { name, size });
  }

  async addPiece(id: string, data: string): Promise<void> {
    this.pieces.set(id, (this.pieces.get(id) ?? '') + atob(data));
  }

  async removeFile(id: string): Promise<void> {
    this.asked.push(['removeFile', id]);
    this.#staged = this.#staged.filter((file) => file.id !== id);
  }

  #stageNext(thread: number, files: Named[]): AttachedFile | null {
    const next = files.shift();
    return next ? this.#stage(thread, next) : null;
  }

  #stage(thread: number, { name, size }: Named): AttachedFile {
    if (size > (this.attachmentLimit ?? 0)) {
      const text = 'The file is larger than 15 MB, the most that the server accepts. It was not attached';
      throw { code: 'invalid', text };
    }
    const file = { id: `f${this.asked.length}`, name, size };
    this.#staged.push({ ...file, thread });
    return file;
  }
}
