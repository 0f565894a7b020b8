// The options of a thread's notify settings: toast or badge, the lowest priority, sound.

import type { NotifySettings } from '../../generated/NotifySettings';
import type { AllStrings } from '../../i18n/all';
import type { IconName } from '../../icons';

interface NotifyOption {
  readonly label: string;
  readonly chosen: boolean;
  /** The notify settings after this answer is chosen. */
  readonly notify: NotifySettings;
}

export interface NotifyChoice {
  readonly name: keyof NotifySettings;
  readonly icon: IconName;
  readonly label: string;
  /** The label of the current answer. */
  readonly now: string;
  readonly answers: readonly NotifyOption[];
}

/** The questions of the menu. If the thread has no answer, the settings of its source apply. */
export function questions(notify: NotifySettings, t: AllStrings): NotifyChoice[] {
  const ask = <K extends keyof NotifySettings>(
    name: K,
    icon: IconName,
    label: string,
    choices: readonly (readonly [NotifySettings[K], string])[],
  ): NotifyChoice => {
    const answers = [[null, t.byDefault] as const, ...choices].map(([value, text]) => ({
      label: text,
      chosen: notify[name] === value,
      notify: { ...notify, [name]: value },
    }));
    return { name, icon, label, answers, now: answers.find((one) => one.chosen)?.label ?? '' };
  };
  return [
    ask('level', 'bell', t.notifyMe, [
      ['toast', t.notifyToast],
      ['badge', t.notifyBadge],
      ['nothing', t.notifyNothing],
    ]),
    ask(
      'from_priority',
      'chevrons-up',
      t.notifyFrom,
      [1, 2, 3, 4, 5].map((value) => [value, t.priorityName(value)] as const),
    ),
    ask('sound', 'volume-2', t.notifySound, [
      [true, t.soundOn],
      [false, t.soundOff],
    ]),
  ];
}
