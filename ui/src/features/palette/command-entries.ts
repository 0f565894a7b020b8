// The commands as lines of the palette. What they do and when they mean something is told by their table.
import { en, type Strings } from '../../i18n/en';
import type { Page } from '../../state/page.svelte';
import { keyLabels } from '../commands/key-labels';
import { allCommands } from '../commands/table';
import type { Entry } from './entries';

/** In the order in which they are offered. */
export function commands(page: Page, t: Strings): Entry[] {
  const english = t === en ? new Map<string, string>() : englishNames(page);
  return allCommands(page, t).flatMap((command) => {
    const offer = command.offer?.(page, t);
    if (!offer || (offer.checked && command.id.startsWith('group-'))) return [];
    const { icon, label } = offer;
    return [
      {
        id: `command-${command.id}`,
        icon,
        label,
        also: english.get(command.id) ?? '',
        ...(offer.checked ? { hint: t.isOn } : {}),
        keys: keyLabels(command)[0] ?? [],
        run: (page: Page) => command.run(page),
      },
    ];
  });
}

/** Their English names find them too: Latin letters are typed faster than Chinese. */
function englishNames(page: Page): Map<string, string> {
  return new Map(allCommands(page, en).map((command) => [command.id, command.offer?.(page, en)?.label ?? '']));
}
