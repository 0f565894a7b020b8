// The requests of the page to the program, and the events it receives. Independent of the transport.
import type { Bootstrap } from '../generated/Bootstrap';
import type { Commands } from '../generated/commands';
import type { IpcEvent } from '../generated/IpcEvent';
import type { MenuEntry } from '../generated/MenuEntry';

/** The program's commands; `bootstrap` and `popup` without the arguments that come from the window. `bootstrap` listens. */
export interface Platform extends Omit<Commands, 'bootstrap' | 'listen' | 'popup'> {
  /** Returns everything that the page shows first, and subscribes to events, which arrive one after the other. */
  bootstrap(onEvent: (event: IpcEvent) => void): Promise<Bootstrap>;
  /** Shows a native menu where it was requested; resolves to the chosen entry's id, or null. */
  popup(entries: MenuEntry[]): Promise<string | null>;
}
