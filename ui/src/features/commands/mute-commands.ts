// Commands that mute threads for a time, and the topic, application or repository that they are from.
import type { Strings } from '../../i18n/en';
import { mutableOrigin } from '../../state/marks/mutes';
import type { Stores } from '../../state/stores';
import { muteLines, muteSpans } from '../mute/mute-spans';
import type { Command } from './command';
import { subjectName, subjectRows } from './thread-commands';

/** The ids of the commands that mute threads for a time. */
export const MUTE_THREADS = ['mute-hour', 'mute-tomorrow'];
/** The ids of those for what the threads are from. */
export const MUTE_ORIGIN = ['mute-hour', 'mute-tomorrow', 'mute-ever', 'unmute'].map((id) => `origin-${id}`);

/** The commands that are offered for the threads that commands act on. */
export function muteCommands(stores: Stores, t: Strings): Command[] {
  const rows = subjectRows(stores);
  if (rows.length === 0) return [];
  const spans = muteSpans(stores.clock.read()).flatMap(({ id, label, until }): Command[] =>
    until === null
      ? []
      : [
          {
            id: `mute-${id}`,
            group: 'threads',
            description: () => t.muteSpan(label),
            offer: () => ({ icon: 'bell-off', label: t.muteSpan(label), short: label }),
            about: subjectName,
            run: ({ threadActions }) => threadActions.mute(until),
          },
        ],
  );
  return [...spans, ...originCommands(stores)];
}

function originCommands(stores: Stores): Command[] {
  const origin = stores.selection.all ? null : mutableOrigin(subjectRows(stores));
  if (origin === null) return [];
  return muteLines(stores, origin).map(({ id, icon = 'bell-off', label, run }) => ({
    id: `origin-${id}`,
    group: 'threads',
    description: () => label,
    offer: () => ({ icon, label }),
    run,
  }));
}
