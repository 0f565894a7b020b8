// What is being written to the open conversation. The draft is kept as one types; sends and drafts reach the program
// in the order in which they were made.
import type { Platform } from '../../platform/platform';

/** How long the hands rest before a draft is kept, ms. */
const REST = 300;

export class Composing {
  /** The conversation that is written to. */
  thread: number | null = $state(null);
  text = $state('');
  /** What is written is also with the program. */
  kept = $state(true);

  readonly #platform: Platform;
  readonly #fail: (error: unknown) => void;
  /** Drafts on their way, by thread: newer than what the program answers. */
  readonly #underway = new Map<number, string>();
  #turn: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(platform: Platform, fail: (error: unknown) => void) {
    this.#platform = platform;
    this.#fail = fail;
  }

  /** Begins with the draft of a conversation, and keeps that of the one before. */
  open(thread: number, draft: string): void {
    this.flush();
    this.thread = thread;
    this.text = this.#underway.get(thread) ?? draft;
    this.kept = true;
  }

  close(): void {
    this.flush();
    this.thread = null;
    this.text = '';
  }

  type(text: string): void {
    if (this.thread === null || text === this.text) return;
    this.text = text;
    this.kept = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), REST);
  }

  /** Keeps at once what is written. */
  flush(): void {
    clearTimeout(this.#timer);
    if (this.thread === null || this.kept) return;
    this.#keep(this.thread, this.text);
  }

  /** Sends what is written; answers once the program has it, false where there was nothing to send. */
  async send(): Promise<boolean> {
    const { thread } = this;
    const body = this.text.trim();
    if (thread === null || body === '') return false;
    clearTimeout(this.#timer);
    this.text = '';
    this.kept = true;
    this.#underway.set(thread, '');
    return this.#inTurn(async () => {
      try {
        await this.#platform.sendMessage(thread, body);
        return true;
      } catch (error) {
        this.#giveBack(thread, body);
        this.#fail(error);
        return false;
      } finally {
        if (this.#underway.get(thread) === '') this.#underway.delete(thread);
      }
    });
  }

  /** What could not be sent stands in the field again, before what was typed since. */
  #giveBack(thread: number, body: string): void {
    if (this.thread === thread) this.type(this.text === '' ? body : `${body}\n${this.text}`);
    else this.#keep(thread, body);
  }

  #keep(thread: number, text: string): void {
    this.#underway.set(thread, text);
    void this.#inTurn(async () => {
      try {
        await this.#platform.saveDraft(thread, text);
        if (this.thread === thread && this.text === text) this.kept = true;
      } catch (error) {
        this.#fail(error);
      } finally {
        if (this.#underway.get(thread) === text) this.#underway.delete(thread);
      }
    });
  }

  #inTurn<T>(what: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(what);
    this.#turn = done.then(
      () => {},
      () => {},
    );
    return done;
  }
}
