// Tests of changing a group from its conversation: by its owner, and by a member who leaves it.
import { expect, test } from 'vitest';
import { violations } from './support/axe';
import { asked, button, fill, find, known, open, press, snackbar, there, until } from './support/page';
import { dialog, fieldError, fillField, submit, textOf } from './support/settings';

const CREW = 5;

async function members(query = '') {
  const opened = await open(`open=${CREW}${query}`);
  await there('[data-members]');
  find('[data-members]').click();
  await there('.popover li');
  return opened;
}

/** Chooses what is done with a member. */
async function choose(member: string, action: 'hand-over' | 'remove'): Promise<void> {
  find(`[data-member-menu="${member}"]`).click();
  await there('[role="menu"]');
  find(`[role="menu"] [data-line="${action}"]`).click();
}

const line = (text: string) =>
  [...document.querySelectorAll<HTMLElement>('.popover button')].find((one) => one.textContent?.trim() === text);

test('its_owner_renames_a_group_and_a_name_is_needed', async () => {
  const { platform } = await members();
  line('Rename…')?.click();
  await until(dialog);
  expect(document.querySelector('.popover')).toBeNull();
  fillField('Name of the group', '  ');
  submit();
  await until(() => fieldError('Name of the group').includes('Enter a name for the group'));
  fillField('Name of the group', 'Release crew 2');
  expect(await violations()).toEqual([]);
  submit();
  await until(() => dialog() === null);
  await until(() => find('.reading-pane h1').textContent === 'Release crew 2');
  expect(snackbar()).toContain('Group renamed to “Release crew 2”');
  expect(asked(platform, 'changeGroup')).toEqual([['changeGroup', CREW, { change: 'rename', name: 'Release crew 2' }]]);
});

test('people_are_added_and_who_is_unknown_is_said', async () => {
  const { platform } = await members();
  platform.groups.set(CREW, { owner: 'me', added: [], removed: ['Ana Ruiz'] });
  press('Escape');
  await until(() => document.querySelector('.popover') === null);
  find('[data-members]').click();
  await until(() => textOf('.popover').includes('5 people'));
  line('Add people…')?.click();
  await until(dialog);
  const to = find<HTMLInputElement>('.people-field input');
  to.focus();
  fill(to, 'nobody');
  submit();
  await until(() => textOf('.dialog').includes('Work has no user nobody'));
  find('.dialog [data-person="nobody"] button').click();
  await until(() => document.querySelector('[data-person="nobody"]') === null);
  to.focus();
  fill(to, 'ana');
  await until(() => document.querySelector('.people-list [role="option"]'));
  press('Enter');
  await there('[data-person="ana"]');
  submit();
  await until(() => dialog() === null);
  expect(snackbar()).toContain('Added: Ana Ruiz');
});

test('handing_over_and_removing_ask_first_and_the_former_owner_can_do_neither', async () => {
  const { platform } = await members();
  expect(textOf('.popover'), 'the names have the room').not.toContain('Make owner');
  const more = find('[data-member-menu="Bo Kessler"]');
  more.focus();
  more.click();
  await there('[role="menu"]');
  const menu = find('[role="menu"]');
  expect(menu.getAttribute('aria-label')).toBe('Bo Kessler');
  expect([...menu.querySelectorAll('[role="menuitem"]')].map((one) => one.textContent?.trim())).toEqual([
    'Make owner…',
    'Remove…',
  ]);
  expect(await violations()).toEqual([]);
  // A press in the menu leaves the popover open, and Esc closes the menu alone.
  menu.dispatchEvent(new MouseEvent('pointerdown', { bubbles: true }));
  press('Escape');
  await until(() => document.querySelector('[role="menu"]') === null);
  expect(document.activeElement === more, 'the popover is still open').toBe(true);
  await choose('Bo Kessler', 'remove');
  await until(() => textOf('.dialog').includes('Remove Bo Kessler from'));
  expect(textOf('.dialog')).toContain('They keep earlier messages but get no new ones.');
  button('Remove').click();
  await until(() => dialog() === null && snackbar().includes('Bo Kessler removed from the group'));

  find('[data-members]').click();
  await there('[data-member-menu="Chen Yu"]');
  expect(document.querySelector('[data-member-menu="Bo Kessler"]')).toBeNull();
  await choose('Chen Yu', 'hand-over');
  await until(() => textOf('.dialog').includes('only Chen Yu can make you the owner again'));
  button('Make owner').click();
  await until(() => dialog() === null && snackbar().includes('Chen Yu is now the owner'));
  find('[data-members]').click();
  await until(() => textOf('.popover').includes('owner'));
  expect(document.querySelector('[data-member-menu]')).toBeNull();
  expect(line('Rename…')).toBeUndefined();
  expect(line('Leave group…')).toBeDefined();
  expect(asked(platform, 'changeGroup').map(([, , what]) => what)).toEqual([
    { change: 'remove', user: 'Bo Kessler' },
    { change: 'hand_over', user: 'Chen Yu' },
  ]);
});

test('leaving_says_what_follows_and_nothing_can_be_written_then', async () => {
  await members();
  line('Leave group…')?.click();
  await until(() => textOf('.dialog').includes('Earlier messages stay here.'));
  expect(textOf('.dialog')).toContain('The member who joined first becomes the owner.');
  // Nothing happens by Enter.
  await until(() => document.activeElement?.textContent?.trim() === 'Cancel');
  button('Leave').click();
  await until(() => dialog() === null);
  await there('[data-testid="closed-conversation"]');
  expect(document.querySelector('.composer')).toBeNull();
  find('[role="listbox"]').focus();
  press('Enter');
  await until(() => document.activeElement === document.querySelector('.reading-pane .scroll'));
  expect(find('[data-testid="closed-conversation"]').textContent).toContain('You are no longer in this group');
});

test('what_can_be_pressed_stays_in_place_while_the_members_are_asked_for_again', async () => {
  const { platform } = await members();
  const rename = line('Rename…');
  expect(rename).toBeDefined();
  const answer = platform.members.bind(platform);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  platform.members = async (thread) => {
    const told = await answer(thread);
    await released;
    return told.slice(1);
  };
  const count = document.querySelectorAll('.popover li').length;
  platform.set(CREW, (stored) => ({ ...stored, title: 'Renamed elsewhere' }));
  await until(() => asked(platform, 'members').length === 2);
  expect(line('Rename…')).toBe(rename);
  expect(document.querySelectorAll('.popover li')).toHaveLength(count);
  release();
  await until(() => document.querySelectorAll('.popover li').length === count - 1);
  expect(line('Rename…')).toBe(rename);
});

test('without_a_connection_it_is_said_that_nothing_can_be_changed', async () => {
  await members('&offline=1');
  expect(textOf('.popover')).toContain('You can change the group when you are back online');
  expect(line('Leave group…')).toBeUndefined();
});

test('what_the_server_refuses_meanwhile_is_said', async () => {
  const { platform } = await members();
  platform.changeGroup = () => Promise.reject({ code: 'invalid', text: 'Only the owner of the group can do this' });
  await choose('Bo Kessler', 'remove');
  await until(dialog);
  button('Remove').click();
  await until(() => snackbar().includes('Only the owner of the group can do this'));
});

test('the_members_are_in_the_order_of_their_names_in_the_language_and_oneself_is_last', async () => {
  await members('&lang=zh');
  const names = [...document.querySelectorAll('.popover li > [title]:not(button)')].map((one) => one.textContent);
  expect(names).toEqual(['陈博', '林晓', '孙梅', '赵宇', '周丹', '吴山']);
});

test('its_owner_ends_a_group_after_a_question_and_nothing_can_be_written_then', async () => {
  const { platform } = await members();
  expect(line('End group…')?.classList).toContain('danger');
  line('End group…')?.click();
  await until(() => textOf('.dialog').includes('nobody can write new ones'));
  expect(await violations()).toEqual([]);
  button('End', dialog() ?? document).click();
  await until(() => dialog() === null && snackbar().includes('You ended'));
  await until(() => textOf('[data-testid="closed-conversation"]').includes('This group has ended'));
  expect(document.querySelector('.composer textarea')).toBeNull();
  expect(asked(platform, 'changeGroup')).toEqual([['changeGroup', CREW, { change: 'end' }]]);
});

test('a_conversation_with_somebody_who_was_removed_says_so_and_keeps_the_name', async () => {
  const { platform } = await open(`open=${CREW}&lang=zh-CN`);
  await there('.composer textarea');
  platform.set(CREW, (stored) => ({ ...stored, closed: 'removed' }));
  await until(() => textOf('[data-testid="closed-conversation"]').includes('已不在此服务器上'));
  expect(document.querySelector('.composer textarea')).toBeNull();
  expect(textOf('[data-testid="closed-conversation"]')).toContain(find('.reading-pane h1').textContent);
});

test('who_joined_and_left_and_the_new_name_stand_between_the_messages_of_their_time', async () => {
  await open(`open=${CREW}`, (platform) => {
    const thread = known(platform, CREW);
    // Two messages of one person that are close together, with a change between them.
    const [first] = thread.items;
    if (!first) throw new Error('the group has no message');
    const next = { ...first, msgid: 'next', time: first.time + 60_000 };
    thread.items = [first, next];
    thread.earlier = 0;
    thread.groupLines = [
      { time: first.time - 1000, text: 'Dora joined' },
      { time: first.time + 1000, text: 'Bo left' },
      { time: next.time + 1000, text: 'The group was renamed “Release crew”' },
    ];
  });
  await there('[data-group-line]');
  const shown = [...document.querySelectorAll<HTMLElement>('[data-group-line], [data-item-msgid]')].map(
    (one) => one.dataset.itemMsgid ?? one.textContent?.trim(),
  );
  expect([shown[0], shown[2], shown[3], shown[4]]).toEqual([
    'Dora joined',
    'Bo left',
    'next',
    'The group was renamed “Release crew”',
  ]);
  expect(await violations()).toEqual([]);
});
