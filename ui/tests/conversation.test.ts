// Tests of conversations on the whole page.
import { expect, test } from 'vitest';
import type { SourceRow } from '../src/generated/SourceRow';
import type { Scripted } from '../src/platform/scripted/scripted';
import { announced, asked, fill, find, known, open, press, row, there, until } from './support/page';

const CREW = 5;
const BO = 4;

const field = () => find<HTMLTextAreaElement>('.composer textarea');
const outgoing = () => [...document.querySelectorAll<HTMLElement>('[data-outgoing]')];
const own = () => [...document.querySelectorAll('.run.own .bubble')].map((bubble) => bubble.textContent?.trim());
const textOf = (id: number) => row(id).querySelector('.thread-what')?.textContent;
const plain = (one: Element) => one.textContent?.replace(/\s+/g, ' ').trim();

function type(text: string): void {
  const box = field();
  box.focus();
  fill(box, text);
}

async function openConversation(query = '', id = CREW, prepare: (platform: Scripted) => void = () => {}) {
  const opened = await open(`open=${id}${query}`, prepare);
  await there('.composer textarea');
  return opened;
}

test('enter_sends_what_is_written_and_says_when_it_is_there', async () => {
  const { platform } = await openConversation('', CREW, (early) => (early.latency = null));
  type('Noon is good.');
  press('Enter');
  await until(() => outgoing().length === 1);
  expect(field().value).toBe('');
  expect(outgoing()[0]?.closest('.run')?.textContent).toContain('Sending');
  platform.deliver(CREW);
  await until(() => own().at(-1) === 'Noon is good.' && outgoing().length === 0);
  expect([...document.querySelectorAll('.run.own')].at(-1)?.textContent).toContain('sent');
  expect(asked(platform, 'sendMessage')).toEqual([['sendMessage', CREW, 'Noon is good.']]);
  expect(document.activeElement).toBe(field());
});

test('shift_enter_a_chinese_word_that_is_chosen_and_an_empty_field_send_nothing', async () => {
  const { platform } = await openConversation();
  press('Enter');
  type('  ');
  press('Enter');
  type('中午');
  press('Enter', { shiftKey: true });
  press('Enter', { isComposing: true });
  press('Enter', { keyCode: 229 });
  await until(() => asked(platform, 'saveDraft').length > 0);
  expect(asked(platform, 'sendMessage')).toEqual([]);
});

test('a_draft_is_kept_as_one_types_and_shows_in_the_list', async () => {
  const { platform } = await openConversation();
  type('Noon');
  type('Noon is good');
  await until(() => find('[data-testid="composer-state"]').textContent?.trim() === 'Draft kept');
  expect(asked(platform, 'saveDraft')).toEqual([['saveDraft', CREW, 'Noon is good']]);
  await until(() => textOf(CREW) === 'Draft: Noon is good');
  expect(row(CREW).querySelector('.sr-only')?.textContent).toContain('Draft: Noon is good');
  expect(field().value).toBe('Noon is good');
});

test('a_draft_survives_a_quick_look_at_another_thread', async () => {
  const { platform } = await openConversation();
  platform.saveDraft = (
    (save) => (thread: number, text: string) =>
      new Promise<void>((done) => setTimeout(done, 100)).then(() => save(thread, text))
  )(platform.saveDraft.bind(platform));
  type('Half a');
  row(BO).click();
  await until(() => find('.pane-head h1[title]').textContent === 'Bo Kessler');
  await until(() => field().value === '');
  row(CREW).click();
  await until(() => find('.pane-head h1[title]').textContent === 'Release crew');
  await until(() => field().value === 'Half a');
  await until(() => textOf(CREW) === 'Draft: Half a');
  type('');
  row(BO).click();
  await until(() => textOf(CREW)?.startsWith('Mei:'));
});

test('a_draft_on_its_way_does_not_come_back_after_the_message_is_sent', async () => {
  const { platform } = await openConversation();
  type('One');
  field().blur();
  type('One more');
  press('Enter');
  await until(() => own().at(-1) === 'One more' && outgoing().length === 0);
  expect(
    platform.asked.filter(([what]) => what === 'saveDraft' || what === 'sendMessage').map(([what]) => what),
  ).toEqual(['saveDraft', 'sendMessage']);
  expect(known(platform, CREW).row.draft).toBe('');
});

test('messages_arrive_in_the_order_in_which_they_were_sent', async () => {
  const { platform } = await openConversation();
  const send = platform.sendMessage.bind(platform);
  let first = true;
  platform.sendMessage = async (thread, body, files) => {
    if (first) {
      first = false;
      await new Promise((done) => setTimeout(done, 50));
    }
    await send(thread, body, files);
  };
  for (const text of ['one', 'two', 'three']) {
    type(text);
    press('Enter');
  }
  await until(() => own().slice(-3).join() === 'one,two,three' && outgoing().length === 0);
});

test('offline_a_message_waits_says_so_and_goes_when_there_is_a_way', async () => {
  const { platform } = await openConversation('&offline');
  expect(find('[data-testid="composer-state"]').textContent?.trim()).toBe(
    'Offline. Messages are sent when you are back online',
  );
  type('First');
  press('Enter');
  type('Second');
  press('Enter');
  await until(() => outgoing().length === 2);
  expect(document.querySelectorAll('.run:has([data-outgoing])').length).toBe(1);
  expect(outgoing()[0]?.closest('.run')?.textContent).toContain('Waits to be sent');
  await until(() => announced() === 'Waits to be sent');
  await platform.pullNow();
  await until(() => own().slice(-2).join() === 'First,Second' && outgoing().length === 0);
  await until(() => find('[data-testid="composer-state"]').textContent?.trim() === '');
});

test('the_composer_says_why_what_is_sent_waits', async () => {
  const { platform } = await openConversation('&offline');
  const because = (state: SourceRow['state']) => {
    platform.sources = platform.sources.map((one) => (one.id === 2 ? { ...one, state } : one));
    platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  };
  const state = () => find('[data-testid="composer-state"]').textContent?.trim();
  because({ state: 'needs_sign_in', since: 0 });
  await until(() => state() === 'Work needs sign-in. Messages are sent when you have signed in');
  because({ state: 'paused', since: null });
  await until(() => state() === 'Work is paused. Messages are sent when it resumes');
  because({ state: 'retrying', at: 0, why: 'No answer (503)', offline: false });
  await until(() => state() === 'No answer (503). Messages are sent when it works again');
});

test('a_refused_message_says_why_and_can_be_tried_again', async () => {
  const { platform } = await openConversation('&refuse');
  type('See the notes.');
  press('Enter');
  await there('.run-time.danger');
  expect(find('.run-time.danger').textContent).toContain('Not sent. You are no longer in this conversation');
  await until(() => announced() === 'Not sent. You are no longer in this conversation');
  find('.run-time.danger [aria-haspopup="menu"]').click();
  await until(() => document.activeElement?.textContent?.trim() === 'Retry');
  (document.activeElement as HTMLElement).click();
  await until(() => own().at(-1) === 'See the notes.' && outgoing().length === 0);
  expect(asked(platform, 'retryMessage').length).toBe(1);
});

test('a_refused_message_can_be_discarded', async () => {
  await openConversation('&refuse');
  type('See the notes.');
  press('Enter');
  await there('.run-time.danger');
  find('.run-time.danger [aria-haspopup="menu"]').click();
  await there('[role="menu"]');
  press('ArrowDown');
  (document.activeElement as HTMLElement).click();
  await until(() => outgoing().length === 0);
  await until(() => document.activeElement === field());
});

test('a_message_that_cannot_even_be_kept_stands_in_the_field_again', async () => {
  const { platform } = await openConversation();
  platform.sendMessage = () => Promise.reject({ code: 'storage', text: 'The disk is full.' });
  type('Not lost');
  press('Enter');
  await until(() => field().value === 'Not lost');
  await until(() => document.querySelector('[data-testid="snackbar"]')?.textContent?.includes('The disk is full.'));
});

test('a_message_that_only_arrived_says_so_and_names_with_whom', async () => {
  const { platform } = await openConversation();
  platform.set(CREW, (stored) => ({
    ...stored,
    items: stored.items.map((one) => (one.receipt ? { ...one, receipt: { ...one.receipt, read: 0 } } : one)),
    readers: stored.readers && { ...stored.readers, read: [], unread: [] },
  }));
  await until(() => find('[data-receipt]').textContent?.includes('Delivered to 4 of 5'));
  find('[data-receipt]').click();
  await there('.popover ul');
  expect(find('.popover').getAttribute('aria-label')).toBe('Delivered to 4');
  expect([...find('.popover').querySelectorAll('.menu-item, .menu-title')].map((line) => plain(line))).toEqual([
    'Delivered to 1',
    'BK Bo Kessler',
  ]);
});

test('read_by_names_those_who_have_read_those_who_have_it_and_those_who_have_not', async () => {
  const { platform } = await openConversation();
  find('[data-receipt]').click();
  await there('.popover time');
  expect(asked(platform, 'readBy')).toEqual([['readBy', CREW, 'r7']]);
  const list = find('.popover');
  expect(list.getAttribute('role')).toBe('dialog');
  expect([...list.querySelectorAll('.menu-item, .menu-title')].map((line) => plain(line))).toEqual([
    'Read by 3',
    'MT Mei Tanaka 09:29',
    'CY Chen Yu 09:28',
    'AR Ana Ruiz 09:27',
    'Delivered to 1',
    'BK Bo Kessler',
    'Not yet',
    'DP Dana Petrov',
  ]);
  const lists = [...list.querySelectorAll('ul')].map((one) => one.getAttribute('aria-label'));
  expect(lists).toEqual(['Read by 3', 'Delivered to 1', 'Not yet']);
  expect(find('[data-receipt]').getAttribute('aria-expanded')).toBe('true');
  press('Escape');
  await until(() => document.querySelector('.popover') === null);
  expect(document.activeElement).toBe(find('[data-receipt]'));
});

test('read_by_says_what_went_wrong_and_offline_how_old_it_is', async () => {
  const { platform } = await openConversation('&offline');
  find('[data-receipt]').click();
  await until(() => document.querySelector('.popover')?.textContent?.includes('Offline. Last updated at 09:41'));
  press('Escape');
  platform.readBy = () => Promise.reject({ code: 'outside', text: 'No answer (503)' });
  await until(() => document.querySelector('.popover') === null);
  find('[data-receipt]').click();
  await until(() => document.querySelector('.popover')?.textContent?.includes('No answer (503)'));
});

test('a_group_says_who_is_in_it_and_a_conversation_of_two_needs_not', async () => {
  const { platform, stores } = await openConversation();
  const people = find('[data-members]');
  expect(people.getAttribute('aria-label')).toBe('People');
  people.click();
  await there('.popover li');
  expect(asked(platform, 'members')).toEqual([['members', CREW]]);
  expect([...document.querySelectorAll('.popover .menu-title, .popover li')].map((line) => plain(line))).toEqual([
    '6 people',
    'AR Ana Ruiz',
    'BK Bo Kessler',
    'CY Chen Yu',
    'DP Dana Petrov',
    'MT Mei Tanaka',
    'SR Sam Reed You · owner',
  ]);
  press('Escape');
  await until(() => document.querySelector('.popover') === null);
  expect(document.activeElement).toBe(find('[data-members]'));
  await stores.router.openThread(BO);
  await until(() => stores.reading.view?.row.id === BO);
  expect(document.querySelector('[data-members]')).toBeNull();
});

test('what_the_heading_has_no_room_for_is_in_its_menu', async () => {
  const { platform } = await openConversation();
  find('.reading-pane [aria-label="More"]').click();
  await there('[role="menu"]');
  const line = [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')].find(
    (one) => plain(one) === 'Archive e',
  );
  line?.click();
  await until(() => asked(platform, 'mark').some(([, , mark]) => (mark as { op: string }).op === 'archive'));
});

test('older_messages_come_in_while_one_scrolls_up', async () => {
  const { platform } = await openConversation('', CREW, (early) => {
    known(early, CREW).earlier = 3;
  });
  expect(document.querySelectorAll('.bubble[data-item-msgid]').length).toBe(5);
  find('.reading-pane .scroll').dispatchEvent(new Event('scroll'));
  await until(() => document.querySelectorAll('.bubble[data-item-msgid]').length === 8);
  expect(asked(platform, 'thread').at(-1)).toEqual(['thread', CREW, { at: 'before', msgid: 'r4' }]);
  expect(document.querySelector('.earlier')).toBeNull();
});

test('letters_in_the_composer_are_only_text_and_escape_leaves_it', async () => {
  const { platform } = await openConversation();
  field().focus();
  press('e');
  press('z');
  press('?');
  expect(asked(platform, 'mark').filter(([, , mark]) => (mark as { op: string }).op === 'archive')).toEqual([]);
  expect(document.querySelector('[role="dialog"]')).toBeNull();
  press('Escape');
  await until(() => document.activeElement === find('.reading-pane .scroll'));
  press('Enter');
  expect(document.activeElement).toBe(field());
});

test('only_a_conversation_has_a_place_to_write', async () => {
  const { stores } = await openConversation();
  await stores.router.openThread(2);
  await there('.sheet');
  expect(document.querySelector('.composer')).toBeNull();
});

test('read_and_arrived_are_worded_in_chinese_too', async () => {
  await openConversation('&lang=zh');
  find('[data-receipt]').click();
  await there('.popover time');
  const titles = [...find('.popover').querySelectorAll('.menu-title')].map((line) => plain(line));
  expect(titles).toEqual(['3 人已读', '已送达 1 人', '尚未阅读']);
});

test('a_draft_is_worded_in_chinese_too', async () => {
  await openConversation('&lang=zh');
  type('中午可以');
  await until(() => textOf(CREW) === '草稿：中午可以');
  expect(field().placeholder).toBe('写给发布小组');
  expect(find('[data-testid="composer-state"]').textContent?.trim()).toBe('草稿已保存');
});

test('whoever_turns_away_from_a_conversation_says_so_once', async () => {
  const { platform, stores } = await openConversation();
  row(1).click();
  await until(() => asked(platform, 'leaveThread').length === 1);
  expect(asked(platform, 'leaveThread')).toEqual([['leaveThread', CREW]]);
  await until(() => stores.reading.view?.row.id === 1);
  row(BO).click();
  await until(() => stores.reading.view?.row.id === BO);
  expect(asked(platform, 'leaveThread').length, 'what is no conversation is not left').toBe(1);
  await stores.router.go({ place: 'done' });
  expect(asked(platform, 'leaveThread').at(-1)).toEqual(['leaveThread', BO]);
});

test('the_last_message_that_the_other_has_read_says_so_with_its_time', async () => {
  const { platform } = await openConversation('', BO, (early) => (early.latency = null));
  for (const text of ['One', 'Two']) {
    type(text);
    press('Enter');
    await until(() => outgoing().length === 1);
    platform.deliver(BO);
    await until(() => own().at(-1) === text && outgoing().length === 0);
  }
  expect(document.querySelector('[data-peer-read]')).toBeNull();
  const [one, two] = known(platform, BO).items.slice(-2);
  if (!one || !two) throw new Error('nothing was sent');
  const read = (msgid: string) =>
    platform.set(BO, (stored) => ({ ...stored, peerRead: { msgid, at: one.time + 60_000 } }));
  read(one.msgid);
  await there('[data-peer-read]');
  const about = find('[data-peer-read]');
  expect(about.textContent?.trim()).toBe('Read 09:43');
  expect(about.title).not.toBe('');
  const bubble = find(`[data-item-msgid="${one.msgid}"]`);
  const next = [...(bubble.closest('.run')?.querySelectorAll('.bubble, [data-peer-read]') ?? [])];
  expect(next[next.indexOf(bubble) + 1], 'below that message').toBe(about);
  read(two.msgid);
  await until(() => find('[data-peer-read]').parentElement?.textContent?.includes('09:42'));
  expect(document.querySelectorAll('[data-peer-read]')).toHaveLength(1);
});
