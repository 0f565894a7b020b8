// Tests of an inbox and its window, on the whole page.
import { clearMocks, mockIPC } from '@tauri-apps/api/mocks';
import { expect, test } from 'vitest';
import type { ThreadQuery } from '../src/generated/ThreadQuery';
import { scripted } from '../src/platform/scripted/scripted';
import { tauri } from '../src/platform/tauri';
import { media, resize } from './support/document';
import {
  announced,
  asked,
  button,
  clickOn,
  count,
  delayNextList,
  fill,
  find,
  known,
  marks,
  open,
  press,
  row,
  rows,
  selectedRow,
  sendThreads,
  snackbar,
  there,
  until,
} from './support/page';
import { textOf } from './support/settings';
import { styleOf } from './support/styles';

test('the_inbox_lists_threads_by_day_with_their_numbers_and_a_screen_reader_hears_whole_sentences', async () => {
  await open();
  expect(rows().length).toBe(12);
  expect([...document.querySelectorAll('.day')].map((day) => day.textContent)).toEqual(['Today', 'Yesterday']);
  expect(count('inbox')).toBe('13');
  expect(count('source-1')).toBe('4');
  expect(find('.list .sub').textContent).toBe('13 unread');
  expect(find('[data-place="inbox"]').title).toBe('Inbox: 13 unread, 1 quiet');
  expect(find('[data-place="source-1"]').title).toBe('This computer: 4 unread, 1 quiet');
  expect(find('[data-place="source-2"]').title).toMatch(/: \d+ unread$/);
  expect(row(2).dataset.unread).toBe('3');
  expect(row(2).getAttribute('aria-posinset')).toBe('2');
  expect(row(2).getAttribute('aria-setsize')).toBe('12');

  // A place tells what its number is, and a row says the whole sentence and its marks.
  const told = (place: string) => find(`[data-place="${place}"] .sr-only`).textContent;
  expect(told('inbox')).toBe('13 unread, 1 quiet');
  expect(told('pinned')).toBe('1 thread');
  expect(find('[data-place="inbox"] .count').getAttribute('aria-hidden')).toBe('true');
  expect(row(3).querySelector('.sr-only')?.textContent).toBe(
    'ci: Build 4812 failed on main: 2 of 1,964 tests, 3 unread, 09:30, urgent',
  );
  expect(row(7).querySelector('.sr-only')?.textContent).toContain('waits to be sent');
  expect(row(8).querySelector('.sr-only')?.textContent).toContain('muted');
});

test('what_is_unread_and_quiet_is_said_apart_and_shown_by_a_click', async () => {
  const { platform, stores } = await open();
  const quiet = () => textOf('[data-quiet]');
  expect(quiet()).toBe('1 quiet');
  find('[data-quiet]').click();
  await there('[data-filter="is:quiet"]');
  await until(() => rows().length === 1 && rows().every((one) => one.classList.contains('is-uncounted')));
  expect(find('[data-quiet]').getAttribute('aria-pressed')).toBe('true');
  find('[data-quiet]').click();
  await until(() => stores.scope.filters.length === 0);

  // If nothing is quiet, no text says so.
  for (const one of platform.inbox) one.row = { ...one.row, muted: false, counts: true };
  sendThreads(platform);
  await until(() => document.querySelector('[data-quiet]') === null);
  expect(textOf('.list .sub')).toBe('14 unread');
});

test('a_place_of_a_kind_is_shown_once_a_source_has_something_of_it', async () => {
  const { platform } = await open('', (early) => {
    early.inbox = early.inbox.filter((one) => one.row.kind === 'reminder');
  });
  const places = () => [...document.querySelectorAll<HTMLElement>('[data-place]')].map((one) => one.dataset.place);
  await until(() => asked(platform, 'threads').length >= 2);
  expect(places().slice(0, 6)).toEqual(['inbox', 'unread', 'pinned', 'snoozed', 'done', 'source-1']);
  // What is open is shown, even before there is something.
  press('g');
  press('c');
  await until(() => places().includes('kind-message'));
  press('g');
  press('i');
  await until(() => !places().includes('kind-message'));

  const [like] = platform.inbox;
  if (!like) throw new Error('the inbox is empty');
  sendThreads(platform, { ...like.row, id: 900, kind: 'announcement', unread: 0 });
  await until(() => places().includes('kind-announcement'));
  expect(places()).not.toContain('kind-message');
});

test('what_is_unread_but_too_faint_to_count_says_so', async () => {
  const { platform } = await open();
  expect(row(3).classList).not.toContain('is-uncounted');
  const thread = known(platform, 3);
  thread.row = { ...thread.row, priority: 2, counts: false };
  sendThreads(platform, thread.row);
  await until(() => row(3).querySelector('.sr-only')?.textContent?.endsWith('3 unread, 09:30, quiet'));
  expect(row(3).classList).toContain('is-uncounted');
});

test('letters_typed_into_the_search_field_are_only_text', async () => {
  const { platform } = await open();
  press('/');
  await until(() => document.activeElement?.matches('input[type="search"]'));
  press('e');
  press('j');
  expect(marks(platform.asked)).toEqual([]);
  expect(selectedRow(), 'no key moved').toBe(row(1));
});

test('search_follows_what_is_typed_and_marks_what_is_found', async () => {
  await open();
  press('/');
  await there('input[type="search"]');
  const field = find<HTMLInputElement>('input[type="search"]');
  fill(field, 'rust');
  await until(() => document.querySelector('[data-testid="result-count"]')?.textContent === '1 thread, newest first');
  expect(find('.thread mark').textContent).toBe('Rust');
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
  await until(() => document.querySelector('.sheet-title mark')?.textContent === 'Rust');
  field.focus();
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
  await until(() => rows().length === 12);
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
  await until(() => document.querySelector('input[type="search"]') === null);
});

test('the_open_thread_grows_below_and_new_since_stands_still', async () => {
  const { platform } = await open('open=2');
  await there('.since');
  const thread = known(platform, 2);
  const last = thread.items.at(-1);
  if (!last) throw new Error('the thread is empty');
  thread.items = [
    ...thread.items,
    { ...last, msgid: 'c8', body: 'One more', html: false, actions: [], time: last.time + 1 },
  ];
  sendThreads(platform, thread.row);
  await there('[data-item-msgid="c8"]');
  expect(document.querySelectorAll('.since').length).toBe(1);
  expect(find('.since').textContent).toBe('New since 08:15');
});

test('earlier_items_come_in_above', async () => {
  await open('open=2');
  await there('.earlier');
  expect(find('.earlier').textContent).toContain('4 earlier comments');
  find('.earlier').click();
  await until(() => document.querySelectorAll('main [data-item-msgid]').length === 7);
  expect(document.querySelector('.earlier')).toBeNull();
});

test('a_conversation_shows_runs_receipts_and_where_the_new_ones_begin', async () => {
  await open('open=5');
  await there('.conversation');
  expect(document.querySelectorAll('.run').length).toBe(7);
  expect(find('.run.own:last-of-type, .run.own ~ .run.own .run-time').textContent).toContain('Read by 3 of 5');
  expect(find('.since.both').textContent).toBe('New since 08:45');
  expect(document.querySelectorAll('.bubble[data-item-msgid]').length).toBe(8);
});

test('offline_is_said_in_words_and_try_now_pulls', async () => {
  const { platform } = await open('offline');
  expect(find('[data-testid="offline"]').textContent).toContain(
    'Offline. Showing what was here at 09:41; 3 marks wait to be sent.',
  );
  expect(find('[data-testid="sync"]').textContent?.trim()).toBe('Offline');
  find('[data-testid="offline"] button').click();
  await until(() => document.querySelector('[data-testid="offline"]') === null);
  expect(asked(platform, 'pullNow').at(-1)).toEqual(['pullNow']);
  expect(find('[data-testid="sync"]').textContent?.trim()).toBe('Up to date');
});

test('the_first_run_page_gives_way_to_the_first_notification', async () => {
  const { platform } = await open('first-run');
  expect(find('[data-curl]').dataset.curl).toBe('curl -d "Backup done" http://127.0.0.1:7878/backups');
  expect(find('[data-testid="sync"]').textContent?.trim()).toBe('Ready');
  platform.arrive({ id: 20_001, who: 'backups' });
  await until(() => rows().length === 1);
  expect(document.querySelector('[data-testid="welcome"]')).toBeNull();
});

test('the_first_run_page_gives_way_also_to_what_is_found_on_the_way_back_to_the_inbox', async () => {
  const { stores, platform } = await open('first-run');
  stores.router.openSettings('sources');
  // The arrival makes the list be requested again, and the answer of another request comes before that one.
  platform.inbox = scripted().platform.inbox.slice(0, 1);
  const late = delayNextList(platform, 'after it waited');
  void stores.list.refetch();
  press('g');
  press('i');
  await until(() => rows().length === 1);
  late();
  expect(document.querySelector('[data-testid="welcome"]')).toBeNull();
});

test('the_first_run_page_closes_for_good_and_an_empty_inbox_is_calm', async () => {
  const { platform } = await open('first-run');
  find('.welcome-foot button').click();
  await until(() => find('.list .empty').textContent?.includes('All done'));
  expect(find('.list .empty').querySelector('[data-curl], button')).toBeNull();
  // The pane beside it is of the page's own colour, as it has nothing to show.
  const empty = '.list:has(> .empty) + .is-blank';
  expect(styleOf(empty, 'background')).toBe('var(--bg-window)');
  expect(find('.list > .empty').parentElement?.nextElementSibling).toBe(find('.reading-pane'));
  expect(find('.reading-pane.is-blank').childElementCount).toBe(0);
  expect(platform.now.welcome_closed).toBe(true);
});

test('an_empty_inbox_says_what_was_done_today_whenever_it_came', async () => {
  const midnight = new Date(2026, 10, 20).getTime();
  await open('', (early) => {
    early.inbox = early.inbox.filter(({ row }) => row.time < midnight && row.snoozed_until === null).slice(0, 2);
  });
  expect(rows().length).toBe(2);
  press('a', { ctrlKey: true });
  press('e');
  await until(() => textOf('.list .empty') === 'All done 2 done today');
  expect(find('.list .empty').querySelector('button')).toBeNull();
  press('z');
  await until(() => rows().length === 2);
});

test('the_first_page_sends_a_test_which_takes_its_place', async () => {
  const { platform } = await open('first-run');
  button('Send a test').click();
  await until(() => snackbar().includes('Test sent'));
  expect(asked(platform, 'testPublishing').at(-1)?.slice(1)).toMatchObject([
    { topic: 'test', elsewhere: false },
    'topic',
  ]);
  platform.arrive({ id: 20_001, who: 'test' });
  await until(() => rows().length === 1 && document.querySelector('[data-testid="welcome"]') === null);
  await until(() => document.activeElement === find('.list [role="listbox"]'));
});

test('notices_stay_as_banners_and_the_harmless_ones_can_be_dismissed', async () => {
  const { platform } = await open();
  platform.emit({
    event: 'notices',
    notices: [
      { code: 'no_tray', text: 'There is no tray. Closing the window quits.', danger: false },
      { code: 'disk_full', text: 'The disk is full.', danger: true },
    ],
  });
  await until(() => document.querySelectorAll('[data-notice]').length === 2);
  await until(() => announced() === 'There is no tray. Closing the window quits. The disk is full.');
  find('[data-notice="no_tray"] button').click();
  await until(() => document.querySelectorAll('[data-notice]').length === 1);
  const buttons = [...find('[data-notice="disk_full"]').querySelectorAll('button')];
  expect(buttons.map((button) => button.textContent)).toEqual(['Storage…']);
});

test('a_damaged_inbox_is_repaired_from_its_banner', async () => {
  const { platform } = await open();
  const text = 'The inbox on this computer is damaged.';
  platform.emit({ event: 'notices', notices: [{ code: 'damaged', text, danger: true }] });
  await until(() => document.querySelectorAll('[data-notice="damaged"]').length === 1);
  find('[data-notice="damaged"] button').click();
  await until(() => snackbar().includes('The inbox is repaired. 128,400 notifications were kept'));
  expect(platform.asked).toContainEqual(['repairInbox']);
});

test('stamps_of_a_wrong_clock_are_mended_from_their_banner', async () => {
  const { platform } = await open();
  const text = 'The clock of this computer was ahead for a while.';
  platform.emit({ event: 'notices', notices: [{ code: 'clock_ahead', text, danger: false }] });
  await until(() => document.querySelectorAll('[data-notice="clock_ahead"]').length === 1);
  find('[data-notice="clock_ahead"] .btn').click();
  await until(() => snackbar().includes('Times corrected'));
  expect(platform.asked).toContainEqual(['mendClock']);
  await until(() => document.querySelectorAll('[data-notice="clock_ahead"]').length === 0);
});

test('at_most_one_sentence_is_said_in_five_seconds', async () => {
  const { stores } = await open();
  stores.feedback.announce('one');
  stores.feedback.announce('two');
  stores.feedback.announce('three');
  await until(() => announced() === 'one');
});

test('in_one_pane_escape_returns_to_the_list_and_passing_by_reads_nothing', async () => {
  media.add('(max-width: 720px)');
  const { stores, platform } = await open();
  press('j');
  row(1).click();
  await until(() => find('.window').classList.contains('shows-reading'));
  press('Escape');
  await until(() => !find('.window').classList.contains('shows-reading'));
  const before = marks(platform.asked).length;
  press('j');
  await until(() => stores.navigation.threadId === 2);
  await new Promise((done) => setTimeout(done, 700));
  expect(marks(platform.asked).length).toBe(before);
});

test('in_one_pane_the_list_comes_back_at_the_row_one_went_on_to', async () => {
  media.add('(max-width: 720px)');
  const { stores } = await open('rows=1000');
  press('j');
  press('Enter');
  const box = find('.list [role="listbox"]');
  resize(box, 0);
  for (let turn = 0; turn < 30; turn += 1) press('j');
  await until(() => stores.reading.view?.row.id === stores.navigation.threadId);
  // A document forgets the scroll position of an element that is not shown.
  box.scrollTop = 0;
  resize(box, 800);
  await until(() => box.scrollTop > 1000);
  await there(`[data-thread-id="${stores.navigation.threadId}"]`);
});

test('settings_hold_at_once', async () => {
  const { platform } = await open();
  press(',', { ctrlKey: true });
  await there('.prefs');
  await until(() => find('.prefs h1').textContent === 'General');
  for (const radio of document.querySelectorAll<HTMLElement>('[role="radio"]'))
    if (['Dark', 'Compact'].includes(radio.textContent ?? '')) radio.click();
  await until(() => document.documentElement.dataset.theme === 'dark');
  await until(() => document.documentElement.dataset.density === 'compact');
  expect(platform.now.theme).toBe('dark');
  await there('[aria-label="Language"]');
  [...document.querySelectorAll<HTMLElement>('[role="radio"]')].find((one) => one.textContent === '简体中文')?.click();
  await until(() => document.documentElement.lang === 'zh-CN');
  await until(() => find('.prefs h1').textContent === '通用');
  press('Escape');
  await until(() => find('.list h1').textContent === '收件箱');
});

test('the_keys_dialog_traps_the_focus_and_gives_it_back', async () => {
  await open();
  find('[role="listbox"]').focus();
  press('?', { shiftKey: true });
  await until(() => document.querySelector('[role="dialog"]')?.contains(document.activeElement));
  expect(find('[role="dialog"]').textContent).toContain('Archive or bring back');
  press('Escape');
  await until(() => document.querySelector('[role="dialog"]') === null);
  await until(() => document.activeElement === find('[role="listbox"]'));
});

test('a_link_opens_outside_and_an_action_says_how_it_went', async () => {
  const { platform } = await open('open=2');
  await there('.actions');
  find('.md a').click();
  expect(asked(platform, 'openLink').at(-1)).toEqual(['openLink', 'https://blog.example.org/s/1']);
  expect(find('.where').textContent).toBe('calls blog.example.org');
  [...document.querySelectorAll<HTMLElement>('.actions button')].at(-1)?.click();
  await until(() => snackbar().startsWith('Done'));
  expect(asked(platform, 'runAction').at(-1)).toEqual(['runAction', 2, 'c7', 1]);
});

test('a_remote_image_loads_only_when_asked_for', async () => {
  await open('open=2');
  await clickOn('.earlier');
  await there('.remote-image');
  expect(document.querySelector('.md img')).toBeNull();
  expect(find('.remote-image').textContent).toContain('Image from img.example.org');
  find('.remote-image button').click();
  await there('.md img');
  expect(find<HTMLImageElement>('.md img').src).toMatch(/^data:.*#https:\/\/img\.example\.org\/graph\.png$/);
});

test('a_program_that_cannot_answer_says_why_and_can_be_asked_again', async () => {
  const { platform } = await open('', (early) => {
    early.bootstrap = () => Promise.reject({ code: 'storage', text: 'The data folder cannot be read.' });
  });
  expect(find('.broken').textContent).toContain('The data folder cannot be read.');
  platform.bootstrap = Object.getPrototypeOf(platform).bootstrap;
  find('.broken button').click();
  await until(() => rows().length === 12);
});

test('another_language_words_the_list_and_the_open_thread_anew', async () => {
  const { stores, platform } = await open('open=2');
  await there('.sheet');
  platform.inbox = platform.inbox.map((one) =>
    one.row.id === 2 ? { ...one, title: '2026 年的 Rust', row: { ...one.row, who: '林晓、陈博等 5 人' } } : one,
  );
  await stores.settings.change({ lang: 'zh-CN', lang_now: 'zh-CN' });
  await until(() => row(2).textContent?.includes('林晓、陈博等 5 人'));
  await until(() => find('.sheet-title').textContent === '2026 年的 Rust');
});

test('toasts_are_paused_for_a_while_and_resumed', async () => {
  const { platform } = await open();
  press(',', { ctrlKey: true });
  await clickOn('[data-settings="notifications"]', '.prefs [aria-haspopup="menu"]');
  await there('[role="menu"]');
  (document.activeElement as HTMLElement).click();
  await until(() => find('.prefs').textContent?.includes('Quiet until 10:42'));
  expect(asked(platform, 'pauseToasts').at(-1)).toEqual(['pauseToasts', new Date(2026, 10, 20, 10, 42).getTime()]);
  press('Escape');
  await clickOn('.places .sync.wide');
  await until(() => document.querySelector('.places .sync.wide') === null);
});

test('the_first_run_page_stays_when_there_is_still_nothing', async () => {
  const { stores, platform } = await open('first-run');
  sendThreads(platform);
  await until(() => asked(platform, 'threads').some(([, query]) => (query as ThreadQuery).place.place === 'inbox'));
  expect(stores.firstRun.visible).toBe(true);
  find('[data-place="done"]').click();
  await until(() => document.querySelector('.empty')?.textContent?.includes('Nothing done yet'));
  find('[data-place="inbox"]').click();
  await there('[data-testid="welcome"]');
});

test('a_page_takes_what_its_document_brought_once_and_then_asks_for_events_alone', async () => {
  const calls: string[] = [];
  mockIPC((_, args) => {
    const { command } = (args as { command: { command: string } }).command;
    calls.push(command);
    return command === 'bootstrap' ? { version: 'asked' } : null;
  });
  const data = '<script id="first-paint" type="application/json">{"version":"brought"}</script>';
  document.body.insertAdjacentHTML('beforeend', data);
  const versions = [await tauri.bootstrap(() => {}), await tauri.bootstrap(() => {})].map((boot) => boot.version);
  expect(versions).toEqual(['brought', 'asked']);
  expect(calls).toEqual(['listen', 'bootstrap']);
  clearMocks();
});
