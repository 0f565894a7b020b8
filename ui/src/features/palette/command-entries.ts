// The commands as entries of the palette.
import { en, type Strings } from '../../i18n/en';
import type { Stores } from '../../state/stores';
import { allCommands } from '../commands/table';
import { type Entry, keysOf } from './entries';

/** The offered commands, in their order. */
export function commands(stores: Stores, t: Strings): Entry[] {
  const english = t === en ? new Map<string, string>() : englishNames(stores);
  return allCommands(stores, t).flatMap((command) => {
    const offer = command.offer?.(stores, t);
    if (!offer || (offer.checked && command.id.startsWith('group-'))) return [];
    const { icon, label } = offer;
    const about = command.about?.(stores, t);
    return [
      {
        id: `command-${command.id}`,
        icon,
        label,
        also: english.get(command.id) ?? '',
        ...(about ? { more: about } : {}),
        ...(offer.checked ? { hint: t.isOn } : {}),
        ...(command.sweeping ? { sweeping: true } : {}),
        keys: keysOf(command),
        run: (stores: Stores) => command.run(stores),
      },
    ];
  });
}

/** The English labels by command id, by which they are found too: Latin letters are typed faster than Chinese. */
function englishNames(stores: Stores): Map<string, string> {
  return new Map(allCommands(stores, en).map((command) => [command.id, command.offer?.(stores, en)?.label ?? '']));
}
