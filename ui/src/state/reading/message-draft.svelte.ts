// The draft in the open conversation. It is saved while the reader types; drafts and messages reach the program in the
// order in which they were made.
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';

/** A draft is saved after this pause in typing, ms. */
const TYPING_PAUSE = 300;

export class MessageDraft {
  /** The thread of the conversation. */
  thread: number | null = $state(null);
  text = $state('');
  /** Whether the program has the text. */
  saved = $state(true);

  /** Texts being saved or sent, by thread: newer than the program's answers. */
  readonly #unsaved = new Map<number, string>();
  #queue: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly feedback: Feedback,
  ) {}

  /** The text of a thread that the program may not have yet. */
  unsaved(thread: number): string | undefined {
    return this.#unsaved.get(thread);
  }

  /** Opens the draft of a conversation, and saves that of the previous one. */
  open(thread: number, draft: string): void {
    this.flush();
    this.thread = thread;
    this.text = this.#unsaved.get(thread) ?? draft;
    this.saved = true;
  }

  close(): void {
    this.flush();
    this.thread = null;
    this.text = '';
  }

  type(text: string): void {
    if (this.thread === null || text === this.text) return;
    this.text = text;
    this.saved = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), TYPING_PAUSE);
  }

  /** Saves the text at once. */
  flush(): void {
    clearTimeout(this.#timer);
    if (this.thread === null || this.saved) return;
    this.#save(this.thread, this.text);
  }

  /** Sends the text and files; resolves to true once the program has them, to false if nothing was sent. */
  async send(files: readonly string[]): Promise<boolean> {
    const { thread } = this;
    const body = this.text.trim();
    if (thread === null || (body === '' && files.length === 0)) return false;
    clearTimeout(this.#timer);
    this.text = '';
    this.saved = true;
    this.#unsaved.set(thread, '');
    return this.#enqueue(async () => {
      try {
        await this.platform.sendMessage(thread, body, [...files]);
        return true;
      } catch (error) {
        this.putBack(thread, body);
        this.feedback.fail(error);
        return false;
      } finally {
        if (this.#unsaved.get(thread) === '') this.#unsaved.delete(thread);
      }
    });
  }

  /** Puts a text that was not sent back into the field, before the text typed since. */
  putBack(thread: number, body: string): void {
    if (body === '') return;
    if (this.thread === thread) this.type(this.text === '' ? body : `${body}\n${this.text}`);
    else this.#save(thread, body);
  }

  #save(thread: number, text: string): void {
    this.#unsaved.set(thread, text);
    void this.#enqueue(async () => {
      await this.feedback.attempt(async () => {
        await this.platform.saveDraft(thread, text);
        if (this.thread === thread && this.text === text) this.saved = true;
      });
      if (this.#unsaved.get(thread) === text) this.#unsaved.delete(thread);
    });
  }

  #enqueue<T>(what: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(what);
    this.#queue = done.then(
      () => {},
      () => {},
    );
    return done;
  }
}
