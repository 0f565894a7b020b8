// Tests that what is typed in a conversation is its message, from the key that opens it on.
import { expect, test } from 'vitest';
import type { Mark } from '../src/generated/Mark';
import type { Scripted } from '../src/platform/scripted/scripted';
import { media } from './support/document';
import { delayNextThread, fill, find, known, marks, open, press, row, rows, there, until } from './support/page';

const BO = 4;
const CREW = 5;
const TEXT = 'Hello from keys';

const field = () => find<HTMLTextAreaElement>('.composer textarea');
const archived = (platform: Scripted) => marks(platform.asked).filter(([, , mark]) => (mark as Mark).op !== 'read');

/** Types as a keyboard does: each character is entered into the text field that has the focus after its key press. */
function type(text: string): void {
  for (const key of text) {
    const target = document.activeElement ?? document.body;
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    const at = document.activeElement;
    if (!event.defaultPrevented && at instanceof HTMLTextAreaElement) fill(at, at.value + key);
  }
}

async function conversations() {
  const opened = await open();
  press('g');
  press('c');
  await until(() => rows()[0]?.dataset.threadId === String(BO));
  find('[role="listbox"]').focus();
  press('ArrowDown');
  expect(opened.stores.navigation.threadId).toBe(BO);
  return opened;
}

test('enter_on_a_conversation_leads_into_its_composer', async () => {
  const { platform } = await conversations();
  press('Enter');
  await until(() => document.activeElement === field());
  type(TEXT);
  expect(field().value).toBe(TEXT);
  expect(archived(platform)).toEqual([]);
});

test('what_is_typed_before_a_conversation_is_on_screen_is_in_its_composer_too', async () => {
  const { stores, platform } = await open('open=2');
  await there('.sheet');
  const letGo = delayNextThread(platform);
  find('[role="listbox"]').focus();
  stores.navigation.threadId = CREW;
  press('Enter');
  type(TEXT);
  expect(document.querySelector('.composer')).toBeNull();
  letGo();
  await until(() => document.activeElement === document.querySelector('.composer textarea'));
  await until(() => field().value === TEXT);
  expect(archived(platform)).toEqual([]);
  expect(stores.selection.on).toBe(false);
});

test('whoever_goes_on_before_a_conversation_is_on_screen_is_not_called_back_to_it', async () => {
  const { stores, platform } = await open('open=2');
  await there('.sheet');
  const letGo = delayNextThread(platform);
  const list = find('[role="listbox"]');
  list.focus();
  stores.navigation.threadId = CREW;
  press('Enter');
  press('ArrowUp');
  letGo();
  await until(() => stores.reading.view?.row.id === BO);
  await there('.composer');
  expect(document.activeElement).toBe(list);
});

test('a_letter_typed_among_the_messages_is_the_beginning_of_one', async () => {
  const { platform } = await conversations();
  await there('.composer textarea');
  find('.reading-pane .scroll').focus();
  type(TEXT);
  expect(field().value).toBe(TEXT);
  expect(archived(platform)).toEqual([]);
  find('.reading-pane [aria-label="More"]').focus();
  type('?');
  expect(field().value).toBe(`${TEXT}?`);
  expect(document.querySelector('[role="dialog"]')).toBeNull();
});

test('in_one_pane_letters_are_text_also_where_nothing_has_the_focus', async () => {
  media.add('(max-width: 720px)');
  const { platform } = await open();
  row(CREW).click();
  await there('.composer textarea');
  (document.activeElement as HTMLElement).blur();
  type('see');
  expect(field().value).toBe('see');
  expect(archived(platform)).toEqual([]);
});

test('letters_typed_right_after_the_key_that_leaves_a_conversation_are_keys_of_the_list', async () => {
  const { platform } = await conversations();
  await there('.composer textarea');
  const messages = find('.reading-pane .scroll');
  messages.focus();
  press('Escape');
  expect(document.activeElement, 'the focus is on its way').toBe(messages);
  type('e');
  expect(field().value).toBe('');
  await until(() => archived(platform).length === 1);
  await until(() => document.activeElement === find('[role="listbox"]'));

  // Among the messages again, letters are text.
  find('.reading-pane .scroll').focus();
  type('so');
  expect(field().value).toBe('so');
});

test('letters_in_the_list_beside_a_conversation_are_still_keys', async () => {
  const { platform } = await conversations();
  await there('.composer textarea');
  press('e');
  await until(() => archived(platform).length === 1);
});

test('a_conversation_in_which_nothing_can_be_written_gives_the_focus_to_its_messages', async () => {
  const { stores, platform } = await open('', (early) => {
    const answer = early.thread.bind(early);
    early.thread = async (id, before) => ({ ...(await answer(id, before)), composer: null });
  });
  expect(known(platform, CREW).row.kind).toBe('message');
  find('[role="listbox"]').focus();
  stores.navigation.threadId = CREW;
  press('Enter');
  await until(() => document.activeElement === document.querySelector('.reading-pane .scroll'));
});
