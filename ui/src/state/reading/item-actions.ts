// A reader's actions on one item or message: links, buttons that send requests, and outgoing messages.
import { copyText } from '../../dom/clipboard';
import type { ActionView } from '../../generated/ActionView';
import type { ItemView } from '../../generated/ItemView';
import type { Mark } from '../../generated/Mark';
import type { OutgoingView } from '../../generated/OutgoingView';
import type { ThreadRow } from '../../generated/ThreadRow';
import { i18n } from '../../i18n/i18n.svelte';
import type { Platform } from '../../platform/platform';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import type { MarkQueue } from '../marks/mark-queue';
import { marked } from '../marks/marks';
import type { OptimisticMark } from '../marks/optimistic-updates';
import type { ListMovement } from '../navigation/list-movement';
import type { ComposerFiles } from './composer-files.svelte';
import type { Reading } from './reading.svelte';

/** What a mark changes in the view of an item. */
function changed({ op }: Mark): Partial<ItemView> {
  switch (op) {
    case 'read':
      return { unread: false };
    case 'unread':
      return { unread: true };
    case 'archive':
      return { archived: true, unread: false };
    case 'unarchive':
      return { archived: false };
    default:
      return {};
  }
}

export class ItemActions {
  /** The items whose answers are under way. */
  readonly #answering = new Set<string>();

  constructor(
    private readonly platform: Platform,
    private readonly list: ThreadList,
    private readonly movement: ListMovement,
    private readonly reading: Reading,
    private readonly composerFiles: ComposerFiles,
    private readonly markQueue: MarkQueue,
    private readonly feedback: Feedback,
  ) {}

  /** Opens an address outside; in the background if the reader wants to stay here. */
  openLink(url: string, background = false): void {
    this.platform.openLink(url, background).catch(this.feedback.fail);
  }

  async copyLink(url: string): Promise<void> {
    await copyText(url);
    this.feedback.show(i18n.t.linkCopied);
  }

  /** Marks one item of a thread; `name` is its name in the result, which can be undone. */
  async mark(
    thread: number,
    item: ItemView,
    mark: Mark,
    result: (what: string) => string,
    name: string,
  ): Promise<void> {
    const { list, platform, reading } = this;
    const { unread, archived = false } = item;
    if (mark.op === 'unread') reading.keepUnread([item.msgid]);
    const left = this.#leftBy(thread, item, mark);
    try {
      const done = await this.markQueue.send(() => platform.markItems(thread, [item.msgid], mark));
      if (left) list.optimistic.confirm(left.mark, done.as_of);
      reading.change(item.msgid, changed(mark));
      const { undo } = done;
      if (undo === null) return;
      this.feedback.done(result(i18n.t.theThreads(1, name)), async () => {
        await this.markQueue.send(() => platform.undo(undo));
        reading.change(item.msgid, { unread, archived });
        if (left) await this.movement.returnTo([thread]);
      });
    } catch (error) {
      if (left) {
        list.optimistic.revert(left.mark);
        list.change([left.row], []);
      }
      this.feedback.fail(error);
    }
  }

  /** Takes a thread out of the list if the mark of an item moves it to Done or back; null if it stays. */
  #leftBy(thread: number, item: ItemView, mark: Mark): { row: ThreadRow; mark: OptimisticMark } | null {
    const { list, movement, reading } = this;
    const row = list.rows.get(thread);
    const others = reading.items.some((one) => one.msgid !== item.msgid && !one.archived);
    const isLast = row?.total === 1;
    const leaves = mark.op === 'archive' ? isLast && !others : mark.op === 'unarchive' && isLast && row.archived;
    if (!row || !leaves) return null;
    const optimistic = list.optimistic.add([thread], mark);
    movement.changeList(() => list.applyOptimistic(marked(row, mark)));
    return { row, mark: optimistic };
  }

  /** Deletes one item of a thread, for good and everywhere. */
  delete(thread: number, msgid: string, name: string): Promise<void> {
    return this.feedback.attempt(async () => {
      await this.markQueue.send(() => this.platform.markItems(thread, [msgid], { op: 'delete' }));
      this.reading.remove(msgid);
      this.feedback.show(i18n.t.didDelete(i18n.t.theThreads(1, name)));
    });
  }

  /** Takes back what the reader published, for good and from every inbox. */
  recall(thread: number, msgid: string, name: string): Promise<void> {
    return this.feedback.attempt(async () => {
      await this.platform.recallItem(thread, msgid);
      this.reading.remove(msgid);
      this.feedback.show(i18n.t.recalled(i18n.t.theThreads(1, name)));
    });
  }

  /** Answers the question of an item, and shows the outcome; the answer is shown at once, also offline. */
  async answer(thread: number, msgid: string, answer: string | null, text: string | null): Promise<void> {
    // A second press while the first is under way is none.
    if (this.#answering.has(msgid)) return;
    this.#answering.add(msgid);
    await this.#andRefresh(this.platform.answerQuestion(thread, msgid, answer, text));
    this.#answering.delete(msgid);
    const outcome = this.reading.items.find((item) => item.msgid === msgid)?.question?.outcome;
    if (outcome) this.feedback.announce(outcome);
  }

  /** Runs the action of an item exactly as it was shown, and shows the result. */
  runAction(thread: number, msgid: string, index: number, action: ActionView, background = false): Promise<void> {
    return this.feedback.attempt(async () => {
      if (action.copies !== undefined) await copyText(action.copies);
      this.feedback.show(await this.platform.runAction(thread, msgid, index, action, background));
    });
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
