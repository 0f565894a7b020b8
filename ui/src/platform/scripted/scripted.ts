// A program that answers from memory, for developing the page in a plain browser and for its tests. Never shipped.
import type { ActionView } from '../../generated/ActionView';
import type { Bootstrap } from '../../generated/Bootstrap';
import type { IpcEvent } from '../../generated/IpcEvent';
import type { MenuEntry } from '../../generated/MenuEntry';
import type { Settings } from '../../generated/Settings';
import type { ThreadView } from '../../generated/ThreadView';
import { desktop } from '../../i18n/times';
import { Clock } from '../../state/clock.svelte';
import { firstPage } from '../../state/list/list-query';
import type { Platform } from '../platform';
import { ScriptedAdmin } from './admin';
import { ScriptedConversations } from './conversations';
import { ScriptedFiles } from './files';
import { ScriptedNotifications } from './notifications';
import { showMenu } from './popup';
import { ScriptedPublishing } from './publishing';
import { NOW } from './scripted-thread';
import { ScriptedTopics } from './topics';

export interface Script {
  platform: Scripted;
  clock: Clock;
}

/**
 * Creates the scripted program. Parameters of the query: `lang=zh`, `theme`, `density`, `group`, `first-run`,
 * `offline`, `quiet`, `rows=1000000` (adds this many threads), `open=2` (opens a thread), `refuse` (the server refuses
 * messages), `still` (marks change nothing, for comparison with the reference views).
 */
export function scripted(query: URLSearchParams = new URLSearchParams()): Script {
  desktop.hour12 = false;
  return { platform: new Scripted(query), clock: new Clock(() => NOW) };
}

/** The platform for tests. Its base classes each implement one topic: state, lists, search, conversations. */
export class Scripted extends ScriptedConversations implements Platform {
  /** The answers of the next menus, in turn; without one a menu is shown. */
  readonly choices: (string | null)[] = [];
  /** The settings: sources, server, storage. */
  readonly admin = new ScriptedAdmin(this, this.now.lang_now);
  readonly notifications = new ScriptedNotifications(this, this.now.lang_now);
  readonly files = new ScriptedFiles(this);
  readonly publishers = new ScriptedPublishing(this, () => this.admin.view, this.now.lang_now);
  readonly topicSettings = new ScriptedTopics(this, () => this.admin.view, this.now.lang_now);

  setSourceNotify: Platform['setSourceNotify'] = (source, notify) => this.notifications.source(source, notify);
  rules: Platform['rules'] = () => this.notifications.all();
  saveRule: Platform['saveRule'] = (rule) => this.notifications.save(rule);
  removeRule: Platform['removeRule'] = (id) => this.notifications.remove(id);
  orderRules: Platform['orderRules'] = (ids) => this.notifications.order(ids);
  tryRule: Platform['tryRule'] = (rule) => this.notifications.attempt(rule);
  testSource: Platform['testSource'] = (form) => this.admin.test(form);
  addSource: Platform['addSource'] = (form) => this.admin.add(form);
  renameSource: Platform['renameSource'] = (source, name) => this.admin.rename(source, name);
  pauseSource: Platform['pauseSource'] = (source, on) => this.admin.pause(source, on);
  removeSource: Platform['removeSource'] = (source, keep) => this.admin.remove(source, keep);
  signInSource: Platform['signInSource'] = (source, token) => this.admin.signIn(source, token);
  trySource: Platform['trySource'] = (source) => this.admin.pull(source);
  orderSources: Platform['orderSources'] = (ids) => this.admin.order(ids);
  server: Platform['server'] = () => this.admin.server();
  setServer: Platform['setServer'] = (port, others) => this.admin.setServer(port, others);
  setOrigins: Platform['setOrigins'] = (origins) => this.admin.setOrigins(origins);
  createToken: Platform['createToken'] = (label, reads) => this.admin.createToken(label, reads);
  revokeToken: Platform['revokeToken'] = (id) => this.admin.revokeToken(id);
  publishing: Platform['publishing'] = (form) => this.publishers.lines(form);
  createApplication: Platform['createApplication'] = (name) => this.publishers.application(name);
  testPublishing: Platform['testPublishing'] = (form, door) => this.publishers.test(form, door);
  topics: Platform['topics'] = () => this.topicSettings.all();
  saveTopic: Platform['saveTopic'] = (form) => this.topicSettings.save(form);
  removeTopic: Platform['removeTopic'] = (topic) => this.topicSettings.remove(topic);
  tryTemplate: Platform['tryTemplate'] = (topic, template) => this.topicSettings.attempt(topic, template);
  storage: Platform['storage'] = () => this.admin.storage();
  compact: Platform['compact'] = () => this.admin.compact();
  exportInbox: Platform['exportInbox'] = (format) => this.admin.file('exportInbox', format);
  backup: Platform['backup'] = () => this.admin.file('backup');
  restore: Platform['restore'] = () => this.admin.file('restore');
  exportSettings: Platform['exportSettings'] = () => this.admin.file('exportSettings');
  importSettings: Platform['importSettings'] = () => this.admin.file('importSettings');
  openFolder: Platform['openFolder'] = (folder) => this.admin.openFolder(folder);

  fetchFile: Platform['fetchFile'] = (thread, msgid) => this.files.fetch(thread, msgid);
  previewFile: Platform['previewFile'] = (thread, msgid) => this.files.preview(thread, msgid);
  showImage: Platform['showImage'] = (thread, address) => this.files.image(thread, address);
  saveFile: Platform['saveFile'] = (thread, msgid) => this.files.save(thread, msgid);
  cancelFile: Platform['cancelFile'] = (thread, msgid) => this.files.cancel(thread, msgid);
  setThreadNotify: Platform['setThreadNotify'] = (thread, notify) => this.notifications.thread(thread, notify);

  override async thread(id: number, before: string | null): Promise<ThreadView> {
    return { ...(await super.thread(id, before)), notify: this.notifications.of(id) };
  }

  async bootstrap(onEvent: (event: IpcEvent) => void): Promise<Bootstrap> {
    this.onEvent = onEvent;
    const open = this.query.get('open');
    const first = this.query.has('first-run');
    return {
      version: '0.1.0',
      settings: this.now,
      time_locale: null,
      places: this.places(),
      sync: this.sync,
      inbox: await this.threads({ ...firstPage({ place: 'inbox' }, 200), group: this.now.group }),
      first_run: { show: first, publish_url: 'http://127.0.0.1:7878', autostart: true },
      notices: [],
      open: open === null ? null : Number(open),
      open_item: null,
      open_action: null,
      protocols: this.admin.protocols,
      uploads: [],
    };
  }

  async firstPaint(): Promise<void> {
    this.asked.push(['firstPaint']);
  }

  async pullNow(): Promise<void> {
    this.asked.push(['pullNow']);
    this.sync = { ...this.sync, offline: false, up_to_date: true, waiting: 0, waiting_messages: 0 };
    this.sources = this.sources.map((one) => (one.id === 2 ? { ...one, state: { state: 'live' } } : one));
    this.onEvent({ event: 'sync', sync: this.sync, sources: this.sources });
    for (const { row, outgoing } of this.inbox) if (outgoing.length > 0) this.deliver(row.id);
  }

  async openLink(url: string): Promise<void> {
    this.asked.push(['openLink', url]);
  }

  async runAction(thread: number, msgid: string, index: number, button: ActionView): Promise<string> {
    this.asked.push(['runAction', thread, msgid, index]);
    const now = this.find(thread)?.items.find((item) => item.msgid === msgid)?.actions[index];
    const same = now?.label === button.label && now.host === button.host && now.method === button.method;
    if (!same) throw { code: 'invalid', text: 'This button is no longer what it was' };
    return 'Done';
  }

  async settings(settings: Settings): Promise<Settings> {
    this.asked.push(['settings', settings]);
    this.now = { ...settings, lang_now: settings.lang ?? 'en' };
    return this.now;
  }

  async autostart(on: boolean): Promise<boolean> {
    this.asked.push(['autostart', on]);
    return on;
  }

  async pauseToasts(until: number | null): Promise<void> {
    this.asked.push(['pauseToasts', until]);
    this.sync = { ...this.sync, paused_until: until };
    this.onEvent({ event: 'sync', sync: this.sync, sources: this.sources });
  }

  async popup(entries: MenuEntry[]): Promise<string | null> {
    this.asked.push(['popup', entries]);
    const choice = this.choices.shift();
    return choice === undefined ? showMenu(entries) : choice;
  }
}
