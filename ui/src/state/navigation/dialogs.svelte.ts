// The open dialogs and popovers.
import type { PendingAction } from '../../generated/PendingAction';

/** A button of an item that sends a request, as it was when it was pressed in a toast. */
export interface UnconfirmedAction extends PendingAction {
  readonly thread: number;
  readonly msgid: string;
}

export class Dialogs {
  keys = $state(false);
  palette = $state(false);
  addSource = $state(false);
  compose = $state(false);
  /** The button whose request the reader has to confirm. */
  action: UnconfirmedAction | null = $state.raw(null);
  /** The snooze menu: the element that it is beside, and the threads that it is for. */
  snooze: { anchor: HTMLElement; ids: readonly number[] } | null = $state.raw(null);

  /** Whether a modal dialog is open or being loaded; it receives the keys. */
  get modal(): boolean {
    return this.keys || this.palette || this.addSource || this.compose || this.action !== null;
  }

  toggleSnooze(anchor: HTMLElement, ids: readonly number[]): void {
    this.snooze = this.snooze === null && ids.length > 0 ? { anchor, ids } : null;
  }
}
