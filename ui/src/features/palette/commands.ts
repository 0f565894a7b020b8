// The commands as lines of the palette. What they do and when they mean something is told by their table.
import { en, type Words } from '../../i18n/en';
import type { Page } from '../../state/page.svelte';
import { allCommands } from '../keys/bindings';
import { writtenKeys } from '../keys/written';
import type { Entry } from './entries';

/** In the order in which they are offered. */
export function commands(page: Page, t: Words): Entry[] {
  const english = t === en ? new Map<string, string>() : englishNames(page);
  return allCommands(page, t).flatMap((command) => {
    const offer = command.now?.(page, t);
    if (!offer || (offer.checked && command.id.startsWith('group-'))) return [];
    const { icon, words } = offer;
    return [
      {
        id: `command-${command.id}`,
        icon,
        words,
        also: english.get(command.id) ?? '',
        ...(offer.checked ? { hint: t.isOn } : {}),
        keys: writtenKeys(command)[0] ?? [],
        run: (page: Page) => command.run(page),
      },
    ];
  });
}

/** Their English names find them too: Latin letters are typed faster than Chinese. */
function englishNames(page: Page): Map<string, string> {
  return new Map(allCommands(page, en).map((command) => [command.id, command.now?.(page, en)?.words ?? '']));
}
