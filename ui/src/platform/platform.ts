// What the page may ask of the program around it, and what it hears unasked. Knows no transport.
import type { Bootstrap } from '../generated/Bootstrap';
import type { Mark } from '../generated/Mark';
import type { Marked } from '../generated/Marked';
import type { PageEvent } from '../generated/PageEvent';
import type { Place } from '../generated/Place';
import type { ReadBy } from '../generated/ReadBy';
import type { Settings } from '../generated/Settings';
import type { ThreadPage } from '../generated/ThreadPage';
import type { ThreadQuery } from '../generated/ThreadQuery';
import type { ThreadView } from '../generated/ThreadView';

/** Every call rejects with a `PageError`, whose `text` is ready to be shown. */
export interface Platform {
  /** Events arrive one after the other; opened once, before `bootstrap`. */
  listen(hear: (event: PageEvent) => void): Promise<void>;
  bootstrap(): Promise<Bootstrap>;
  threads(query: ThreadQuery): Promise<ThreadPage>;
  /** The newest items of a thread, or those before `before` (a msgid). */
  thread(id: number, before: string | null): Promise<ThreadView>;
  mark(threads: number[], mark: Mark): Promise<Marked>;
  markAllRead(place: Place): Promise<Marked>;
  undo(undo: number): Promise<void>;
  pullNow(): Promise<void>;
  /** Outside, in the browser or the mail program. */
  openLink(url: string): Promise<void>;
  /** Answers words that say how it went. */
  runAction(thread: number, msgid: string, index: number): Promise<string>;
  settings(settings: Settings): Promise<Settings>;
  autostart(on: boolean): Promise<boolean>;
  /** Milliseconds since 1970; 0 until switched on again; null resumes. */
  pauseToasts(until: number | null): Promise<void>;
  /** Into the outbox at once, also offline; the draft is gone with it. */
  sendMessage(thread: number, body: string): Promise<void>;
  /** Empty text forgets it. */
  saveDraft(thread: number, text: string): Promise<void>;
  /** Tries a message again that was refused. */
  retryMessage(id: string): Promise<void>;
  discardMessage(id: string): Promise<void>;
  readBy(thread: number, msgid: string): Promise<ReadBy>;
}
