// Tests of the actions on a single item of a thread, by the desktop's menu, by its button, and by keys alone.
import { beforeEach, expect, test, vi } from 'vitest';
import type { ItemView } from '../src/generated/ItemView';
import type { MenuEntry } from '../src/generated/MenuEntry';
import type { Scripted } from '../src/platform/scripted/scripted';
import { ANNOUNCEMENTS, ARTICLE, CREW, items, openArticle } from './support/article';
import { violations } from './support/axe';
import { asked, button, find, known, menu, open, press, row, snackbar, there, until } from './support/page';

// Without the focus nothing is read by being on screen.
beforeEach(() => void vi.spyOn(document, 'hasFocus').mockReturnValue(false));

const box = (msgid: string) => find(`[data-item-msgid="${msgid}"]`);
const labels = (platform: Scripted) =>
  asked(platform, 'popup').flatMap(([, entries]) => (entries as MenuEntry[]).map((one) => one.label));
const stored = (platform: Scripted, msgid: string) =>
  known(platform, ARTICLE).items.find((item) => item.msgid === msgid) as ItemView;
const pill = () => row(ARTICLE).querySelector('.pill')?.textContent ?? '';

/** Chooses lines of the desktop's menu of an item, one after the other. */
async function choose(platform: Scripted, msgid: string, ...lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const before = asked(platform, 'markItems').length;
    platform.choices.push(line);
    menu(box(msgid));
    await until(() => asked(platform, 'markItems').length > before);
    await until(() => snackbar() !== '');
  }
}

test('an_item_is_read_archived_and_brought_back_alone_and_each_is_undone', async () => {
  const { platform } = await openArticle();
  await there('[data-item-msgid="c6"]');
  await choose(platform, 'c6', 'archive');
  expect(labels(platform)).toEqual([
    'Copy text',
    'Copy link to this item',
    '',
    'Mark read',
    'Mark unread from here',
    'Archive',
    '',
    'Delete…',
  ]);
  expect(asked(platform, 'markItems')).toEqual([['markItems', ARTICLE, ['c6'], { op: 'archive' }]]);
  expect(snackbar()).toMatch(/^“.+” archived/);
  expect(row(ARTICLE), 'the thread stays').toBeTruthy();
  expect(stored(platform, 'c6').archived).toBe(true);
  press('z');
  await until(() => stored(platform, 'c6').archived !== true);
  await choose(platform, 'c6', 'archive');
  await until(() => !items().includes('c6'));
  expect(known(platform, ARTICLE).items.at(-1)?.msgid, 'the others stay').toBe(items().at(-1));
  find('[data-testid="put-away"]').click();
  await there('[data-item-msgid="c6"]');
  expect(box('c6').textContent).toContain('Archived');
  platform.asked.length = 0;
  await choose(platform, 'c6', 'archive');
  expect(labels(platform), 'what is archived is brought back').toContain('Bring back');
  expect(asked(platform, 'markItems')[0]?.[3]).toEqual({ op: 'unarchive' });
  await choose(platform, 'c7', 'read');
  expect(asked(platform, 'markItems').at(-1)).toEqual(['markItems', ARTICLE, ['c7'], { op: 'read' }]);
  await choose(platform, 'c7', 'read');
  expect(asked(platform, 'markItems').at(-1)).toEqual(['markItems', ARTICLE, ['c7'], { op: 'unread' }]);
  expect(stored(platform, 'c7').unread).toBe(true);
});

test('the_link_of_an_item_is_copied_and_names_it_to_other_programs', async () => {
  const { platform } = await openArticle();
  await there('[data-item-msgid="c6"]');
  const copied: string[] = [];
  const writeText = async (text: string) => void copied.push(text);
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
  platform.choices.push('copy-item-link');
  menu(box('c6'));
  await until(() => copied.length > 0);
  expect(copied).toEqual(['tidings://open/c6']);
});

test('an_item_is_deleted_after_a_question_and_is_gone_from_pane_and_numbers', async () => {
  const { platform } = await openArticle();
  await there('[data-item-msgid="c6"]');
  const dialog = () => document.querySelector<HTMLElement>('[role=dialog]');
  const ask = async () => {
    platform.choices.push('delete');
    menu(box('c6'));
    await until(() => dialog() !== null);
  };
  await ask();
  expect(dialog()?.getAttribute('aria-label')).toMatch(/^Delete “.+”\?$/);
  expect(dialog()?.textContent).toContain('cannot be undone');
  await until(() => document.activeElement?.textContent === 'Cancel');
  expect(await violations()).toEqual([]);
  press('Escape');
  await until(() => dialog() === null);
  expect(asked(platform, 'markItems')).toEqual([]);
  await ask();
  const before = items().length;
  button('Delete', dialog() as HTMLElement).click();
  await until(() => !items().includes('c6'));
  expect(items().length).toBe(before - 1);
  await until(() => snackbar().endsWith('deleted'));
  expect(known(platform, ARTICLE).items.map((item) => item.msgid)).not.toContain('c6');
});

test('an_item_deleted_elsewhere_leaves_the_open_thread', async () => {
  const { platform } = await openArticle();
  await there('[data-item-msgid="c6"]');
  await platform.markItems(ARTICLE, ['c6'], { op: 'delete' });
  await until(() => !items().includes('c6'));
});

test('the_desktop_s_menu_marks_unread_from_an_item_on', async () => {
  const { platform } = await openArticle();
  await there('[data-item-msgid="c6"]');
  await platform.markItems(ARTICLE, ['c6', 'c7'], { op: 'read' });
  await until(() => pill() === '');
  platform.choices.push('unread');
  menu(box('c6'));
  await until(() => asked(platform, 'unreadFrom').length === 1);
  expect(asked(platform, 'unreadFrom')).toEqual([['unreadFrom', ARTICLE, 'c6']]);
  await until(() => pill() === '3');
  press('z');
  await until(() => pill() === '');
});

test('ones_own_message_can_be_copied_archived_and_deleted_and_never_be_new', async () => {
  const { platform } = await open(`open=${CREW}`);
  await there('.bubble');
  platform.choices.push(null);
  menu(box('r7'));
  await until(() => asked(platform, 'popup').length === 1);
  expect(labels(platform)).toEqual(['Copy text', 'Copy link to this item', '', 'Archive', '', 'Delete…']);
});

test('by_keys_alone_the_focus_goes_from_item_to_item_and_opens_the_menu_of_each', async () => {
  const { platform } = await openArticle();
  await there('[data-item-msgid="c7"]');
  const at = () =>
    (document.activeElement as HTMLElement).dataset.itemMsgid ?? document.activeElement?.classList[0] ?? '';
  const go = (key: 'ArrowDown' | 'ArrowUp') => press(key, { ctrlKey: true });
  find('[role="listbox"]').focus();
  go('ArrowDown');
  expect(at()).toBe('earlier');
  go('ArrowDown');
  const [first, second] = items();
  expect(at()).toBe(first);
  go('ArrowDown');
  expect(at()).toBe(second);
  go('ArrowUp');
  expect(at()).toBe(first);
  expect(document.activeElement?.getAttribute('aria-label')).toMatch(/commented/);
  // The Menu key is a request for the menu at the element with the focus.
  platform.choices.push(null);
  menu(document.activeElement as HTMLElement);
  await until(() => asked(platform, 'popup').length === 1);
  for (let step = 0; step < 20; step += 1) go('ArrowDown');
  expect(at(), 'it stays at the last').toBe(items().at(-1));
  expect(await violations()).toEqual([]);
});

test('from_a_message_that_is_being_written_the_keys_lead_to_those_above_and_back', async () => {
  await open(`open=${CREW}`);
  await there('.composer textarea');
  const field = find('.composer textarea');
  field.focus();
  press('ArrowUp', { ctrlKey: true });
  expect(document.activeElement).toBe(box(items().at(-1) ?? ''));
  press('ArrowDown', { ctrlKey: true });
  await until(() => document.activeElement === field);
});

test('the_button_of_an_item_has_the_same_lines_and_gives_the_focus_back', async () => {
  const { platform } = await openArticle();
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async () => {} } });
  await there('[data-item-msgid="c6"] [data-item-menu]');
  const more = find('[data-item-msgid="c6"] [data-item-menu]');
  more.focus();
  more.click();
  await there('[role="menu"]');
  const lines = [...document.querySelectorAll('[role="menuitem"]')].map((line) => line.textContent?.trim());
  expect(lines).toEqual([
    'Copy text',
    'Copy link to this item',
    'Mark read',
    'Mark unread from here',
    'Archive',
    'Delete…',
  ]);
  expect(await violations()).toEqual([]);
  press('Escape');
  await until(() => document.querySelector('[role="menu"]') === null);
  expect(document.activeElement).toBe(more);
  more.click();
  await there('[data-line="copy"]');
  find('[data-line="copy"]').click();
  await until(() => snackbar().startsWith('Text copied'));
  more.click();
  await there('[data-line="read"]');
  find('[data-line="read"]').click();
  await until(() => asked(platform, 'markItems').length === 1);
  expect(asked(platform, 'markItems')).toEqual([['markItems', ARTICLE, ['c6'], { op: 'read' }]]);
});

/** Makes the reader's own message in the group one that its server lets be edited and taken back. */
const changeable = (platform: Scripted) => {
  const thread = known(platform, CREW);
  thread.items = thread.items.map((item) => (item.own ? { ...item, changeable: true } : item));
};

test('ones_own_message_is_edited_in_place_and_says_so_and_what_the_server_refuses_is_said', async () => {
  const { platform } = await open(`open=${CREW}`, changeable);
  await there('.bubble');
  const dialog = () => document.querySelector<HTMLElement>('[role=dialog]');
  const field = () => dialog()?.querySelector<HTMLTextAreaElement>('textarea');
  platform.choices.push('edit');
  menu(box('r7'));
  await until(() => field()?.disabled === false);
  expect(labels(platform)).toEqual([
    'Copy text',
    'Copy link to this item',
    '',
    'Archive',
    '',
    'Edit…',
    'Take back…',
    'Delete…',
  ]);
  expect(await violations()).toEqual([]);
  const area = field() as HTMLTextAreaElement;
  const write = (text: string) => {
    area.value = text;
    area.dispatchEvent(new Event('input', { bubbles: true }));
  };
  write('  ');
  button('Save', dialog() as HTMLElement).click();
  await until(() => dialog()?.textContent?.includes('Enter some text') === true);
  write('Lunch at one?');
  button('Save', dialog() as HTMLElement).click();
  await until(() => dialog() === null);
  expect(asked(platform, 'editItem')).toEqual([['editItem', CREW, 'r7', 'Lunch at one?']]);
  await until(() => box('r7').textContent?.includes('Lunch at one?') === true);
  expect(box('r7').textContent).toContain('edited');
  await until(() => snackbar() === 'Edited');
});

test('ones_own_message_is_taken_back_after_a_question', async () => {
  const { platform } = await open(`open=${CREW}`, changeable);
  await there('.bubble');
  platform.choices.push('recall');
  menu(box('r7'));
  const dialog = () => document.querySelector<HTMLElement>('[role=dialog]');
  await until(() => dialog() !== null);
  expect(dialog()?.textContent).toContain('every inbox');
  expect(await violations()).toEqual([]);
  button('Take back', dialog() as HTMLElement).click();
  await until(() => !items().includes('r7'));
  expect(asked(platform, 'recallItem')).toEqual([['recallItem', CREW, 'r7']]);
  await until(() => snackbar().endsWith('taken back'));
});

test('ones_own_announcement_says_how_many_have_read_it_and_that_of_others_does_not', async () => {
  const own = await open(`open=${ANNOUNCEMENTS}`, (platform) => {
    const thread = known(platform, ANNOUNCEMENTS);
    thread.items = thread.items.map((item, at) => (at === 0 ? { ...item, own: true, changeable: true } : item));
  });
  await there('[data-testid="read-count"]');
  expect(find('[data-testid="read-count"]').textContent).toContain('Read by 12 of 40');
  expect(document.querySelectorAll('[data-testid="read-count"]').length).toBe(1);
  expect(asked(own.platform, 'announcementReaders')[0]?.[1]).toBe(ANNOUNCEMENTS);
  expect(await violations()).toEqual([]);
});
