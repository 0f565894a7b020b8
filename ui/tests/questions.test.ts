// Tests of questions in the reading pane: answered by a button, by a text and by keys alone, and their outcomes.
import { beforeEach, expect, test, vi } from 'vitest';
import type { MenuEntry } from '../src/generated/MenuEntry';
import type { QuestionView } from '../src/generated/QuestionView';
import type { Scripted } from '../src/platform/scripted/scripted';
import { NOW } from '../src/platform/scripted/scripted-thread';
import { ARTICLE, BACKUPS, CREW, items, openArticle } from './support/article';
import { violations } from './support/axe';
import { announced, asked, fill, find, known, menu, open, press, row, there, until } from './support/page';

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
  waits: false,
  late: null,
};

/** Has an item of a thread ask, and its row say so. */
function ask(platform: Scripted, id: number, msgid: string, question: Partial<QuestionView> = {}) {
  const thread = known(platform, id);
  const asks = { ...DEPLOY, ...question };
  thread.items = thread.items.map((item) => (item.msgid === msgid ? { ...item, question: asks } : item));
  thread.row = { ...thread.row, question: { msgid, answers: asks.answers, outcome: asks.outcome } };
}

/** Opens a thread whose newest item asks. */
async function opened(question: Partial<QuestionView>, query = '') {
  const { platform } = await openArticle((platform) => ask(platform, ARTICLE, 'c7', question), query);
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
  const at = NOW - 7 * 60_000;
  await opened({ open: false, outcome: 'Bo answered Deny', at, late });
  expect(section().textContent).toContain('Bo answered Deny');
  const time = find<HTMLTimeElement>('[data-item-msgid="c7"] .outcome time');
  expect([time.textContent, time.dateTime], 'when it was answered').toEqual(['09:35', new Date(at).toISOString()]);
  expect(time.title).toContain('20 November 2026');
  expect(section().textContent).toContain(late);
  expect(buttons()).toEqual([]);
});

const answered = (platform: Scripted) => asked(platform, 'answerQuestion');
const inRow = (id: number) => [...row(id).querySelectorAll<HTMLElement>('[data-answer]')];

test('a_row_offers_the_answers_of_its_question_by_mouse_and_then_says_the_outcome', async () => {
  const five = ['one', 'two', 'three', 'four', 'five'].map((id) => ({ id, label: id.toUpperCase() }));
  const msgid = (platform: Scripted) => known(platform, BACKUPS).items.at(-1)?.msgid ?? '';
  const { platform, stores } = await open('', (platform) => ask(platform, BACKUPS, msgid(platform), { answers: five }));
  expect(inRow(BACKUPS).map((one) => one.textContent)).toEqual(['ONE', 'TWO', 'THREE']);
  expect(inRow(BACKUPS)[1]?.title).toBe('TWO (a 2)');
  expect(row(BACKUPS).querySelector('.sr-only')?.textContent).toContain('asks: ONE (a 1), TWO (a 2), THREE (a 3)');
  expect(await violations()).toEqual([]);
  inRow(BACKUPS)[1]?.click();
  await until(() => row(BACKUPS).textContent?.includes('You answered TWO') === true);
  expect(answered(platform)).toEqual([['answerQuestion', BACKUPS, msgid(platform), 'two', null]]);
  expect(inRow(BACKUPS)).toEqual([]);
  expect(stores.currentThread.chosen, 'the thread was not opened').toBeNull();
  expect(await violations()).toEqual([]);
});

test('a_key_and_a_number_answer_the_question_of_the_thread_and_another_number_does_nothing', async () => {
  const platform = await opened({});
  expect(buttons().map((one) => one.title)).toEqual(['Approve (a 1)', 'Deny (a 2)']);
  press('1');
  press('a');
  press('3');
  expect(answered(platform)).toEqual([]);
  press('a');
  press('2');
  await until(() => section().textContent?.includes('You answered Deny') === true);
  expect(answered(platform)).toEqual([['answerQuestion', ARTICLE, 'c7', 'deny', null]]);
  await until(() => announced() === 'You answered Deny');
  press('a');
  press('1');
  expect(answered(platform)).toHaveLength(1);
});

test('the_menu_of_a_row_and_the_palette_answer_its_question', async () => {
  const platform = await opened({});
  menu(row(ARTICLE));
  const [, entries] = asked(platform, 'popup')[0] as [string, MenuEntry[]];
  expect(entries.map((entry) => entry.label)).toContain('Answer Approve');
  await there('.menu');
  press('Escape');
  await until(() => document.querySelector('.menu') === null);
  press('k', { ctrlKey: true });
  await there('.palette input');
  fill(find<HTMLInputElement>('.palette input'), 'Answer Deny');
  await until(() => find('.palette [aria-selected="true"]').textContent?.includes('Answer Deny') === true);
  expect(find('.palette [aria-selected="true"] .hint, .palette [aria-selected="true"] kbd').textContent).toContain('a');
  press('Enter');
  await until(() => section().textContent?.includes('You answered Deny') === true);
});

test('an_open_question_stands_above_the_other_items_and_goes_back_in_its_place', async () => {
  const { platform } = await openArticle((platform) => {
    const thread = known(platform, ARTICLE);
    const first = thread.items[0]?.msgid ?? '';
    ask(platform, ARTICLE, first);
    ask(platform, ARTICLE, 'c6');
  });
  const first = known(platform, ARTICLE).items[0]?.msgid ?? '';
  await there('[data-item-msgid="c6"] .question');
  const order = items;
  expect(order().slice(0, 2), 'the newest question is first, and one that is not loaded is there').toEqual([
    'c6',
    first,
  ]);
  const earlier = () => Number.parseInt(find('.earlier').textContent ?? '', 10);
  const before = earlier();
  const approve = find('[data-item-msgid="c6"] .question button');
  approve.focus();
  approve.click();
  await until(() => order()[0] === first);
  expect(order().indexOf('c6')).toBe(order().indexOf('c7') - 1);
  await until(() => document.activeElement === find('[data-item-msgid="c6"]'));
  press('a');
  press('1');
  await until(() => order()[0] !== first);
  expect(earlier(), 'it is among the earlier items again').toBe(before + 1);
});

test('a_question_in_a_conversation_stays_in_view_above_the_messages', async () => {
  const { platform } = await open(`open=${CREW}`, (platform) => {
    ask(platform, CREW, known(platform, CREW).items.at(-1)?.msgid ?? '');
  });
  const msgid = known(platform, CREW).items.at(-1)?.msgid;
  await there(`.asking [data-item-msgid="${msgid}"] .question`);
  expect(document.querySelector(`.run [data-item-msgid="${msgid}"]`)).toBeNull();
  expect(await violations()).toEqual([]);
  find('.asking .question button').click();
  await there(`.run [data-item-msgid="${msgid}"] .outcome`);
  expect(document.querySelector('.asking')).toBeNull();
});

test('an_answer_given_offline_says_when_it_is_sent', async () => {
  await opened({}, '&offline');
  press('a');
  press('1');
  await until(() => section().textContent?.includes('You answered Approve') === true);
  expect(section().textContent).toContain('Your answer is sent when you are back online');
  expect(row(ARTICLE).querySelector('.sr-only')?.textContent).toContain('You answered Approve, ');
  expect(row(ARTICLE).querySelector('.sr-only')?.textContent).toContain('waits to be sent');
});
