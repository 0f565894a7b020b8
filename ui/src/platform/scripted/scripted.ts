// A program that answers from memory, for developing the page in a plain browser and for its tests. Never shipped.
import type { ActionView } from '../../generated/ActionView';
import type { Bootstrap } from '../../generated/Bootstrap';
import type { GlobalShortcutView } from '../../generated/GlobalShortcutView';
import type { IpcEvent } from '../../generated/IpcEvent';
import type { MenuEntry } from '../../generated/MenuEntry';
import type { Settings } from '../../generated/Settings';
import type { TestNotification } from '../../generated/TestNotification';
import type { ThreadPosition } from '../../generated/ThreadPosition';
import type { ThreadView } from '../../generated/ThreadView';
import { desktop } from '../../i18n/times';
import { Clock } from '../../state/clock.svelte';
import { firstPage } from '../../state/list/list-query';
import type { Platform } from '../platform';
import { ScriptedCertificates } from './certificates';
import { ScriptedConversations } from './conversations';
import { ScriptedDigests } from './digests';
import { ScriptedFiles } from './files';
import { ScriptedImports } from './imports';
import { ScriptedNotifications } from './notifications';
import { ScriptedServer } from './own-server';
import { showMenu } from './popup';
import { ScriptedProxy } from './proxy';
import { ScriptedPublishing } from './publishing';
import { NOW } from './scripted-thread';
import { ScriptedSources } from './sources';
import { ScriptedStorage } from './storage';
import { ScriptedTopics } from './topics';

export interface Script {
  platform: Scripted;
  clock: Clock;
}

/**
 * Creates the scripted program. Parameters of the query: `lang=zh`, `theme`, `density`, `group`, `text=200`,
 * `first-run`, `offline` and `quiet`. `rows=1000000` adds this many threads, and `open=2` opens a thread. With `refuse`
 * the server refuses messages, with `away` the reader comes back after a night. With `still` marks change nothing, for
 * comparison with the reference views.
 */
export function scripted(query: URLSearchParams = new URLSearchParams()): Script {
  desktop.hour12 = false;
  return { platform: new Scripted(query), clock: new Clock(() => NOW) };
}

/** The platform for tests. Its base classes each implement one topic: state, lists, search, conversations. */
export class Scripted extends ScriptedConversations implements Platform {
  /** The answers of the next menus, in turn; without one a menu is shown. */
  readonly choices: (string | null)[] = [];
  /** The settings: sources, the own server, storage. */
  readonly sourceSettings = new ScriptedSources(this);
  readonly own = new ScriptedServer(this);
  readonly disk = new ScriptedStorage(this);
  readonly imports = new ScriptedImports(this, this.sourceSettings, this.disk);
  readonly certs = new ScriptedCertificates(this);
  readonly proxies = new ScriptedProxy(this);
  readonly notifications = new ScriptedNotifications(this);
  readonly files = new ScriptedFiles(this);
  readonly digests = new ScriptedDigests(this, this.query.has('away'));
  readonly publishers = new ScriptedPublishing(this, this.own);
  readonly topicSettings = new ScriptedTopics(this, this.own);

  setSourceNotify: Platform['setSourceNotify'] = (source, notify) => this.notifications.source(source, notify);
  chooseSound: Platform['chooseSound'] = () => this.notifications.chooseSound();
  rules: Platform['rules'] = () => this.notifications.all();
  saveRule: Platform['saveRule'] = (rule) => this.notifications.save(rule);
  removeRule: Platform['removeRule'] = (id) => this.notifications.remove(id);
  orderRules: Platform['orderRules'] = (ids) => this.notifications.order(ids);
  tryRule: Platform['tryRule'] = (rule) => this.notifications.attempt(rule);
  applyRule: Platform['applyRule'] = async (rule) => {
    this.asked.push(['applyRule', rule]);
    return this.put(this.notifications.matched(rule), { op: rule.then.archive ? 'archive' : 'read' });
  };
  completeRule: Platform['completeRule'] = (field, text) => this.notifications.complete(field, text);
  ruleDays: Platform['ruleDays'] = async () => this.notifications.days;
  ruleActs: Platform['ruleActs'] = (rule) => this.notifications.did(rule);
  noise: Platform['noise'] = () => this.notifications.noise();
  mute: Platform['mute'] = (source, origin, until) => this.notifications.mute(source, origin, until);
  quietNow: Platform['quietNow'] = () => this.notifications.quietNow();
  unmute: Platform['unmute'] = (source, origin) => this.notifications.mute(source, origin, undefined);
  testSource: Platform['testSource'] = (form) => this.sourceSettings.test(form);
  addSource: Platform['addSource'] = (form) => this.sourceSettings.add(form);
  readImport: Platform['readImport'] = () => this.imports.read();
  addImported: Platform['addImported'] = (id, line, token, known) => this.imports.add(id, line, token, known);
  endImport: Platform['endImport'] = (id) => this.imports.end(id);
  exportFeeds: Platform['exportFeeds'] = () => this.imports.feeds();
  editSource: Platform['editSource'] = (source, form) => this.sourceSettings.edit(source, form);
  pauseSource: Platform['pauseSource'] = (source, on) => this.sourceSettings.pause(source, on);
  removalHint: Platform['removalHint'] = (source) => this.sourceSettings.removalHint(source);
  removeSource: Platform['removeSource'] = (source, keep) => this.sourceSettings.remove(source, keep);
  signInSource: Platform['signInSource'] = (source, token) => this.sourceSettings.signIn(source, token);
  signInClient: Platform['signInClient'] = (protocol, url) => this.sourceSettings.client(protocol, url);
  beginSignIn: Platform['beginSignIn'] = (form) => this.sourceSettings.beginSignIn(form);
  finishSignIn: Platform['finishSignIn'] = (id) => this.sourceSettings.finishSignIn(id);
  cancelSignIn: Platform['cancelSignIn'] = (id) => this.sourceSettings.cancelSignIn(id);
  certificates: Platform['certificates'] = () => this.certs.all();
  addAuthorities: Platform['addAuthorities'] = (address) => this.certs.authority(address);
  addClientCertificate: Platform['addClientCertificate'] = (address) => this.certs.client(address);
  removeCertificate: Platform['removeCertificate'] = (origin, fingerprint) => this.certs.remove(origin, fingerprint);
  proxy: Platform['proxy'] = () => this.proxies.get();
  setProxy: Platform['setProxy'] = (form) => this.proxies.set(form);
  trySource: Platform['trySource'] = (source) => this.sourceSettings.pull(source);
  orderSources: Platform['orderSources'] = (ids) => this.sourceSettings.order(ids);
  server: Platform['server'] = () => this.own.server();
  setServer: Platform['setServer'] = (port, others) => this.own.setServer(port, others);
  setOrigins: Platform['setOrigins'] = (origins) => this.own.setOrigins(origins);
  createToken: Platform['createToken'] = (label, reads) => this.own.createToken(label, reads);
  revokeToken: Platform['revokeToken'] = (id) => this.own.revokeToken(id);
  addUser: Platform['addUser'] = (id, name) => this.own.addUser(id, name);
  renameUser: Platform['renameUser'] = (id, name) => this.own.renameUser(id, name);
  removeUser: Platform['removeUser'] = (id, recalls) => this.own.removeUser(id, recalls);
  exportUser: Platform['exportUser'] = (id) => this.own.exportUser(id);
  publishing: Platform['publishing'] = (form) => this.publishers.lines(form);
  createApplication: Platform['createApplication'] = (name) => this.publishers.application(name);
  publishOnTopic: Platform['publishOnTopic'] = (publication) => this.publishers.onTopic(publication);
  testPublishing: Platform['testPublishing'] = (form, door) => this.publishers.test(form, door);
  topics: Platform['topics'] = () => this.topicSettings.all();
  saveTopic: Platform['saveTopic'] = (form) => this.topicSettings.save(form);
  removeTopic: Platform['removeTopic'] = (topic) => this.topicSettings.remove(topic);
  tryTemplate: Platform['tryTemplate'] = (topic, template) => this.topicSettings.attempt(topic, template);
  storage: Platform['storage'] = () => this.disk.storage();
  releases: Platform['releases'] = () => this.disk.releases();
  closeReleaseNotice: Platform['closeReleaseNotice'] = () => this.disk.closeReleaseNotice();
  diagnosis: Platform['diagnosis'] = () => this.disk.diagnosis();
  compact: Platform['compact'] = () => this.disk.compact();
  setPullLimit: Platform['setPullLimit'] = (mebibytes) => this.disk.setPullLimit(mebibytes);
  repairInbox: Platform['repairInbox'] = () => this.disk.repairInbox();
  mendClock: Platform['mendClock'] = () => this.disk.mendClock();
  exportInbox: Platform['exportInbox'] = (format) => this.disk.file('exportInbox', format);
  backup: Platform['backup'] = () => this.disk.file('backup');
  restore: Platform['restore'] = () => this.disk.file('restore');
  exportSettings: Platform['exportSettings'] = () => this.disk.file('exportSettings');
  importSettings: Platform['importSettings'] = () => this.disk.file('importSettings');
  openFolder: Platform['openFolder'] = (folder) => this.disk.openFolder(folder);

  digest: Platform['digest'] = (query) => this.digests.digest(query);
  archiveDigest: Platform['archiveDigest'] = (target) => this.digests.archive(target);
  away: Platform['away'] = async () => this.digests.away;
  here: Platform['here'] = () => this.digests.here();
  closeAway: Platform['closeAway'] = () => this.digests.closeAway();

  fetchFile: Platform['fetchFile'] = (thread, msgid) => this.files.fetch(thread, msgid);
  previewFile: Platform['previewFile'] = (thread, msgid) => this.files.preview(thread, msgid);
  previewOutgoing: Platform['previewOutgoing'] = (id) => this.files.previewOutgoing(id);
  showImage: Platform['showImage'] = (thread, msgid, address) => this.files.image(thread, msgid, address);
  icon: Platform['icon'] = (source, address, fetch) => this.files.icon(source, address, fetch);
  saveFile: Platform['saveFile'] = (thread, msgid) => this.files.save(thread, msgid);
  cancelFile: Platform['cancelFile'] = (thread, msgid) => this.files.cancel(thread, msgid);
  keepApplication: Platform['keepApplication'] = (source, name, on) =>
    this.sourceSettings.keepApplication(source, name, on);
  setSourceIcons: Platform['setSourceIcons'] = (source, on) => this.sourceSettings.setIcons(source, on);
  setThreadNotify: Platform['setThreadNotify'] = (thread, notify) => this.notifications.thread(thread, notify);

  override async thread(id: number, position: ThreadPosition | null): Promise<ThreadView> {
    const view = await super.thread(id, position);
    return { ...view, notify: this.notifications.of(view.row) };
  }

  async bootstrap(onEvent: (event: IpcEvent) => void): Promise<Bootstrap> {
    this.onEvent = onEvent;
    const open = this.query.get('open');
    const first = this.query.has('first-run');
    return {
      version: '0.1.0',
      settings: this.now,
      time_locale: null,
      font: null,
      places: this.places(),
      sync: this.sync,
      inbox: await this.threads({ ...firstPage({ place: 'inbox' }, 200), group: this.now.group }),
      first_run: { show: first, publish_url: 'http://127.0.0.1:7878', autostart: true },
      notices: [],
      open: open === null ? null : Number(open),
      open_item: null,
      open_action: null,
      protocols: this.sourceSettings.protocols,
      uploads: [],
    };
  }

  async firstPaint(): Promise<void> {
    this.asked.push(['firstPaint']);
  }

  async readAgain(): Promise<void> {
    this.asked.push(['readAgain']);
  }

  async pullNow(): Promise<void> {
    this.asked.push(['pullNow']);
    this.sync = { ...this.sync, offline: false, up_to_date: true, waiting: 0, waiting_messages: 0 };
    this.setSources((one) => (one.id === 2 ? { ...one, state: { state: 'live' } } : one));
    for (const { row, outgoing } of this.inbox) if (outgoing.length > 0) this.deliver(row.id);
  }

  async openLink(url: string, background: boolean): Promise<void> {
    this.asked.push(background ? ['openLink', url, 'background'] : ['openLink', url]);
  }

  async runAction(
    thread: number,
    msgid: string,
    index: number,
    button: ActionView,
    background: boolean,
  ): Promise<string> {
    this.asked.push(['runAction', thread, msgid, index, ...(background ? ['background'] : [])]);
    const now = this.find(thread)?.items.find((item) => item.msgid === msgid)?.actions[index];
    const same = now?.label === button.label && now.host === button.host && now.method === button.method;
    if (!same) throw { code: 'invalid', text: 'This button has changed since it was shown' };
    return now.copies === undefined ? 'Done' : 'Copied';
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
    this.emitSync();
  }

  /** The answer to the next test notification. */
  testAnswer: TestNotification = { outcome: 'shown', text: 'Shown by the desktop' };

  async testNotification(): Promise<TestNotification> {
    this.asked.push(['testNotification']);
    return this.testAnswer;
  }

  /** The keys for the window; `Super+KeyN` is another program's. */
  shortcut: GlobalShortcutView = { supported: true, keys: null, problem: null };

  async globalShortcut(): Promise<GlobalShortcutView> {
    return this.shortcut;
  }

  async setGlobalShortcut(keys: string | null): Promise<GlobalShortcutView> {
    this.asked.push(['setGlobalShortcut', keys]);
    if (keys === 'Super+KeyN') throw { code: 'invalid', text: 'Another program uses Super+N. Choose other keys' };
    this.shortcut = { ...this.shortcut, keys };
    return this.shortcut;
  }

  async popup(entries: MenuEntry[]): Promise<string | null> {
    this.asked.push(['popup', entries]);
    const choice = this.choices.shift();
    return choice === undefined ? showMenu(entries) : choice;
  }
}
