// Tests of archiving a single item: the pane, the row and Done follow, and undo brings it back.
import { beforeEach, expect, test, vi } from 'vitest';
import type { QuestionView } from '../src/generated/QuestionView';
import type { Scripted } from '../src/platform/scripted/scripted';
import { ARTICLE, BACKUPS, CREW, items, openArticle } from './support/article';
import { violations } from './support/axe';
import { asked, find, known, menu, open, press, row, rows, snackbar, there, until } from './support/page';

// Without the focus nothing is read by being on screen.
beforeEach(() => void vi.spyOn(document, 'hasFocus').mockReturnValue(false));

const box = (msgid: string) => find(`[data-item-msgid="${msgid}"]`);
const shown = () => [...document.querySelectorAll<HTMLElement>('[role="option"]')].map((one) => one.dataset.threadId);

async function archive(platform: Scripted, msgid: string): Promise<void> {
  await there(`[data-item-msgid="${msgid}"]`);
  platform.choices.push('archive');
  menu(box(msgid));
  await until(() => snackbar().includes('archived'));
}

test('the_row_shows_the_newest_item_that_is_left_with_its_time_and_count', async () => {
  const { platform } = await openArticle();
  const text = () => row(ARTICLE).querySelector('.thread-preview')?.textContent;
  const line = () => [
    row(ARTICLE).querySelector('time')?.textContent,
    row(ARTICLE).querySelector('.pill')?.textContent,
  ];
  const before = text();
  expect(line()).toEqual(['09:38', '3']);
  await archive(platform, 'c7');
  await until(() => !items().includes('c7'));
  await until(() => text()?.startsWith('Measured on last week’s backlog'));
  expect(line()).toEqual(['09:20', '2']);
  expect(find('[data-testid="put-away"]').textContent?.trim()).toBe('1 archived');
  press('z');
  await until(() => items().includes('c7'));
  await until(() => text() === before && line()[0] === '09:38');
});

test('without_its_last_item_a_thread_goes_to_done_the_next_one_is_current_and_undo_selects_it_again', async () => {
  const { platform, stores } = await open(`open=${BACKUPS}`);
  const [, next = 0] = stores.list.ids;
  await archive(platform, 'm1');
  expect(asked(platform, 'markItems')).toEqual([['markItems', BACKUPS, ['m1'], { op: 'archive' }]]);
  await until(() => !shown().includes(String(BACKUPS)));
  expect(stores.navigation.threadId).toBe(next);
  expect(stores.itemsSeen.holds(next), 'which is not read by that').toBe(true);
  press('z');
  await until(() => stores.navigation.threadId === BACKUPS && row(BACKUPS).getAttribute('aria-selected') === 'true');
  await until(() => stores.reading.view?.row.id === BACKUPS && items().includes('m1'));
  await archive(platform, 'm1');
  await stores.router.go({ place: 'done' });
  await until(() => rows().some((one) => one.dataset.threadId === String(BACKUPS)));
  const [first] = stores.list.ids.filter((id) => id !== BACKUPS);
  row(BACKUPS).click();
  await there('[data-item-msgid="m1"]');
  platform.choices.push('archive');
  menu(box('m1'));
  await until(() => !shown().includes(String(BACKUPS)));
  expect(stores.navigation.threadId).toBe(first ?? null);
});

test('a_last_item_that_cannot_be_archived_leaves_its_thread_where_it_was', async () => {
  const { platform, stores } = await open(`open=${BACKUPS}`);
  await there('[data-item-msgid="m1"]');
  platform.markItems = () => Promise.reject({ code: 'storage', text: 'The disk is full.' });
  platform.choices.push('archive');
  menu(box('m1'));
  await until(() => snackbar() === 'The disk is full.');
  expect(stores.list.ids[0]).toBe(BACKUPS);
});

test('an_item_that_asks_leaves_the_pane_when_it_is_archived', async () => {
  const question: QuestionView = {
    answers: [{ id: 'approve', label: 'Approve', style: 'primary' }],
    text: false,
    expires: null,
    default: null,
    open: true,
    outcome: null,
    at: null,
    waits: false,
    late: null,
  };
  const { platform } = await openArticle((early) => {
    const thread = known(early, ARTICLE);
    thread.items = thread.items.map((item) => (item.msgid === 'c6' ? { ...item, question } : item));
  });
  await archive(platform, 'c6');
  await until(() => !items().includes('c6'));
  find('[data-testid="put-away"]').click();
  await there('[data-item-msgid="c6"] .question');
});

test('a_message_that_is_archived_says_so_where_it_is_shown', async () => {
  const { platform } = await open(`open=${CREW}`);
  await archive(platform, 'r4');
  await until(() => !items().includes('r4'));
  find('[data-testid="put-away"]').click();
  await there('[data-item-msgid="r4"]');
  expect(box('r4').textContent).toContain('Archived');
  expect(box('r3').textContent).not.toContain('Archived');
  expect(await violations()).toEqual([]);
});

test('one_archived_item_is_in_done_with_its_text_and_goes_from_there_once_it_is_back', async () => {
  const { platform, stores } = await openArticle();
  await archive(platform, 'c6');
  await stores.router.go({ place: 'done' });
  const line = () => row(ARTICLE).querySelector('.thread-preview')?.textContent ?? '';
  await until(() => shown().includes(String(ARTICLE)));
  expect(line()).toContain('Measured on last week’s backlog');
  row(ARTICLE).click();
  // It leads to what is archived, which the pane of another place puts away.
  await there('[data-item-msgid="c6"]');

  // What is archived or comes back elsewhere is followed.
  await platform.markItems(ARTICLE, ['c7'], { op: 'archive' });
  await until(() => row(ARTICLE).querySelector('time')?.textContent === '09:38');
  await platform.markItems(ARTICLE, ['c7'], { op: 'unarchive' });
  await until(() => row(ARTICLE).querySelector('time')?.textContent === '09:20');
  platform.choices.push('archive');
  menu(box('c6'));
  await until(() => !shown().includes(String(ARTICLE)));
  press('z');
  await until(() => shown().includes(String(ARTICLE)));
  await stores.threadActions.toggle('archive', [ARTICLE]);
  await until(() => !shown().includes(String(ARTICLE)));
  expect(asked(platform, 'mark').at(-1)).toEqual(['mark', [ARTICLE], { op: 'unarchive' }]);
});
