// Tests of questions in the reading pane: answered by a button, by a text, by keys alone, and what became of them.
import { beforeEach, expect, test, vi } from 'vitest';
import type { QuestionView } from '../src/generated/QuestionView';
import type { Scripted } from '../src/platform/scripted/scripted';
import { NOW } from '../src/platform/scripted/scripted-thread';
import { ARTICLE, openArticle } from './support/article';
import { violations } from './support/axe';
import { asked, find, known, there, until } from './support/page';

beforeEach(() => void vi.spyOn(document, 'hasFocus').mockReturnValue(false));

const DEPLOY: QuestionView = {
  answers: [
    { id: 'approve', label: 'Approve', style: 'primary' },
    { id: 'deny', label: 'Deny', style: 'danger' },
  ],
  text: false,
  expires: null,
  default: 'Deny',
  open: true,
  outcome: null,
  at: null,
  late: null,
};

/** Opens a thread whose newest item asks. */
async function opened(question: Partial<QuestionView>) {
  const asks = (platform: Scripted) => {
    const thread = known(platform, ARTICLE);
    thread.items = thread.items.map((item) =>
      item.msgid === 'c7' ? { ...item, question: { ...DEPLOY, ...question } } : item,
    );
  };
  const { platform } = await openArticle(asks);
  await there('[data-item-msgid="c7"] .question');
  return platform;
}

const section = () => find('[data-item-msgid="c7"] .question');
const buttons = () => [...section().querySelectorAll('button')];

test('a_question_is_answered_by_a_button_and_says_what_became_of_it', async () => {
  const platform = await opened({ expires: NOW + 11.5 * 60_000 });
  expect(buttons().map((one) => one.textContent?.trim())).toEqual(['Approve', 'Deny']);
  expect(section().textContent).toContain('12 minutes left');
  expect(section().textContent).toContain('If nobody answers: Deny');
  expect(await violations()).toEqual([]);
  buttons()[0]?.click();
  await until(() => section().textContent?.includes('You answered Approve') === true);
  expect(asked(platform, 'answerQuestion')).toEqual([['answerQuestion', ARTICLE, 'c7', 'approve', null]]);
  expect(buttons()).toEqual([]);
  expect(await violations()).toEqual([]);
});

test('a_question_takes_a_text_by_keys_alone_and_an_empty_one_sends_nothing', async () => {
  const platform = await opened({ answers: [], text: true, default: null });
  const field = section().querySelector('textarea') as HTMLTextAreaElement;
  const send = () => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
  expect(buttons()[0]?.disabled, 'there is nothing to send yet').toBe(true);
  send();
  field.value = '  Ship it ';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await until(() => buttons()[0]?.disabled === false);
  send();
  await until(() => section().textContent?.includes('You answered Ship it') === true);
  expect(asked(platform, 'answerQuestion')).toEqual([['answerQuestion', ARTICLE, 'c7', null, 'Ship it']]);
});

test('an_answer_that_came_too_late_stands_beside_the_one_that_counts', async () => {
  const late = 'Your answer Approve came too late';
  await opened({ open: false, outcome: 'Bo answered Deny', at: Date.now(), late });
  expect(section().textContent).toContain('Bo answered Deny');
  expect(section().textContent).toContain(late);
  expect(buttons()).toEqual([]);
});
