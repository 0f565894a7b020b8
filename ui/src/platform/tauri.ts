// The page's connection to the desktop program: the only file that names Tauri.
import { Channel, invoke } from '@tauri-apps/api/core';
import type { Bootstrap } from '../generated/Bootstrap';
import { client } from '../generated/commands';
import type { IpcEvent } from '../generated/IpcEvent';
import { menuPlace } from './menu-place';
import type { Platform } from './platform';

const commands = client((command, args) => invoke('call', { command: { command, args } }));

/** What the document brought for the first paint, once; null if the page has to ask for it. */
function brought(): Bootstrap | null {
  const data = document.querySelector('#first-paint');
  data?.remove();
  return data?.textContent ? JSON.parse(data.textContent) : null;
}

export const tauri: Platform = {
  ...commands,
  async bootstrap(onEvent) {
    const events = new Channel<IpcEvent>();
    events.onmessage = onEvent;
    const ask = <T>(command: string) => invoke<T>('call', { command: { command, args: {} }, events });
    const boot = brought();
    if (boot === null) return ask('bootstrap');
    void ask('listen');
    return boot;
  },
  popup: (entries) => commands.popup(entries, [menuPlace.x, menuPlace.y]),
};
