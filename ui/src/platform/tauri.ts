// The page's connection to the desktop program: the only file that names Tauri.
import { Channel, invoke } from '@tauri-apps/api/core';
import { client } from '../generated/commands';
import type { IpcEvent } from '../generated/IpcEvent';
import { menuPlace } from './menu-place';
import type { Platform } from './platform';

const commands = client((command, args) => invoke('call', { command: { command, args } }));

export const tauri: Platform = {
  ...commands,
  bootstrap(onEvent) {
    const events = new Channel<IpcEvent>();
    events.onmessage = onEvent;
    return invoke('call', { command: { command: 'bootstrap', args: {} }, events });
  },
  popup: (entries) => commands.popup(entries, [menuPlace.x, menuPlace.y]),
};
