// Tests of triage on the whole page: reading, archiving, snoozing, marking and undo.
import { expect, test, vi } from 'vitest';
import type { Mark } from '../src/generated/Mark';
import type { ThreadRow } from '../src/generated/ThreadRow';
import { type Scripted, scripted } from '../src/platform/scripted/scripted';
import { OptimisticUpdates } from '../src/state/marks/optimistic-updates';
import {
  announced,
  asked,
  count,
  find,
  known,
  marksOf,
  open,
  press,
  readThreads,
  row,
  rows,
  selectedRow,
  sendThreads,
  snackbar,
  there,
  until,
} from './support/page';

test('what_is_marked_unread_while_it_is_looked_at_stays_unread', async () => {
  const { platform } = await open();
  row(2).click();
  await until(() => readThreads(platform.asked).length === 1 && row(2).dataset.unread === '0');
  press('u');
  await until(() => row(2).dataset.unread !== '0');
  await new Promise((done) => setTimeout(done, 800));
  expect(readThreads(platform.asked)).toEqual([2]);
  expect(row(2).dataset.unread).not.toBe('0');
});

/** Delays answers of the program; each waiting one continues when its function in `waiting` is called. */
function held<A extends unknown[], T>(answer: (...asked: A) => Promise<T>, waiting: (() => void)[] = []) {
  const ask = async (...asked: A): Promise<T> => {
    await new Promise<void>((go) => waiting.push(go));
    return answer(...asked);
  };
  return { ask, waiting };
}

/** Delays the answers to marks, except the automatic mark `seen`. */
function heldMarks(platform: Scripted): (() => void)[] {
  const answer = platform.mark.bind(platform);
  const { ask, waiting } = held(answer);
  platform.mark = (ids, mark) => (mark.op === 'seen' ? answer(ids, mark) : ask(ids, mark));
  const read = held(platform.readItems.bind(platform), waiting);
  platform.readItems = read.ask;
  return waiting;
}

test('u_before_an_opened_thread_is_here_leaves_it_unread', async () => {
  const { platform } = await open();
  const before = known(platform, 2).row.unread;
  const { ask, waiting } = held(platform.thread.bind(platform));
  platform.thread = ask;
  row(2).click();
  await until(() => row(2).dataset.unread === '0' && waiting.length === 1);
  press('u');
  await until(() => row(2).dataset.unread !== '0');
  waiting[0]?.();
  await until(() => document.querySelectorAll('main [data-item-msgid]').length === 3);
  expect(known(platform, 2).row.unread).toBe(before);
  expect(row(2).dataset.unread).toBe(String(before));
  expect(readThreads(platform.asked)).toEqual([]);
});

test('an_undo_that_comes_before_the_answer_takes_back_what_was_done_last', async () => {
  const { platform } = await open();
  find('[role="listbox"]').focus();
  for (const key of ['j', 'e']) press(key);
  await until(() => snackbar().includes('archived'));
  const last = selectedRow();
  const waiting = heldMarks(platform);
  press('e');
  await until(() => waiting.length === 1 && !rows().includes(last as HTMLElement));
  press('z');
  waiting[0]?.();
  await until(() => asked(platform, 'undo').length === 1 && rows().length === 11);
  expect(selectedRow()?.dataset.threadId).toBe(last?.dataset.threadId);
});

test('marks_reach_the_program_one_after_the_other_so_that_the_last_one_wins', async () => {
  const { platform } = await open();
  const waiting = heldMarks(platform);
  row(2).click();
  await until(() => waiting.length === 1);
  press('u');
  await until(() => row(2).dataset.unread !== '0');
  expect(waiting.length).toBe(1);
  waiting[0]?.();
  await until(() => waiting.length === 2);
  expect(known(platform, 2).row.unread).toBe(0);
  waiting[1]?.();
  await until(() => known(platform, 2).row.unread === 1);
  await until(() => row(2).dataset.unread === '1');
});

test('rows_that_were_read_before_a_mark_was_put_do_not_take_it_back', async () => {
  const { stores, platform } = await open();
  const waiting = heldMarks(platform);
  const { row: then } = known(platform, 1);
  const tell = (row: ThreadRow) => sendThreads(platform, row);
  row(1).click();
  await until(() => waiting.length === 1 && row(1).dataset.unread === '0');
  // The thread's own answer has a row too.
  await until(() => stores.reading.view?.row.id === 1);
  known(platform, 1).row = { ...then, who: 'Told meanwhile' };
  tell(known(platform, 1).row);
  await until(() => row(1).textContent?.includes('Told meanwhile'));
  expect(row(1).dataset.unread).toBe('0');
  // From here on nobody looks, so that nothing is read by being on the screen.
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  press('u');
  waiting[0]?.();
  await until(() => waiting.length === 2);
  waiting[1]?.();
  await until(() => known(platform, 1).row.unread === 1);
  expect(marksOf(platform.asked, 'unread')).toEqual([['mark', [1], { op: 'unread' }]]);
  await until(() => row(1).dataset.unread === '1');
  // A later change of the row is shown again.
  platform.changes += 1;
  tell({ ...then, unread: 7 });
  await until(() => row(1).dataset.unread === '7');
});

test('a_mark_is_laid_over_rows_until_one_comes_that_knows_of_it', () => {
  const { platform, clock } = scripted();
  clock.stop();
  const optimistic = new OptimisticUpdates();
  const { row } = known(platform, 2);
  const unread = (rows: readonly ThreadRow[]) => rows.map((one) => one.unread);
  const asked = optimistic.add([2], { op: 'read' });
  expect(unread(optimistic.applyToEvent([row], 4))).toEqual([0]);
  optimistic.confirm(asked, 5);
  expect(unread(optimistic.applyToEvent([row], 4))).toEqual([0]);
  expect(unread(optimistic.apply([row], 5))).toEqual([row.unread]);
  expect(unread(optimistic.apply([row], 4))).toEqual([0]);
  expect(unread(optimistic.applyToEvent([row], 5))).toEqual([row.unread]);
});

test('a_click_opens_a_thread_and_reads_it_at_once', async () => {
  const { platform } = await open();
  row(2).click();
  await until(() => document.querySelectorAll('main [data-item-msgid]').length === 3);
  expect(find('.sheet-title').textContent).toBe('Rust in 2026');
  expect(find('.since').textContent).toBe('New since 08:15');
  await until(() => readThreads(platform.asked).length > 0);
  expect(readThreads(platform.asked)).toEqual([2]);
  await until(() => count('inbox') === '10');
  expect(row(2).dataset.unread).toBe('0');
  expect(rows()[1]?.dataset.threadId).toBe('2');
});

test('passing_by_quickly_reads_nothing_and_staying_reads', async () => {
  const { platform } = await open();
  press('j');
  press('j');
  press('j');
  expect(selectedRow()?.dataset.threadId).toBe('1');
  await until(() => selectedRow()?.dataset.threadId === '3');
  await until(() => readThreads(platform.asked).length > 0);
  expect(readThreads(platform.asked)).toEqual([3]);
});

test('archiving_chooses_the_next_thread_and_undo_brings_it_back', async () => {
  await open();
  press('j');
  press('j');
  press('e');
  await until(() => snackbar().includes('“Rust in 2026” archived'));
  expect(document.querySelector('[data-thread-id="2"]')).toBeNull();
  expect(selectedRow()?.dataset.threadId).toBe('3');
  await until(() => announced() === '“Rust in 2026” archived');
  press('z');
  await until(() => rows()[1]?.dataset.threadId === '2');
  await until(() => selectedRow()?.dataset.threadId === '2');
});

test('undo_survives_a_change_of_place', async () => {
  await open();
  press('j');
  press('e');
  await until(() => snackbar().includes('archived'));
  press('g');
  press('d');
  await until(() => rows().length === 1);
  press('z');
  await until(() => rows().length === 0);
  press('g');
  press('i');
  await until(() => rows().length === 12);
});

test('u_marks_unread_again_and_the_row_stays_also_in_unread', async () => {
  const { platform } = await open();
  find('[data-place="unread"]').click();
  await until(() => rows().length === 7);
  row(1).click();
  await until(() => readThreads(platform.asked).length === 1 && row(1).dataset.unread === '0');
  expect(rows().length).toBe(7);
  press('u');
  await until(() => row(1).dataset.unread === '1');
  find('[data-place="inbox"]').click();
  row(1).click();
  await until(() => readThreads(platform.asked).length === 2 && row(1).dataset.unread === '0');
  find('[data-place="unread"]').click();
  await until(() => rows().length === 6);
});

test('snoozing_takes_the_thread_away_until_its_time', async () => {
  const { platform } = await open();
  row(1).click();
  await there('main [data-item-msgid]');
  press('h');
  await there('.snooze');
  expect(find('.snooze').textContent).toContain('Later today');
  expect(find('.snooze').textContent).toContain('Sat 08:00');
  press('ArrowDown');
  press('ArrowDown');
  await until(() => find('.snooze [aria-selected="true"]').textContent?.includes('Tomorrow'));
  press('Enter');
  await until(() => snackbar().includes('snoozed until Sat 08:00'));
  expect(document.querySelector('[data-thread-id="1"]')).toBeNull();
  expect(marksOf(platform.asked, 'snooze')).toEqual([
    ['mark', [1], { op: 'snooze', until: new Date(2026, 10, 21, 8).toISOString() }],
  ]);
  find('[data-place="snoozed"]').click();
  await until(() => rows().length === 1);
});

test('mark_all_read_empties_the_numbers_and_keeps_the_rows', async () => {
  await open();
  press('I');
  await until(() => count('inbox') === '');
  expect(rows().length).toBe(12);
  expect(document.querySelector('.list .sub')).toBeNull();
  press('z');
  await until(() => count('inbox') === '13');
});

test('several_threads_are_marked_together', async () => {
  const { platform } = await open();
  press('j');
  press('x');
  press('J');
  press('J');
  await until(() => find('.selecting').textContent?.includes('3 selected'));
  expect(find('.reading-pane').textContent).toContain('3 threads selected');
  expect(find('.reading-pane').textContent).toContain('7 unread, from This computer and Work');
  press('e');
  await until(() => snackbar().includes('3 threads archived'));
  expect(marksOf(platform.asked, 'archive')).toEqual([['mark', [1, 2, 3], { op: 'archive' }]]);
  expect(document.querySelector('.selecting')).toBeNull();
});

test('a_mark_that_is_refused_is_taken_back_and_said', async () => {
  const { platform } = await open();
  platform.mark = () => Promise.reject({ code: 'storage', text: 'The disk is full. What is here stays.' });
  press('j');
  press('e');
  await until(() => snackbar().startsWith('The disk is full'));
  expect(rows()[0]?.dataset.threadId).toBe('1');
});

test('what_is_looked_at_is_seen_and_keeps_its_halo_until_the_list_is_left', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  const { platform } = await open();
  expect(row(1).classList.contains('is-unseen')).toBe(true);
  await until(() => platform.asked.some(([, , mark]) => (mark as Mark)?.op === 'seen'));
  expect(platform.asked.find(([, , mark]) => (mark as Mark)?.op === 'seen')?.[1]).toEqual([1, 3]);
  expect(row(1).classList.contains('is-unseen')).toBe(true);
  press('g');
  press('i');
  await until(() => !row(1).classList.contains('is-unseen'));
});

test('what_nobody_looks_at_is_not_seen', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  const { platform } = await open();
  await new Promise((done) => setTimeout(done, 800));
  expect(platform.asked.some(([, , mark]) => (mark as Mark)?.op === 'seen')).toBe(false);
});

test('a_sleeping_thread_says_when_it_wakes', async () => {
  await open('', (early) => {
    early.inbox = early.inbox.map((one) =>
      one.row.id === 1 ? { ...one, row: { ...one.row, snoozed_until: new Date(2026, 10, 21, 8).getTime() } } : one,
    );
  });
  find('[data-place="snoozed"]').click();
  await until(() => rows().length === 1);
  expect(row(1).querySelector('time')?.textContent).toBe('Sat 08:00');
  row(1).click();
  await until(() => document.querySelector('.sheet-sub')?.textContent?.includes('Snoozed until Sat 08:00'));
});

test('every_mark_says_what_it_did_and_can_be_taken_back', async () => {
  const { platform } = await open();
  const keys = ['u', 'p', 's', 'e'];
  const words = ['marked read', 'pinned', 'muted', 'archived'];
  for (const [at, name] of keys.entries()) {
    if (at === 0) press('j');
    press(name);
    await until(() => snackbar().includes(words[at] ?? ''));
    press('z');
    const undone = name === 'e' ? '“backups: Backup done” is back' : `Undone: “backups: Backup done” ${words[at]}`;
    await until(() => snackbar().startsWith(undone));
  }
  expect(platform.asked.filter(([what]) => what === 'undo').length).toBe(keys.length);
});

test('what_is_brought_back_further_up_is_not_called_new', async () => {
  const { stores, platform } = await open('rows=500');
  row(1).click();
  await there('.sheet');
  press('e');
  await until(() => snackbar().includes('archived'));
  stores.list.atTop = false;
  press('z');
  await until(() => stores.list.ids[0] === 1);
  expect(document.querySelector('[data-testid="new-threads"]')).toBeNull();
  expect(asked(platform, 'undo')).toHaveLength(1);
});
