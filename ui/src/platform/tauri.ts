// The page's side of the desktop program: the one file that names Tauri.
import { Channel, invoke } from '@tauri-apps/api/core';
import type { PageEvent } from '../generated/PageEvent';
import type { Platform } from './platform';

export const tauri: Platform = {
  listen(hear) {
    const channel = new Channel<PageEvent>();
    channel.onmessage = hear;
    return invoke('listen', { channel });
  },
  bootstrap: () => invoke('bootstrap'),
  threads: (query) => invoke('threads', { query }),
  thread: (id, before) => invoke('thread', { id, before }),
  mark: (threads, mark) => invoke('mark', { threads, mark }),
  markAllRead: (place) => invoke('mark_all_read', { place }),
  undo: (undo) => invoke('undo', { undo }),
  pullNow: () => invoke('pull_now'),
  openLink: (url) => invoke('open_link', { url }),
  runAction: (thread, msgid, index) => invoke('run_action', { thread, msgid, index }),
  settings: (settings) => invoke('settings', { settings }),
  autostart: (on) => invoke('autostart', { on }),
  pauseToasts: (until) => invoke('pause_toasts', { until }),
  sendMessage: (thread, body) => invoke('send_message', { thread, body }),
  saveDraft: (thread, text) => invoke('save_draft', { thread, text }),
  retryMessage: (id) => invoke('retry_message', { id }),
  discardMessage: (id) => invoke('discard_message', { id }),
  readBy: (thread, msgid) => invoke('read_by', { thread, msgid }),
};
