// A reader's actions on one item or message: links, buttons that send requests, and outgoing messages.
import { copyText } from '../../dom/clipboard';
import type { ActionView } from '../../generated/ActionView';
import type { OutgoingView } from '../../generated/OutgoingView';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ComposerFiles } from './composer-files.svelte';
import type { Reading } from './reading.svelte';

export class ItemActions {
  constructor(
    private readonly platform: Platform,
    private readonly reading: Reading,
    private readonly composerFiles: ComposerFiles,
    private readonly feedback: Feedback,
  ) {}

  openLink(url: string): void {
    this.platform.openLink(url).catch(this.feedback.fail);
  }

  async copyLink(url: string): Promise<void> {
    await copyText(url);
    this.feedback.show(i18n.t.linkCopied);
  }

  /** Runs the action of an item exactly as it was shown, and shows the result. */
  async runAction(thread: number, msgid: string, index: number, action: ActionView): Promise<void> {
    try {
      this.feedback.show(await this.platform.runAction(thread, msgid, index, action));
    } catch (error) {
      this.feedback.fail(error);
    }
  }

  /**
   * Sends the draft of the open conversation with the attached files. The message is shown at once; if it has to wait,
   * that is announced.
   */
  async sendDraft(): Promise<void> {
    const { composerFiles, reading } = this;
    const { thread } = reading.draft;
    if (thread === null) return;
    const files = composerFiles.take(thread);
    if (!(await reading.draft.send(files.map((file) => file.id)))) {
      composerFiles.putBack(thread, files);
      return;
    }
    await reading.refresh().catch(this.feedback.fail);
    if (reading.view?.composer?.waiting) this.feedback.announce(i18n.t.waits);
  }

  async retryMessage(id: string): Promise<void> {
    await this.#andRefresh(this.platform.retryMessage(id));
  }

  async discardMessage(id: string): Promise<void> {
    await this.#andRefresh(this.platform.discardMessage(id));
  }

  /** Cancels a message with a file: the file is given up, and the text is in the field again. */
  async cancelMessage(thread: number, { id, body, file }: OutgoingView): Promise<void> {
    await this.#andRefresh(
      this.platform.discardMessage(id).then(() => {
        if (body !== file?.name) this.reading.draft.putBack(thread, body);
      }),
    );
  }

  async #andRefresh(done: Promise<unknown>): Promise<void> {
    await done.catch(this.feedback.fail);
    await this.reading.refresh().catch(this.feedback.fail);
  }
}
