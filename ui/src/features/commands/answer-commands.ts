// Commands that answer the newest open question of the thread that commands act on.
import type { Choice } from '../../generated/Choice';
import type { Strings } from '../../i18n/en';
import { answerKeys } from '../../shortcuts';
import type { Stores } from '../../state/stores';
import type { Command } from './command';
import { subjectName, subjectRows } from './thread-commands';

/** The question as it is on screen: in the reading pane, else in the thread's row. */
function asked(stores: Stores): { thread: number; msgid: string; answers: readonly Choice[] } | null {
  const { reading } = stores;
  const [row, second] = subjectRows(stores);
  if (!row || second) return null;
  if (reading.view?.row.id !== row.id) return row.question ? { thread: row.id, ...row.question } : null;
  const [item] = reading.asking;
  return item?.question ? { thread: row.id, msgid: item.msgid, answers: item.question.answers } : null;
}

/** The commands that answer it, as many as it has answers. */
export function answerCommands(stores: Stores): Command[] {
  const question = asked(stores);
  if (!question) return [];
  const { thread, msgid, answers } = question;
  return answers.map(({ id, label }, at) => ({
    id: `answer-${at + 1}`,
    group: 'threads',
    description: (t) => t.answerWith(label),
    keys: answerKeys(at + 1),
    about: subjectName,
    offer: (_stores: Stores, t: Strings) => ({ icon: 'check', label: t.answerWith(label) }),
    run: ({ itemActions }) => itemActions.answer(thread, msgid, id, null),
  }));
}

export const answerCommand: Command = {
  id: 'answer',
  group: 'threads',
  numbered: true,
  description: (t) => t.keyAnswer,
  run: (stores, event) => {
    const command = answerCommands(stores)[Number(event?.key) - 1];
    return command ? command.run(stores) : false;
  },
};
