// Attachments of the scripted program: a download arrives in two steps, after a delay or when a test calls `arrive`.
import type { FileResult } from '../../generated/FileResult';
import type { FileState } from '../../generated/FileState';
import type { Preview } from '../../generated/Preview';
import { ScriptedPart } from './part';

/** A picture of four grey stripes. */
const PICTURE =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%22320%22 height=%22160%22%3E%3Crect width=%22320%22 height=%22160%22 fill=%22%239aa7ad%22/%3E%3Cpath d=%22M0 40h320M0 80h320M0 120h320%22 stroke=%22%23c9d0d4%22 stroke-width=%228%22/%3E%3C/svg%3E';

export class ScriptedFiles extends ScriptedPart {
  /** The delay until the next step of a download, ms; null waits for `arrive`. */
  latency: number | null = 20;
  /** The error with which downloads fail; null for none. */
  failing: string | null = null;
  /** The pixels that every picture has. */
  pixels = 320 * 160;
  readonly #here = new Set<string>();
  readonly #underway = new Set<string>();

  async fetch(thread: number, msgid: string): Promise<FileState> {
    this.program.asked.push(['fetchFile', thread, msgid]);
    const of = this.#file(thread, msgid)?.size ?? null;
    if (this.#here.has(msgid)) return { state: 'here', size: of ?? 0 };
    this.#underway.add(msgid);
    if (this.latency !== null) setTimeout(() => this.arrive(thread, msgid), this.latency);
    return { state: 'fetching', done: Math.round((of ?? 0) / 3), of };
  }

  /** Completes a download, or makes it fail. */
  arrive(thread: number, msgid: string): void {
    if (!this.#underway.delete(msgid)) return;
    const size = this.#file(thread, msgid)?.size ?? 0;
    const { failing } = this;
    if (failing === null) this.#here.add(msgid);
    const file: FileState = failing === null ? { state: 'here', size } : { state: 'failed', why: failing };
    this.program.emit({ event: 'file', thread, msgid, file });
  }

  async preview(thread: number, msgid: string): Promise<Preview> {
    this.program.asked.push(['previewFile', thread, msgid]);
    return this.#preview(this.#file(thread, msgid)?.name);
  }

  async previewOutgoing(id: string): Promise<Preview> {
    this.program.asked.push(['previewOutgoing', id]);
    const outgoing = this.program.inbox.flatMap((one) => one.outgoing);
    return this.#preview(outgoing.find((one) => one.file?.id === id)?.file?.name);
  }

  #preview(name = ''): Preview {
    if (/\.(png|jpg)$/.test(name)) return { preview: 'image', src: PICTURE, pixels: this.pixels };
    if (/\.(log|txt)$/.test(name))
      return { preview: 'text', text: '09:38 begins\n09:41 14.2 GB, no errors\n', cut: true };
    return { preview: 'none' };
  }

  /** An image whose data URL ends with its address, so that tests can tell images apart. */
  async image(thread: number, msgid: string, address: string): Promise<Preview> {
    this.program.asked.push(['showImage', thread, msgid, address]);
    if (this.failing !== null) throw { code: 'outside', text: this.failing };
    return { preview: 'image', src: `${PICTURE}#${address}`, pixels: this.pixels };
  }

  /** An icon whose data URL ends with its address, if it was asked for or the source's icons are shown. */
  async icon(source: number, address: string, fetch: boolean): Promise<Preview> {
    this.program.asked.push(['icon', source, address, fetch]);
    if (fetch && this.failing !== null) throw { code: 'outside', text: this.failing };
    const shown = fetch || this.program.sources.some((one) => one.id === source && one.show_icons);
    return shown ? { preview: 'image', src: `${PICTURE}#${address}`, pixels: this.pixels } : { preview: 'none' };
  }

  async save(thread: number, msgid: string): Promise<FileResult | null> {
    this.program.asked.push(['saveFile', thread, msgid]);
    const name = this.#file(thread, msgid)?.name ?? '';
    return { path: `/home/ana/${name}`, text: `${name} saved` };
  }

  async cancel(thread: number, msgid: string): Promise<void> {
    this.program.asked.push(['cancelFile', thread, msgid]);
    this.#underway.delete(msgid);
  }

  #file(thread: number, msgid: string) {
    const stored = this.program.inbox.find(({ row }) => row.id === thread);
    return stored?.items.find((item) => item.msgid === msgid)?.attachment;
  }
}
