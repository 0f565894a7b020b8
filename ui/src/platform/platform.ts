// What the page may ask of the program around it, and what it hears unasked. Knows no transport.
import type { Bootstrap } from '../generated/Bootstrap';
import type { Commands } from '../generated/commands';
import type { IpcEvent } from '../generated/IpcEvent';
import type { MenuEntry } from '../generated/MenuEntry';

/** The program's commands; those two that need something of the window are asked for without it. */
export interface Platform extends Omit<Commands, 'bootstrap' | 'popup'> {
  /** All that the page shows first; from then on events arrive, one after the other. */
  bootstrap(hear: (event: IpcEvent) => void): Promise<Bootstrap>;
  /** A menu where it was asked for; answers what was chosen, or null. */
  popup(entries: MenuEntry[]): Promise<string | null>;
}
