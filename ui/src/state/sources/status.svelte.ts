// The sync status, and the program's notices with those that the reader dismissed.
import type { Notice } from '../../generated/Notice';
import type { NoticeCode } from '../../generated/NoticeCode';
import type { Sync } from '../../generated/Sync';

export class Status {
  sync: Sync | null = $state.raw(null);
  #notices: readonly Notice[] = $state.raw([]);
  #dismissed: readonly NoticeCode[] = $state.raw([]);

  /** The notices to be shown. Dangers cannot be dismissed. */
  get notices(): readonly Notice[] {
    return this.#notices.filter((one) => one.danger || !this.#dismissed.includes(one.code));
  }

  dismiss(code: NoticeCode): void {
    this.#dismissed = [...this.#dismissed, code];
  }

  /** Replaces all notices; returns the new ones. A dismissed notice that went away may come back. */
  setNotices(notices: readonly Notice[]): Notice[] {
    const known = new Set(this.#notices.map((notice) => notice.text));
    this.#notices = notices;
    this.#dismissed = this.#dismissed.filter((code) => notices.some((notice) => notice.code === code));
    return notices.filter((notice) => !known.has(notice.text));
  }
}
