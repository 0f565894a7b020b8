// Tests of keys that the reader changes: recording, conflicts, and that everything follows at once.
import { expect, test } from 'vitest';
import { keyOf } from '../src/shortcuts';
import { violations } from './support/axe';
import { announced, asked, button, find, hasButton, open, press, row, snackbar, there, until } from './support/page';
import { dialog, openSection, settings, textOf } from './support/settings';

const shown = (shortcut: string) =>
  [...find(`[data-shortcut="${shortcut}"]`).querySelectorAll('.keys')].map((one) =>
    [...one.querySelectorAll('kbd')].map((cap) => cap.textContent).join('+'),
  );
const recorder = () => document.querySelector<HTMLElement>('[data-records-keys]');

/** Opens the keys of a command and presses others for one of them. */
async function record(name: string, change: string, key: string, more: KeyboardEventInit = {}): Promise<void> {
  if (!dialog()) button(`Change shortcuts: ${name}`).click();
  // The dialog takes the focus when it opens.
  await until(() => dialog()?.contains(document.activeElement));
  button(change, dialog() ?? document).click();
  await until(() => document.activeElement === recorder());
  press(key, more);
}

test('a_command_gets_other_keys_and_everything_follows_at_once', async () => {
  const { platform } = await settings('keys-threads');
  expect(shown('archive')).toEqual(['e']);
  await record('Archive or bring back', 'Change e', 'y', { ctrlKey: true, shiftKey: true });
  await until(() => shown('archive')[0] === 'Ctrl+Shift+Y');
  expect(platform.now.keys).toEqual({ archive: ['Mod+Shift+y'] });
  await until(() => announced() === 'Archive or bring back: Ctrl+Shift+Y');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Change Ctrl+Shift+Y');
  expect(await violations()).toEqual([]);
  button('Done').click();
  await until(() => dialog() === null);
  expect(textOf()).toContain('1 command has changed shortcuts');

  press('Escape');
  await there('[role="option"]');
  press('j');
  await until(() => document.querySelector('[role="option"][aria-selected="true"]'));
  const chosen = find('[role="option"][aria-selected="true"]').dataset.threadId ?? '';
  await there('.reading-pane [aria-keyshortcuts="Control+Shift+y"]');
  expect(find('.reading-pane [aria-keyshortcuts="Control+Shift+y"]').title).toContain('(Ctrl+Shift+Y)');
  press('e');
  expect(row(Number(chosen))).toBeDefined();
  press('y', { ctrlKey: true, shiftKey: true });
  await until(() => snackbar().includes('archived'));
  press('?');
  await until(() => dialog()?.textContent?.includes('Shift'));
  await until(() => shown('archive')[0] === 'Ctrl+Shift+Y');
  press('Escape');
  await until(() => dialog() === null);
  press('k', { ctrlKey: true });
  await there('.palette');
  await until(() => find('.palette').textContent?.includes('Y'));
});

test('keys_of_another_command_are_swapped_taken_or_left', async () => {
  const { platform } = await settings('keys-threads');
  await openSection('keys-places');
  await record('Pin', 'Change p', 'e');
  await until(() => dialog()?.textContent?.includes('e is used by “Archive or bring back”') || recorder() === null);
  // A letter may begin two keys in sequence, so that the answer takes a moment.
  await until(() => dialog()?.textContent?.includes('e is used by “Archive or bring back”'));
  expect(await violations()).toEqual([]);
  button('Cancel').click();
  await until(() => hasButton('Change p'));
  expect(platform.now.keys).toEqual({});

  await record('Pin', 'Change p', 'e');
  await until(() => hasButton('Swap'));
  button('Swap').click();
  await until(() => shown('pin')[0] === 'e' && shown('archive')[0] === 'p');
  expect(platform.now.keys).toEqual({ pin: ['e'], archive: ['p'] });

  button('Reset to defaults').click();
  await until(() => shown('pin')[0] === 'p');
  expect(shown('archive'), 'it had to give its key back').toEqual([]);
  button('Done').click();
  await until(() => dialog() === null);

  // One letter stands in the way of seven sequences: there is nothing to give for them.
  await record('Snooze', 'Change h', 'g');
  await until(() => hasButton('Use it here'));
  expect(hasButton('Swap')).toBe(false);
  button('Use it here').click();
  await until(() => shown('snooze')[0] === 'g');
  expect(shown('go-inbox')).toEqual([]);
  button('Done').click();
  await until(() => dialog() === null);
  button('Reset all').click();
  await until(() => shown('go-inbox')[0] === 'g+i' && shown('archive')[0] === 'e');
  expect(platform.now.keys).toEqual({});
  press('z');
  await until(() => shown('snooze')[0] === 'g');
});

test('two_keys_in_sequence_are_one_way_and_a_way_more_is_added', async () => {
  const { platform } = await settings('keys-threads');
  await record('Archive or bring back', 'Add shortcut…', 'x', { altKey: true });
  await until(() => textOf('[role="dialog"]').includes('This shortcut cannot be used'));
  press('w');
  await until(() => textOf('[role="dialog"]').includes('or press one more'));
  press('d');
  await until(() => shown('archive').join() === 'e,w+d');
  expect(platform.now.keys).toEqual({ archive: ['e', 'w d'] });
  button('Remove e').click();
  await until(() => shown('archive').join() === 'w+d');
});

test('keys_that_dialogs_and_fields_need_stay', async () => {
  const { platform } = await settings('keys-threads');
  await record('Pin', 'Change p', 'Enter');
  await until(() => textOf('[role="dialog"]').includes('Enter can’t be changed'));
  press('c', { ctrlKey: true });
  await until(() => textOf('[role="dialog"]').includes('Ctrl+C can’t be changed'));
  press('+', { ctrlKey: true });
  await until(() => hasButton('Use it here'));
  expect(platform.now.scale.zoom, 'keys are recorded, not obeyed').toBe(100);
  button('Cancel').click();
  await until(() => hasButton('Change p'));
  button('Change p').click();
  await until(recorder);
  press('Escape');
  await until(() => recorder() === null);
  expect(dialog(), 'Esc gave up the recording alone').not.toBeNull();
  press('Escape');
  await until(() => dialog() === null);
  expect(hasButton('Change shortcuts: Go back one step'), 'Esc is fixed').toBe(false);
  button('Change shortcuts: Open in the reading pane').click();
  await until(dialog);
  expect(hasButton('Change Enter')).toBe(false);
  expect(asked(platform, 'settings')).toEqual([]);
});

test('a_letter_that_leads_to_another_pane_is_text_in_a_field', async () => {
  const { stores } = await open();
  await stores.settings.change({ keys: { pane: ['q'], search: ['f'] } });
  press('f');
  await until(() => document.activeElement?.matches('input[type="search"]'));
  const event = new KeyboardEvent('keydown', { key: 'q', bubbles: true, cancelable: true });
  document.activeElement?.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(false);
  press('Escape');
  await until(() => !document.activeElement?.matches('input'));
  press('k', { ctrlKey: true });
  await there('.palette');
  press('f');
  expect(document.querySelector('.palette'), 'the palette takes letters as text').not.toBeNull();
});

test('what_an_imported_file_gives_to_two_commands_is_said', async () => {
  const { stores } = await settings('keys-threads');
  await stores.settings.change({ keys: { pin: ['e'] } });
  await until(() => find('[data-shortcut="pin"]').textContent?.includes('Also used by “Archive or bring back”'));
});

test('keys_are_told_apart_by_what_is_held_down', () => {
  const key = (key: string, more: KeyboardEventInit = {}) => keyOf(new KeyboardEvent('keydown', { key, ...more }));
  expect(key('k', { ctrlKey: true })).toBe('Mod+k');
  expect(key('K', { ctrlKey: true }), 'Caps Lock').toBe('Mod+k');
  expect(key('K', { ctrlKey: true, shiftKey: true })).toBe('Mod+Shift+k');
  expect(key('+', { ctrlKey: true, shiftKey: true })).toBe('Mod++');
  expect(key('ArrowUp', { altKey: true, shiftKey: true })).toBe('Alt+Shift+ArrowUp');
  expect([key('?', { shiftKey: true }), key('N', { shiftKey: true }), key('F6', { shiftKey: true })]).toEqual([
    '?',
    'Shift+N',
    'Shift+F6',
  ]);
});
