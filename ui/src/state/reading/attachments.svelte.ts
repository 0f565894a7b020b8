// The attachments of items: download state and preview of each. A file is downloaded only on request, unless it is one's own.
import { SvelteMap } from 'svelte/reactivity';
import type { FileState } from '../../generated/FileState';
import type { Preview } from '../../generated/Preview';
import type { Platform } from '../../platform/platform';
import { errorText, type Feedback } from '../feedback/feedback.svelte';
import { PictureBudget } from './picture-budget';

/** What happens with a file once it is downloaded. */
type Purpose = 'show' | 'save';

export interface AttachmentState {
  /** The download state; null before the first request. */
  readonly download: FileState | null;
  /** The shown preview; null while it is hidden. */
  readonly preview: Preview | null;
}

const INITIAL: AttachmentState = { download: null, preview: null };

export class Attachments {
  readonly #states = new SvelteMap<string, AttachmentState>();
  readonly #purposes = new Map<string, Purpose>();
  readonly #pictures = new PictureBudget<string>();

  constructor(
    private readonly platform: Platform,
    private readonly feedback: Feedback,
  ) {}

  of(thread: number, msgid: string): AttachmentState {
    return this.#states.get(key(thread, msgid)) ?? INITIAL;
  }

  /** Downloads the file if necessary, then shows its preview. */
  show(thread: number, msgid: string): Promise<void> {
    return this.#download(thread, msgid, 'show');
  }

  /** Shows a picture without being asked to, once. A failure is said with the file alone. */
  async showAtOnce(thread: number, msgid: string): Promise<void> {
    if (this.#states.has(key(thread, msgid))) return;
    this.#change(thread, msgid, {});
    await this.#download(thread, msgid, 'show', (error) => {
      this.#change(thread, msgid, { download: { state: 'failed', why: errorText(error) } });
    });
  }

  /** The preview of a file that waits to be sent; null until it is known. */
  outgoing(id: string): Preview | null {
    return this.#states.get(outgoingKey(id))?.preview ?? null;
  }

  /** Shows a picture that waits to be sent, until the returned function is called. */
  showOutgoing(id: string): () => void {
    const name = outgoingKey(id);
    let wanted = true;
    const show = (preview: Preview) => {
      if (wanted) this.#show(name, preview);
    };
    // A message that was sent meanwhile shows its picture as every item does.
    this.platform.previewOutgoing(id).then(show, () => show({ preview: 'none' }));
    return () => {
      wanted = false;
      this.#pictures.hide(name);
      this.#states.delete(name);
    };
  }

  hide(thread: number, msgid: string): void {
    this.#pictures.hide(key(thread, msgid));
    this.#change(thread, msgid, { preview: null });
  }

  /** Downloads the file if necessary, then asks where to save it. */
  save(thread: number, msgid: string): Promise<void> {
    return this.#download(thread, msgid, 'save');
  }

  async cancel(thread: number, msgid: string): Promise<void> {
    this.#purposes.delete(key(thread, msgid));
    await this.feedback.attempt(async () => {
      await this.platform.cancelFile(thread, msgid);
      this.#change(thread, msgid, { download: null });
    });
  }

  /** Applies a change of a download's state. */
  onProgress(thread: number, msgid: string, download: FileState): void {
    const name = key(thread, msgid);
    const purpose = this.#purposes.get(name);
    // Progress of a download that was cancelled in the meantime.
    if (purpose === undefined && download.state !== 'here') return;
    this.#change(thread, msgid, { download });
    if (download.state === 'fetching') return;
    this.#purposes.delete(name);
    if (purpose !== undefined && download.state === 'here') void this.#complete(thread, msgid, purpose);
  }

  async #download(
    thread: number,
    msgid: string,
    purpose: Purpose,
    fail: (error: unknown) => void = this.feedback.fail,
  ): Promise<void> {
    const name = key(thread, msgid);
    const running = this.#purposes.has(name);
    this.#purposes.set(name, purpose);
    if (running) return;
    const before = this.of(thread, msgid).download;
    try {
      const download = await this.platform.fetchFile(thread, msgid);
      // The download may have been completed by an event, or cancelled; and an event is later than this answer.
      const isLatest = this.of(thread, msgid).download === before || download.state !== 'fetching';
      if (this.#purposes.has(name) && isLatest) this.onProgress(thread, msgid, download);
    } catch (error) {
      this.#purposes.delete(name);
      fail(error);
    }
  }

  #complete(thread: number, msgid: string, purpose: Purpose): Promise<void> {
    return this.feedback.attempt(async () => {
      if (purpose === 'show') {
        this.#show(key(thread, msgid), await this.platform.previewFile(thread, msgid));
        return;
      }
      const done = await this.platform.saveFile(thread, msgid);
      if (done) this.feedback.show(done.text);
    });
  }

  /** Shows a preview. The oldest pictures, in whatever thread, make way if there are too many. */
  #show(name: string, preview: Preview): void {
    const hidden = preview.preview === 'image' ? this.#pictures.show(name, preview) : [];
    for (const other of hidden) this.#set(other, { preview: null });
    this.#set(name, { preview });
  }

  #change(thread: number, msgid: string, change: Partial<AttachmentState>): void {
    this.#set(key(thread, msgid), change);
  }

  #set(name: string, change: Partial<AttachmentState>): void {
    this.#states.set(name, { ...(this.#states.get(name) ?? INITIAL), ...change });
  }
}

function key(thread: number, msgid: string): string {
  return `${thread}/${msgid}`;
}

function outgoingKey(id: string): string {
  return `outgoing/${id}`;
}
