// Tests of files in conversations: attached by the clip, by dropping and by pasting, sent, cancelled and refused.
import { expect, test } from 'vitest';
import type { Scripted } from '../src/platform/scripted/scripted';
import { announced, asked, button, fill, find, open, press, snackbar, there, until } from './support/page';

const CREW = 5;

const field = () => find<HTMLTextAreaElement>('.composer textarea');
const chips = () =>
  [...document.querySelectorAll('.composer-file')].map((chip) => chip.textContent?.replace(/\s+/g, ' ').trim());
const outgoing = () => [...document.querySelectorAll<HTMLElement>('[data-outgoing]')];
const plan = () => new File(['the plan'], 'plan.txt', { type: 'text/plain' });

async function conversation(prepare: (platform: Scripted) => void = () => {}, query = '') {
  const opened = await open(`open=${CREW}${query}`, prepare);
  await there('.composer textarea');
  return opened;
}

/** Dispatches an event with files, as a desktop does. */
function give(target: Element, type: string, files: readonly File[], name = 'dataTransfer', types = ['Files']): Event {
  const event = new Event(type, { bubbles: true, cancelable: true });
  const data = { files, types, dropEffect: 'none' };
  Object.defineProperty(event, name, { value: data });
  target.dispatchEvent(event);
  return event;
}

function write(text: string): void {
  field().focus();
  fill(field(), text);
}

test('the_clip_attaches_a_file_which_goes_with_the_text', async () => {
  const { platform } = await conversation((early) => {
    early.latency = null;
    early.chosen.push({ name: 'plan.pdf', size: 640_000 });
  });
  button('Attach a file (Ctrl+U)').click();
  await until(() => chips().length === 1);
  expect(chips()).toEqual(['plan.pdf 640 KB']);
  await until(() => document.activeElement === field());
  write('Here it is');
  press('Enter');
  await until(() => outgoing().length === 1);
  expect(chips()).toEqual([]);
  expect(asked(platform, 'sendMessage')[0]?.slice(1, 3)).toEqual([CREW, 'Here it is']);
  expect(outgoing()[0]?.textContent).toContain('Here it is');
  expect(outgoing()[0]?.querySelector('[role="group"]')?.getAttribute('aria-label')).toBe('plan.pdf');
  platform.deliver(CREW);
  await until(() => document.querySelector('.bubble[data-item-msgid^="sent-"] .attachment-name'));
});

test('a_file_alone_is_a_message_and_its_name_is_shown_once', async () => {
  const { platform } = await conversation((early) => early.chosen.push({ name: 'plan.pdf', size: 1 }));
  press('u', { ctrlKey: true });
  await until(() => chips().length === 1);
  button('Send (Enter)').click();
  await until(() => document.querySelector('.bubble[data-item-msgid^="sent-"]'));
  expect(asked(platform, 'chooseFile')).toEqual([['chooseFile', CREW]]);
  const bubble = find('.bubble[data-item-msgid^="sent-"]');
  expect(bubble.textContent?.split('plan.pdf').length).toBe(2);
});

test('a_picture_is_shown_while_its_message_waits_and_enlarges', async () => {
  const { platform } = await conversation((early) => {
    early.latency = null;
    early.chosen.push({ name: 'door.png', size: 64_000 }, { name: 'vast.png', size: 12_000_000 });
  });
  for (const file of ['door.png', 'vast.png']) {
    press('u', { ctrlKey: true });
    await until(() => chips().some((chip) => chip?.startsWith(file)));
  }
  button('Send (Enter)').click();
  await until(() => outgoing()[0]?.querySelector('.attachment-image'));
  button('Enlarge door.png').click();
  await until(() => document.querySelector('[role="dialog"] img'));
  expect(find('[role="dialog"]').getAttribute('aria-label')).toBe('door.png');
  press('Escape');
  await until(() => document.querySelector('[role="dialog"]') === null);
  expect(outgoing()[1]?.querySelector('.attachment-well'), 'too large to be shown at once').toBeNull();
  expect(asked(platform, 'previewOutgoing')).toHaveLength(1);
  platform.deliver(CREW);
  await until(() => outgoing().length === 0);
});

test('a_dropped_file_has_a_visible_target_and_can_be_taken_away_again', async () => {
  const { platform } = await conversation();
  const pane = find('.reading-pane .scroll');
  expect(give(pane, 'dragover', []).defaultPrevented).toBe(true);
  await there('.drop-target');
  expect(find('.drop-target').textContent).toContain('Drop to attach for Release crew');
  expect(give(pane, 'drop', [plan(), new File(['x'], 'b.txt')]).defaultPrevented).toBe(true);
  await until(() => chips().length === 2 && announced() === 'b.txt attached');
  expect(document.querySelector('.drop-target')).toBeNull();
  expect([...platform.pieces.values()]).toEqual(['the plan', 'x']);
  button('Remove plan.txt').click();
  await until(() => chips().length === 1);
  expect(asked(platform, 'removeFile').length).toBe(1);
  expect(document.activeElement).toBe(field());
  press('Enter');
  await until(() => asked(platform, 'sendMessage').length === 1);
});

test('a_file_dropped_beside_the_conversation_is_neither_opened_nor_attached', async () => {
  const { platform } = await conversation();
  expect(give(find('.list'), 'dragover', []).defaultPrevented).toBe(true);
  expect(give(find('.list'), 'drop', [plan()]).defaultPrevented).toBe(true);
  expect(document.querySelector('.drop-target')).toBeNull();
  expect(asked(platform, 'beginFile')).toEqual([]);
});

test('dropped_files_that_the_web_view_keeps_from_the_page_are_attached_by_the_program', async () => {
  const { platform } = await conversation((early) => {
    early.given.push({ name: 'plan.txt', size: 8 }, { name: 'disk.img', size: 20_000_000 });
  });
  const pane = find('.reading-pane .scroll');
  // A link has a text as well.
  give(pane, 'drop', [], 'dataTransfer', ['text/uri-list', 'text/plain']);
  const hidden = ['text/uri-list', 'text/html'];
  give(pane, 'dragover', [], 'dataTransfer', hidden);
  await there('.drop-target');
  give(pane, 'drop', [], 'dataTransfer', hidden);
  await until(() => chips().length === 1 && snackbar().includes('larger than 15 MB'));
  expect(chips()).toEqual(['plan.txt 8 bytes']);
  expect(asked(platform, 'givenFile')).toHaveLength(2);
});

test('a_pasted_picture_is_attached', async () => {
  const { platform } = await conversation();
  const picture = new File([new Uint8Array([1, 2, 255])], 'image.png', { type: 'image/png' });
  expect(give(field(), 'paste', [picture], 'clipboardData').defaultPrevented).toBe(true);
  await until(() => chips()[0] === 'image.png 3 bytes');
  expect([...platform.pieces.values()]).toEqual(['\u0001\u0002\u00ff']);
});

test('a_pasted_picture_that_the_web_view_keeps_from_the_page_is_attached_by_the_program', async () => {
  const { platform } = await conversation((early) => early.given.push({ name: 'image.png', size: 3 }));
  expect(give(field(), 'paste', [], 'clipboardData', []).defaultPrevented).toBe(true);
  await until(() => chips()[0] === 'image.png 3 bytes' && announced() === 'image.png attached');
  // A text is pasted by the field itself, whatever else is in the clipboard.
  expect(give(field(), 'paste', [], 'clipboardData', ['text/html', 'text/plain']).defaultPrevented).toBe(false);
  // Nothing is attached if the clipboard is empty.
  expect(give(field(), 'paste', [], 'clipboardData', []).defaultPrevented).toBe(true);
  await until(() => asked(platform, 'givenFile').length === 3);
  expect(chips()).toHaveLength(1);
});

test('several_files_are_messages_of_their_own_in_their_order', async () => {
  const { platform } = await conversation((early) => (early.latency = null));
  give(find('.reading-pane .scroll'), 'drop', [plan(), new File(['x'], 'b.txt')]);
  await until(() => chips().length === 2 && announced() === 'b.txt attached');
  write('Both');
  press('Enter');
  await until(() => outgoing().length === 2);
  expect(outgoing().map((one) => one.querySelector('.attachment-name')?.textContent)).toEqual(['plan.txt', 'b.txt']);
  expect(asked(platform, 'sendMessage')[0]?.[3]).toHaveLength(2);
});

test('enter_while_files_are_read_sends_the_message_with_all_of_them', async () => {
  const { platform } = await conversation((early) => (early.latency = null));
  // The files are read once the state that waits for them was seen.
  const add = platform.addPiece.bind(platform);
  let goOn = () => {};
  const seen = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  platform.addPiece = (...piece) => seen.then(() => add(...piece));
  write('Both');
  give(find('.reading-pane .scroll'), 'drop', [plan(), new File(['x'], 'b.txt')]);
  press('Enter');
  await until(() => find('[data-testid="composer-state"]').textContent?.includes('once the files are attached'));
  goOn();
  await until(() => outgoing().length === 2);
  expect(asked(platform, 'sendMessage').map((call) => [call[2], (call[3] as readonly string[]).length])).toEqual([
    ['Both', 2],
  ]);
});

test('a_message_is_not_sent_without_a_file_that_could_not_be_read', async () => {
  const { platform } = await conversation((early) => (early.latency = null));
  platform.addPiece = () => Promise.reject({ code: 'storage', text: 'The disk is full.' });
  write('With the plan');
  give(find('.reading-pane .scroll'), 'drop', [plan()]);
  press('Enter');
  await until(() => snackbar().includes('The disk is full.'));
  await until(() => !find('[data-testid="composer-state"]').textContent?.includes('once the files'));
  expect(asked(platform, 'sendMessage')).toEqual([]);
  expect(field().value).toBe('With the plan');
});

test('progress_is_said_in_words_and_a_cancelled_message_leaves_its_text_in_the_field', async () => {
  const { platform } = await conversation((early) => {
    early.latency = null;
    early.chosen.push({ name: 'plan.pdf', size: 4_000_000 });
  });
  button('Attach a file (Ctrl+U)').click();
  await until(() => chips().length === 1);
  write('Here it is');
  press('Enter');
  await until(() => outgoing().length === 1);
  const id = outgoing()[0]?.dataset.outgoing ?? '';
  platform.emit({ event: 'uploads', uploads: [{ id, done: 1_000_000, of: 4_000_000 }] });
  await there('[role="progressbar"]');
  const bar = find('[role="progressbar"]');
  expect(bar.getAttribute('aria-label')).toBe('Sending plan.pdf');
  expect(bar.getAttribute('aria-valuetext')).toBe('1 MB of 4 MB');
  button('Cancel sending plan.pdf').click();
  await until(() => outgoing().length === 0);
  expect(asked(platform, 'discardMessage')).toEqual([['discardMessage', id]]);
  await until(() => field().value === 'Here it is');
});

test('a_refused_file_says_why_and_can_be_tried_again', async () => {
  const { platform } = await conversation((early) => {
    early.refusing = 'The file is larger than the server takes (15 MB)';
    early.chosen.push({ name: 'plan.pdf', size: 1 });
  });
  button('Attach a file (Ctrl+U)').click();
  await until(() => chips().length === 1);
  press('Enter');
  await there('.run-time.danger');
  expect(find('.run-time.danger').textContent).toContain('Not sent. The file is larger than the server takes (15 MB)');
  expect(document.querySelector('[aria-label^="Cancel sending"]')).toBeNull();
  find('.run-time.danger [aria-haspopup="menu"]').click();
  await until(() => document.activeElement?.textContent?.trim() === 'Retry');
  (document.activeElement as HTMLElement).click();
  await until(() => outgoing().length === 0);
  expect(asked(platform, 'retryMessage').length).toBe(1);
});

test('a_file_that_is_too_large_is_not_attached_and_the_limit_is_said', async () => {
  await conversation((early) => early.chosen.push({ name: 'disk.img', size: 20_000_000 }));
  button('Attach a file (Ctrl+U)').click();
  await until(() => snackbar().includes('larger than 15 MB'));
  expect(chips()).toEqual([]);
});

test('where_the_server_takes_no_files_there_is_no_clip_and_a_drop_says_so', async () => {
  const { platform } = await conversation((early) => (early.attachmentLimit = null));
  expect(document.querySelector('.composer .attach')).toBeNull();
  press('u', { ctrlKey: true });
  give(find('.reading-pane .scroll'), 'drop', [plan()]);
  await until(() => snackbar().includes('does not accept files in messages'));
  expect(platform.asked.filter(([what]) => what === 'chooseFile' || what === 'beginFile')).toEqual([]);
});

test('what_cannot_be_kept_is_in_the_composer_again_with_its_files', async () => {
  const { platform } = await conversation((early) => early.chosen.push({ name: 'plan.pdf', size: 1 }));
  platform.sendMessage = () => Promise.reject({ code: 'storage', text: 'The disk is full.' });
  button('Attach a file (Ctrl+U)').click();
  await until(() => chips().length === 1);
  write('Not lost');
  press('Enter');
  await until(() => field().value === 'Not lost' && chips().length === 1);
});

test('attached_files_are_there_again_when_the_window_is', async () => {
  await conversation(async (early) => {
    early.chosen.push({ name: 'plan.pdf', size: 1 });
    await early.chooseFile(CREW);
  });
  await until(() => chips()[0] === 'plan.pdf 1 byte');
});

test('attaching_is_worded_in_chinese_too', async () => {
  await conversation((early) => early.chosen.push({ name: 'plan.pdf', size: 640_000 }), '&lang=zh');
  button('添加文件 (Ctrl+U)').click();
  await until(() => chips()[0] === 'plan.pdf 640 KB');
  button('移除 plan.pdf');
});
