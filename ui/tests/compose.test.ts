// Tests of new conversations on the whole page, up to the first message.
import { tick } from 'svelte';
import { afterEach, expect, test } from 'vitest';
import { saveNewConversationDraft } from '../src/features/compose/new-conversation-draft';
import { violations } from './support/axe';
import { asked as askedOf, button, fill, find, type Opened, open, press, rows, there, until } from './support/page';
import { dialog, field, fillField, textOf } from './support/settings';
import { styleOf } from './support/styles';

afterEach(() => saveNewConversationDraft(null));

const people = () => [...document.querySelectorAll<HTMLElement>('[data-person]')].map((one) => one.dataset.person);
const offered = () =>
  [...document.querySelectorAll('.people-list [role="option"]')].map((one) =>
    one.textContent?.replace(/\s+/g, ' ').trim(),
  );
const to = () => find<HTMLInputElement>('.people-field input');
const message = () => find<HTMLTextAreaElement>('.compose-message');
const asked = ({ platform }: Opened, what: string) => askedOf(platform, what);
const outgoing = () => document.querySelectorAll('[data-outgoing]').length;

const type = (text: string, into: HTMLInputElement | HTMLTextAreaElement) => {
  into.focus();
  fill(into, text);
};

/** Opens the form by its key, and waits until the known people have been requested and the field has the focus. */
async function begin(query = '', prepare?: Parameters<typeof open>[1]): Promise<Opened> {
  const opened = await open(query, prepare);
  press('c');
  await until(() => dialog() !== null && asked(opened, 'people').length > 0);
  await until(() => document.activeElement === to());
  return opened;
}

async function add(name: string): Promise<void> {
  const before = people().length;
  type(name, to());
  press('Enter');
  await until(() => people().length > before);
}

test('with_the_keyboard_alone_a_conversation_is_begun_and_opened', async () => {
  const opened = await begin();
  type('kess', to());
  await until(() => offered().length > 0);
  expect(offered()).toEqual(['BK Bo Kessler bo', 'Use “kess” as a user name']);
  press('Enter');
  await until(() => people().length === 1);
  expect(people()).toEqual(['bo']);
  expect(to().value).toBe('');
  type('Lunch?', message());
  press('Enter');
  await until(() => dialog() === null && document.querySelector('.composer textarea'));
  await until(() => document.activeElement === find('.composer textarea'));
  expect(asked(opened, 'startConversation')).toEqual([
    ['startConversation', { source: 2, to: ['bo'], group: false, name: '', body: 'Lunch?' }],
  ]);
  expect(find('.reading-pane h1').textContent).toBe('Bo Kessler');
  await until(() => [...document.querySelectorAll('.run.own .bubble')].at(-1)?.textContent?.trim() === 'Lunch?');
});

test('the_list_of_conversations_has_a_button_for_it_and_the_palette_a_command', async () => {
  await open();
  expect(document.querySelector('[data-compose]')).toBeNull();
  press('g');
  press('c');
  await there('[data-compose]');
  expect(dialog(), 'g c goes to the conversations').toBeNull();
  const opener = find('[data-compose]');
  expect(opener.title).toContain('New conversation');
  opener.focus();
  opener.click();
  await until(() => dialog() && document.activeElement === to());
  press('Escape');
  await until(() => dialog() === null);
  await until(() => document.activeElement === opener);

  press('k', { ctrlKey: true });
  await there('.palette input');
  const palette = find<HTMLInputElement>('.palette input');
  fill(palette, 'new conv');
  await until(() =>
    document.querySelector('.palette [aria-selected="true"]')?.textContent?.includes('New conversation…'),
  );
  press('Enter');
  await until(() => dialog()?.getAttribute('aria-label') === 'New conversation');
});

test('the_desktop_opens_it_also_while_the_page_starts', async () => {
  await open('', (early) => {
    const answer = early.bootstrap.bind(early);
    early.bootstrap = (hear) => {
      hear({ event: 'new_conversation' });
      return answer(hear);
    };
  });
  await until(() => dialog()?.getAttribute('aria-label') === 'New conversation');
  await there('.people-field input');
});

test('several_people_become_a_group_that_needs_a_name', async () => {
  const opened = await begin();
  await add('ana');
  expect(document.querySelector('.compose-name')).toBeNull();
  type('chen, ', to());
  await until(() => people().length === 2);
  expect(people()).toEqual(['ana', 'chen']);
  type('Who writes it?', message());
  press('Enter');
  await until(() => textOf('.compose-name').includes('Enter a name for the group'));
  await until(() => document.activeElement === field('Name of the group'));
  fillField('Name of the group', 'Notes');
  button('Send').click();
  await until(() => dialog() === null && document.querySelector('.composer textarea'));
  expect(asked(opened, 'startConversation').at(-1)).toEqual([
    'startConversation',
    { source: 2, to: ['ana', 'chen'], group: false, name: 'Notes', body: 'Who writes it?' },
  ]);
  expect(find('.reading-pane h1').textContent).toBe('Notes');
});

test('a_chip_stands_clear_of_the_ring_of_its_field_and_its_button_is_reached_by_keys', async () => {
  // The ring is 2px wide, inside of the field.
  expect([styleOf('.people-field', 'padding'), styleOf(':root', '--s1')]).toEqual(['var(--s1)', '4px']);
  for (const part of ['.chip', '.chip button', 'input'])
    expect(styleOf(`.people-field > ${part}`, 'height'), part).toBe('calc(24 * var(--h))');
  await begin();
  await add('ana');
  await add('chen');
  const off = find<HTMLButtonElement>('[data-person="ana"] button');
  expect([off.tabIndex, off.getAttribute('aria-label')]).toEqual([0, 'Remove Ana Ruiz']);
  off.focus();
  off.click();
  await until(() => people().join() === 'chen');
  await until(() => document.activeElement === to());
});

test('what_is_missing_is_said_where_it_is_missing', async () => {
  const opened = await begin();
  button('Send').click();
  await until(() => textOf('.people-field ~ .field-error') === 'Enter at least one user name');
  await until(() => document.activeElement === to());
  expect(to().getAttribute('aria-invalid')).toBe('true');
  await add('bo');
  button('Send').click();
  await until(() => textOf('.compose-message ~ .field-error') === 'Enter a first message');
  await until(() => document.activeElement === message());
  expect(asked(opened, 'startConversation')).toEqual([]);
});

test('a_name_that_nobody_has_is_told_and_nothing_that_was_written_is_lost', async () => {
  const opened = await begin();
  type('bob', to());
  await until(() => offered().length > 0);
  expect(offered(), 'whoever is not known here can still be meant').toEqual(['Use “bob” as a user name']);
  type('Hello', message());
  press('Enter');
  await until(() => textOf('.people-field ~ .field-error') === 'Work has no user bob');
  expect([people(), message().value]).toEqual([['bob'], 'Hello']);
  await until(() => document.activeElement === to());
  expect(await violations()).toEqual([]);

  press('Escape');
  await until(() => dialog() === null);
  press('c');
  await until(() => dialog() && document.activeElement === to());
  expect([people(), message().value], 'also when one comes back to it').toEqual([['bob'], 'Hello']);
  press('Backspace');
  await until(() => people().length === 0);
  await add('bo');
  button('Send').click();
  await until(() => dialog() === null && asked(opened, 'startConversation').length === 2);
  await until(() => document.activeElement?.matches('.reading-pane textarea'));
  press('Escape');
  await until(() => document.activeElement?.matches('.reading-pane .scroll'));
  press('Escape');
  await until(() => document.activeElement?.matches('.list [role="listbox"]'));
  press('c');
  await until(() => dialog() && document.activeElement === to());
  expect([people(), message().value], 'what was sent is no draft any more').toEqual([[], '']);
});

test('offline_a_first_message_waits_in_its_conversation_and_a_group_is_kept_as_it_was_written', async () => {
  const opened = await begin('offline');
  await add('nobody');
  type('Are you there?', message());
  press('Enter');
  await until(() => dialog() === null && outgoing() === 1);
  expect(textOf('.run.own:last-of-type')).toContain('Waits to be sent');
  find('.composer textarea').blur();

  press('c');
  await until(() => dialog() && document.activeElement === to());
  await add('ana');
  await add('bo');
  fillField('Name of the group', 'Notes');
  type('Who writes it?', message());
  press('Enter');
  await until(() => textOf('[data-testid="compose-state"]').includes('the group was not created'));
  expect([people(), field('Name of the group').value, message().value]).toEqual([
    ['ana', 'bo'],
    'Notes',
    'Who writes it?',
  ]);
  await opened.platform.pullNow();
  button('Send').click();
  await until(() => dialog() === null);
  await until(() => document.querySelector('.reading-pane h1')?.textContent === 'Notes');
});

test('what_is_typed_before_the_form_is_there_opens_nothing_in_the_list', async () => {
  const { stores } = await open();
  press('c');
  press('j');
  press('e');
  await until(() => dialog());
  expect(stores.currentThread.chosen).toBeNull();
  expect(rows().length).toBe(12);
});

test('a_person_is_taken_out_with_its_button_and_the_list_closes_before_the_form', async () => {
  await begin();
  await add('ana');
  await add('bo');
  button('Remove Ana Ruiz').click();
  await until(() => people().join() === 'bo');
  await until(() => document.activeElement === to());
  press('ArrowDown');
  await until(() => offered().length > 0);
  expect(offered(), 'who is there already is not offered').not.toContain('BK Bo Kessler bo');
  press('Escape');
  await until(() => offered().length === 0);
  expect(dialog()).not.toBeNull();
  press('Escape');
  await until(() => dialog() === null);
});

test('a_chinese_word_that_is_being_chosen_sends_nothing', async () => {
  const opened = await begin('lang=zh');
  expect(dialog()?.getAttribute('aria-label')).toBe('新建聊天');
  type('陈', to());
  await until(() => offered().length > 0);
  press('Enter', { isComposing: true });
  expect(people()).toEqual([]);
  press('Enter');
  await until(() => people().join() === 'bo');
  type('中午', message());
  press('Enter', { isComposing: true });
  press('Enter', { shiftKey: true });
  expect(asked(opened, 'startConversation')).toEqual([]);
  press('Enter');
  await until(() => dialog() === null);
});

test('a_source_without_groups_takes_one_person', async () => {
  const opened = await begin('', (early) => {
    early.sourceSettings.protocols = early.sourceSettings.protocols.map((one) => ({
      ...one,
      abilities: { ...one.abilities, groups: false },
    }));
  });
  expect(dialog()?.textContent).toContain('Enter one user name');
  expect(dialog()?.querySelector('[role="checkbox"]')).toBeNull();
  await add('ana');
  await add('bo');
  type('Lunch?', message());
  press('Enter');
  await until(() => dialog()?.textContent?.includes('Enter one user name'));
  expect(asked(opened, 'startConversation')).toEqual([]);
});

test('where_nobody_can_be_written_to_it_is_said_what_to_add', async () => {
  const { stores } = await open(
    '',
    (early) => (early.sources = early.sources.filter((one) => one.protocol !== 'tidings')),
  );
  press('c');
  await until(() => dialog()?.textContent?.includes('To write messages, you need a server with other people'));
  expect(await violations()).toEqual([]);
  expect(document.querySelector('.people-field')).toBeNull();
  await until(() => document.activeElement === button('Add a source', dialog() ?? document));
  button('Add a source', dialog() ?? document).click();
  await until(() => dialog()?.getAttribute('aria-label') === 'Add a source');
  expect(stores.dialogs.compose).toBe(false);
});

test('whoever_never_wrote_is_found_at_the_server_which_is_asked_once_a_pause_in_typing', async () => {
  const opened = await begin('', (early) => {
    early.people = async (source) => {
      early.asked.push(['people', source]);
      return [];
    };
  });
  for (const text of ['k', 'ke', 'kes']) {
    type(text, to());
    await tick();
    expect(offered(), 'before the server has answered').toEqual([`Use “${text}” as a user name`]);
  }
  await until(() => offered().length === 2);
  expect(offered()).toEqual(['BK Bo Kessler bo', 'Use “kes” as a user name']);
  expect(asked(opened, 'findPeople')).toEqual([['findPeople', 2, 'kes']]);
  press('Enter');
  await until(() => people().join() === 'bo');
  expect(asked(opened, 'findPeople')).toHaveLength(1);
});

test('without_an_answer_of_the_server_a_name_can_still_be_typed', async () => {
  const opened = await begin('', (early) => {
    early.findPeople = async (source, typed) => {
      early.asked.push(['findPeople', source, typed]);
      throw { code: 'outside', text: 'Too often' };
    };
  });
  type('nobody', to());
  await until(() => asked(opened, 'findPeople').length > 0);
  press('Enter');
  await until(() => people().join() === 'nobody');
});

test('everybody_on_the_own_server_can_be_chosen_and_the_only_one_there_is_told_to_add_others', async () => {
  const own = (early: Opened['platform']) => {
    early.sources = early.sources.filter((one) => one.own);
    early.people = async (source) => {
      early.asked.push(['people', source]);
      return [];
    };
  };
  await begin('', own);
  type('bo', to());
  await until(() => offered().length > 0);
  expect(offered()[0]).toMatch(/^B\w* Bo.* bo$/);
  press('Enter');
  await until(() => people().join() === 'bo');
  press('Escape');
  await until(() => dialog() === null);
});

test('whoever_is_alone_on_the_own_server_is_led_to_its_people', async () => {
  const { stores } = await open('', (early) => {
    early.sources = early.sources.filter((one) => one.own);
    early.people = async () => [];
    early.own.view = { ...early.own.view, users: early.own.view.users.filter((one) => one.me) };
  });
  press('c');
  await until(() => dialog()?.textContent?.includes('Nobody else is on this server yet'));
  button('Add people…').click();
  await until(() => stores.navigation.settingsTab === 'computer' && document.querySelector('[data-add-user]'));
});

test.each(['en', 'zh'])('axe_finds_nothing_in_it_in_%s', async (lang) => {
  await begin(`lang=${lang}`);
  await add('ana');
  await add('bo');
  type('c', to());
  await until(() => offered().length > 0);
  expect(await violations()).toEqual([]);
});

test('a_group_with_one_other_person_is_made_with_a_name', async () => {
  const opened = await begin();
  await add('kess');
  expect(document.querySelector('.compose-name')).toBeNull();
  find('.dialog [role="checkbox"]').click();
  await there('.compose-name');
  type('Lunch?', message());
  press('Enter');
  await until(() => textOf('.dialog').includes('Enter a name for the group'));
  fillField('Name of the group', 'Lunch');
  message().focus();
  press('Enter');
  await until(() => dialog() === null);
  expect(asked(opened, 'startConversation')).toEqual([
    ['startConversation', { source: 2, to: ['bo'], group: true, name: 'Lunch', body: 'Lunch?' }],
  ]);
  await until(() => find('.reading-pane h1').textContent === 'Lunch');
});
