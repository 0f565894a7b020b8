// The open dialogs and popovers.
import type { ImportView } from '../../generated/ImportView';
import type { PendingAction } from '../../generated/PendingAction';
import type { Rule } from '../../generated/Rule';

/** A topic of a source, on which the reader publishes. */
export interface TopicOfSource {
  readonly source: number;
  readonly topic: string;
}

/** A button of an item that sends a request, as it was when it was pressed in a toast. */
export interface UnconfirmedAction extends PendingAction {
  readonly thread: number;
  readonly msgid: string;
}

/** A single item whose deletion was asked for. */
export interface Deletion {
  readonly thread: number;
  readonly msgid: string;
  /** Its name in the question. */
  readonly name: string;
  /** Whether it is taken back, from every inbox. */
  readonly recall?: boolean;
}

/** A picture that is shown as large as the window allows. */
export interface LargePicture {
  readonly name: string;
  readonly src: string;
}

/** An item that the reader published and edits. */
export interface Editing {
  readonly thread: number;
  readonly msgid: string;
}

export class Dialogs {
  keys = $state(false);
  palette = $state(false);
  addSource = $state(false);
  compose = $state(false);
  /** The topic for which the form that publishes was opened. */
  publish: TopicOfSource | null = $state.raw(null);
  /** The button whose request the reader has to confirm. */
  action: UnconfirmedAction | null = $state.raw(null);
  /** The file of another program whose sources are offered. */
  importing: ImportView | null = $state.raw(null);
  /** The item whose deletion the reader has to confirm. */
  deletion: Deletion | null = $state.raw(null);
  /** The item that the reader edits. */
  editing: Editing | null = $state.raw(null);
  /** The new rule that the reader makes from a thread. */
  rule: Rule | null = $state.raw(null);
  /** The picture that was enlarged. */
  picture: LargePicture | null = $state.raw(null);
  /** The snooze menu: the element that it is beside, and the threads that it is for, with `ofAll` the whole list. */
  snooze: { anchor: HTMLElement; ids: readonly number[]; ofAll: boolean } | null = $state.raw(null);

  /** Whether a modal dialog is open or being loaded; it receives the keys. */
  get modal(): boolean {
    return (
      this.keys ||
      this.palette ||
      this.addSource ||
      this.compose ||
      this.publish !== null ||
      this.action !== null ||
      this.deletion !== null ||
      this.editing !== null ||
      this.rule !== null ||
      this.picture !== null ||
      this.importing !== null
    );
  }

  toggleSnooze(anchor: HTMLElement, ids: readonly number[], ofAll = false): void {
    this.snooze = this.snooze === null && ids.length > 0 ? { anchor, ids, ofAll } : null;
  }
}
