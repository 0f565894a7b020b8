// What can be answered about how much a thread may tell, in words: with what, from which priority, with a sound.
import type { IconName } from '../../components/icons';
import type { Telling } from '../../generated/Telling';
import type { Words } from '../../i18n/en';

interface Answer {
  readonly words: string;
  readonly chosen: boolean;
  /** As it will be once this is chosen. */
  readonly telling: Telling;
}

export interface Question {
  readonly name: keyof Telling;
  readonly icon: IconName;
  readonly words: string;
  /** The answer in force. */
  readonly now: string;
  readonly answers: readonly Answer[];
}

/** `source` is what its reader calls the source: what is not answered here is as it has it. */
export function questions(telling: Telling, source: string, t: Words): Question[] {
  const ask = <K extends keyof Telling>(
    name: K,
    icon: IconName,
    words: string,
    choices: readonly (readonly [Telling[K], string])[],
  ): Question => {
    const answers = [[null, t.asSource(source)] as const, ...choices].map(([value, text]) => ({
      words: text,
      chosen: telling[name] === value,
      telling: { ...telling, [name]: value },
    }));
    return { name, icon, words, answers, now: answers.find((one) => one.chosen)?.words ?? '' };
  };
  return [
    ask('tell', 'bell', t.tellMe, [
      ['toast', t.tellToast],
      ['badge', t.tellBadge],
      ['nothing', t.tellNothing],
    ]),
    ask(
      'from_priority',
      'chevrons-up',
      t.tellFrom,
      t.priorities.map((words, at) => [at + 1, words] as const),
    ),
    ask('sound', 'volume-2', t.tellSound, [
      [true, t.soundOn],
      [false, t.soundOff],
    ]),
  ];
}
