// The page's side of the desktop program: the one file that names Tauri.
import { Channel, invoke } from '@tauri-apps/api/core';
import type { IpcEvent } from '../generated/IpcEvent';
import { menuPlace } from './menu-place';
import type { Platform } from './platform';

export const tauri: Platform = {
  bootstrap(hear) {
    const channel = new Channel<IpcEvent>();
    channel.onmessage = hear;
    return invoke('bootstrap', { channel });
  },
  firstPaint: () => invoke('first_paint'),
  threads: (query) => invoke('threads', { query }),
  thread: (id, before) => invoke('thread', { id, before }),
  mark: (threads, mark) => invoke('mark', { threads, mark }),
  markAllRead: (place) => invoke('mark_all_read', { place }),
  markBulk: (all, mark) => invoke('mark_bulk', { all, mark }),
  undo: (undo) => invoke('undo', { undo }),
  pullNow: () => invoke('pull_now'),
  openLink: (url) => invoke('open_link', { url }),
  runAction: (thread, msgid, index, button) => invoke('run_action', { thread, msgid, index, button }),
  settings: (settings) => invoke('settings', { settings }),
  autostart: (on) => invoke('autostart', { on }),
  pauseToasts: (until) => invoke('pause_toasts', { until }),
  sendMessage: (thread, body) => invoke('send_message', { thread, body }),
  startConversation: (conversation) => invoke('start_conversation', { new: conversation }),
  people: (source) => invoke('people', { source }),
  saveDraft: (thread, text) => invoke('save_draft', { thread, text }),
  retryMessage: (id) => invoke('retry_message', { id }),
  discardMessage: (id) => invoke('discard_message', { id }),
  leaveThread: (thread) => invoke('leave_thread', { thread }),
  readBy: (thread, msgid) => invoke('read_by', { thread, msgid }),
  members: (thread) => invoke('members', { thread }),

  setSourceNotify: (source, notify) => invoke('set_source_notify', { source, notify }),
  rules: () => invoke('rules'),
  saveRule: (rule) => invoke('save_rule', { rule }),
  removeRule: (id) => invoke('remove_rule', { id }),
  orderRules: (ids) => invoke('order_rules', { ids }),
  tryRule: (rule) => invoke('try_rule', { rule }),

  testSource: (form) => invoke('test_source', { form }),
  addSource: (form) => invoke('add_source', { form }),
  renameSource: (source, name) => invoke('rename_source', { source, name }),
  pauseSource: (source, on) => invoke('pause_source', { source, on }),
  removeSource: (source, keep) => invoke('remove_source', { source, keep }),
  signInSource: (source, token) => invoke('sign_in_source', { source, token }),
  trySource: (source) => invoke('try_source', { source }),
  orderSources: (ids) => invoke('order_sources', { ids }),

  server: () => invoke('server'),
  setServer: (port, others) => invoke('set_server', { port, others }),
  createToken: (label, reads) => invoke('create_token', { label, reads }),
  revokeToken: (id) => invoke('revoke_token', { id }),

  storage: () => invoke('storage'),
  compact: () => invoke('compact'),
  exportInbox: (format) => invoke('export_inbox', { format }),
  backup: () => invoke('backup'),
  restore: () => invoke('restore'),
  exportSettings: () => invoke('export_settings'),
  importSettings: () => invoke('import_settings'),
  openFolder: (folder) => invoke('open_folder', { folder }),
  suggest: (query) => invoke('suggest', { query }),
  saveSearch: (search) => invoke('save_search', { search }),
  removeSearch: (id) => invoke('remove_search', { id }),
  orderSearches: (ids) => invoke('order_searches', { ids }),
  popup: (entries) => invoke('popup', { entries, at: [menuPlace.x, menuPlace.y] }),

  fetchFile: (thread, msgid) => invoke('fetch_file', { thread, msgid }),
  previewFile: (thread, msgid) => invoke('preview_file', { thread, msgid }),
  showImage: (thread, address) => invoke('show_image', { thread, address }),
  saveFile: (thread, msgid) => invoke('save_file', { thread, msgid }),
  cancelFile: (thread, msgid) => invoke('cancel_file', { thread, msgid }),

  setThreadNotify: (thread, notify) => invoke('set_thread_notify', { thread, notify }),
  unreadFrom: (thread, msgid) => invoke('unread_from', { thread, msgid }),
};
