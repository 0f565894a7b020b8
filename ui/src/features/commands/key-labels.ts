// How a key is written: on the keyboard in front of the reader.
import type { Command } from './command';

/** Ctrl is Cmd on a Mac. */
const mod = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';

/** The ways to press it, each as keys that go together or follow one another. */
export function keyLabels({ shown, keys }: Pick<Command, 'shown' | 'keys'>): string[][] {
  const ways = shown ?? keys.map((key) => key.split(' '));
  return ways.map((way) => way.map((key) => (key === 'Ctrl' ? mod : key)));
}
