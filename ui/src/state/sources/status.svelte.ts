// How pulling goes, and the notices of the program with those that the reader dismissed.
import type { Notice } from '../../generated/Notice';
import type { NoticeCode } from '../../generated/NoticeCode';
import type { Sync } from '../../generated/Sync';

export class Status {
  sync: Sync | null = $state.raw(null);
  #notices: readonly Notice[] = $state.raw([]);
  #dismissed: readonly NoticeCode[] = $state.raw([]);

  /** Those to be shown: dangers cannot be dismissed. */
  get notices(): readonly Notice[] {
    return this.#notices.filter((one) => one.danger || !this.#dismissed.includes(one.code));
  }

  dismiss(code: NoticeCode): void {
    this.#dismissed = [...this.#dismissed, code];
  }

  /** Takes over all notices; returns those that are new. A dismissed one that went away may come back. */
  setNotices(notices: readonly Notice[]): Notice[] {
    const known = new Set(this.#notices.map((notice) => notice.text));
    this.#notices = notices;
    this.#dismissed = this.#dismissed.filter((code) => notices.some((notice) => notice.code === code));
    return notices.filter((notice) => !known.has(notice.text));
  }
}
