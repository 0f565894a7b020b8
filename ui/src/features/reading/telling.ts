// What can be answered about how much a thread may tell, in words: with what, from which priority, with a sound.
import type { IconName } from '../../components/icons';
import type { NotifySettings } from '../../generated/NotifySettings';
import type { Words } from '../../i18n/en';

interface Answer {
  readonly words: string;
  readonly chosen: boolean;
  /** As it will be once this is chosen. */
  readonly notify: NotifySettings;
}

export interface Question {
  readonly name: keyof NotifySettings;
  readonly icon: IconName;
  readonly words: string;
  /** The answer in force. */
  readonly now: string;
  readonly answers: readonly Answer[];
}

/** `source` is what its reader calls the source: what is not answered here is as it has it. */
export function questions(notify: NotifySettings, source: string, t: Words): Question[] {
  const ask = <K extends keyof NotifySettings>(
    name: K,
    icon: IconName,
    words: string,
    choices: readonly (readonly [NotifySettings[K], string])[],
  ): Question => {
    const answers = [[null, t.asSource(source)] as const, ...choices].map(([value, text]) => ({
      words: text,
      chosen: notify[name] === value,
      notify: { ...notify, [name]: value },
    }));
    return { name, icon, words, answers, now: answers.find((one) => one.chosen)?.words ?? '' };
  };
  return [
    ask('level', 'bell', t.tellMe, [
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
