// What the page may ask of the program around it, and what it hears unasked. Knows no transport.
import type { ActionView } from '../generated/ActionView';
import type { NewConversation } from '../generated/NewConversation';
import type { Bootstrap } from '../generated/Bootstrap';
import type { BulkTarget } from '../generated/BulkTarget';
import type { ExportFormat } from '../generated/ExportFormat';
import type { FileResult } from '../generated/FileResult';
import type { FileState } from '../generated/FileState';
import type { Folder } from '../generated/Folder';
import type { Mark } from '../generated/Mark';
import type { Marked } from '../generated/Marked';
import type { Member } from '../generated/Member';
import type { MenuEntry } from '../generated/MenuEntry';
import type { NewToken } from '../generated/NewToken';
import type { NotifySettings } from '../generated/NotifySettings';
import type { IpcEvent } from '../generated/IpcEvent';
import type { Person } from '../generated/Person';
import type { Place } from '../generated/Place';
import type { Preview } from '../generated/Preview';
import type { ReadBy } from '../generated/ReadBy';
import type { Rule } from '../generated/Rule';
import type { RuleTrial } from '../generated/RuleTrial';
import type { SavedSearch } from '../generated/SavedSearch';
import type { ServerView } from '../generated/ServerView';
import type { Settings } from '../generated/Settings';
import type { SourceForm } from '../generated/SourceForm';
import type { SourceTest } from '../generated/SourceTest';
import type { StorageView } from '../generated/StorageView';
import type { Suggestion } from '../generated/Suggestion';
import type { ThreadPage } from '../generated/ThreadPage';
import type { ThreadQuery } from '../generated/ThreadQuery';
import type { ThreadView } from '../generated/ThreadView';

/** Every call rejects with a `IpcError`, whose `text` is ready to be shown. */
export interface Platform {
  /** All that the page shows first; from then on events arrive, one after the other. */
  bootstrap(hear: (event: IpcEvent) => void): Promise<Bootstrap>;
  /** The first picture is on screen: what waited for it may start. */
  firstPaint(): Promise<void>;
  threads(query: ThreadQuery): Promise<ThreadPage>;
  /** The newest items of a thread, or those before `before` (a msgid). */
  thread(id: number, before: string | null): Promise<ThreadView>;
  mark(threads: number[], mark: Mark): Promise<Marked>;
  markAllRead(place: Place): Promise<Marked>;
  /** Every thread of a list, also those that are not on the page. */
  markBulk(all: BulkTarget, mark: Mark): Promise<Marked>;
  undo(undo: number): Promise<void>;
  pullNow(): Promise<void>;
  /** Outside, in the browser or the mail program. */
  openLink(url: string): Promise<void>;
  /** Answers words that say how it went. */
  runAction(thread: number, msgid: string, index: number, button: ActionView): Promise<string>;
  settings(settings: Settings): Promise<Settings>;
  autostart(on: boolean): Promise<boolean>;
  /** Milliseconds since 1970; 0 until switched on again; null resumes. */
  pauseToasts(until: number | null): Promise<void>;
  /** Into the outbox at once, also offline; the draft is gone with it. */
  sendMessage(thread: number, body: string): Promise<void>;
  /**
   * With one person its message goes into the outbox, also offline; several become a group, which its server makes.
   * Answers the thread. A name that is not known there is `not_found`, and nothing is sent.
   */
  startConversation(begun: NewConversation): Promise<number>;
  /** Who may be written to at a source, as far as is known here. */
  people(source: number): Promise<Person[]>;
  /** Empty text forgets it. */
  saveDraft(thread: number, text: string): Promise<void>;
  /** Tries a message again that was refused. */
  retryMessage(id: string): Promise<void>;
  discardMessage(id: string): Promise<void>;
  /** One turned away from a conversation: what was read in it is acknowledged at once. */
  leaveThread(thread: number): Promise<void>;
  readBy(thread: number, msgid: string): Promise<ReadBy>;
  /** Of a group; the reader last. */
  members(thread: number): Promise<Member[]>;

  // ── What may be told ──
  setSourceNotify(source: number, notify: NotifySettings): Promise<NotifySettings>;
  rules(): Promise<Rule[]>;
  /** Id 0 is a new one. Answers all of them, in order, as the next three do. */
  saveRule(rule: Rule): Promise<Rule[]>;
  removeRule(id: number): Promise<Rule[]>;
  orderRules(ids: number[]): Promise<Rule[]>;
  tryRule(rule: Rule): Promise<RuleTrial>;

  // ── The sources ──
  testSource(form: SourceForm): Promise<SourceTest>;
  /** Tests first, and refuses in words. */
  addSource(form: SourceForm): Promise<number>;
  renameSource(source: number, name: string): Promise<void>;
  pauseSource(source: number, on: boolean): Promise<void>;
  /** `keep` leaves what it brought in the inbox. */
  removeSource(source: number, keep: boolean): Promise<void>;
  signInSource(source: number, token: string): Promise<SourceTest>;
  /** Pulls this one now. */
  trySource(source: number): Promise<void>;
  orderSources(ids: number[]): Promise<void>;

  // ── This computer's server ──
  server(): Promise<ServerView>;
  /** Keeps it running where it was if the new address fails, and says why. */
  setServer(port: number | null, others: boolean): Promise<ServerView>;
  /** The only time that its secret is told. */
  createToken(label: string, reads: boolean): Promise<NewToken>;
  revokeToken(id: string): Promise<ServerView>;

  // ── Storage; null where the desktop's dialog was cancelled ──
  storage(): Promise<StorageView>;
  compact(): Promise<StorageView>;
  exportInbox(format: ExportFormat): Promise<FileResult | null>;
  backup(): Promise<FileResult | null>;
  restore(): Promise<FileResult | null>;
  exportSettings(): Promise<FileResult | null>;
  importSettings(): Promise<FileResult | null>;
  openFolder(folder: Folder): Promise<void>;
  /** What could stand in a query next, at most 6. */
  suggest(query: string): Promise<Suggestion[]>;
  /** Keeps a search, or renames it; an id of 0 is a new one. Answers all that are kept. */
  saveSearch(search: SavedSearch): Promise<SavedSearch[]>;
  removeSearch(id: number): Promise<SavedSearch[]>;
  orderSearches(ids: number[]): Promise<SavedSearch[]>;
  /** A menu where it was asked for; answers what was chosen, or null. */
  popup(entries: MenuEntry[]): Promise<string | null>;

  // ── Files that came with items ──
  /** Starts, or says how far it is; the rest is heard as events. */
  fetchFile(thread: number, msgid: string): Promise<FileState>;
  /** Of a file that is here. */
  previewFile(thread: number, msgid: string): Promise<Preview>;
  /** A picture that an item of the thread shows, from elsewhere. */
  showImage(thread: number, address: string): Promise<Preview>;
  /** Null where the desktop's dialog was cancelled. */
  saveFile(thread: number, msgid: string): Promise<FileResult | null>;
  cancelFile(thread: number, msgid: string): Promise<void>;

  // ── One thread, one item ──
  setThreadNotify(thread: number, notify: NotifySettings): Promise<NotifySettings>;
  /** Unread again: this item and those after it. */
  unreadFrom(thread: number, msgid: string): Promise<Marked>;
}
