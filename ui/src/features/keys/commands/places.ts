// Commands that lead somewhere.
import type { Place } from '../../../generated/Place';
import type { Command } from '../command';

const goTo = (key: string, words: Command['words'], place: Place): Command => ({
  id: `go-${key.at(-1)}`,
  keys: [key],
  group: 'places',
  words,
  place,
  run: (page) => {
    void page.go(place);
    return true;
  },
});

/** The palette and the menus offer the places themselves. */
export const placeCommands: readonly Command[] = [
  goTo('g i', (t) => t.inbox, { place: 'inbox' }),
  goTo('g u', (t) => t.unread, { place: 'unread' }),
  goTo('g p', (t) => t.pinned, { place: 'pinned' }),
  goTo('g s', (t) => t.snoozed, { place: 'snoozed' }),
  goTo('g d', (t) => t.done, { place: 'done' }),
  goTo('g a', (t) => t.announcements, { place: 'kind', kind: 'announcement' }),
  goTo('g c', (t) => t.conversations, { place: 'kind', kind: 'message' }),
];
