// Tests that a dialog over the page receives every key from the moment in which it is requested.

import { tick } from 'svelte';
import { expect, test, vi } from 'vitest';
import * as lazy from '../src/features/lazy';
import type { Mark } from '../src/generated/Mark';
import { button, find, marks, open, press, rows, until } from './support/page';
import { chooseMenuItem, settings } from './support/settings';

const first = () => Number(rows()[0]?.dataset.threadId);

const dialogs = () => document.querySelectorAll('[role="dialog"]').length;

/** Presses keys as soon as a dialog is in the document: the focus is in it by then. */
async function asItOpens(ask: () => unknown, ...keys: readonly string[]): Promise<void> {
  const focused = new Promise<boolean>((done) => {
    const watch = new MutationObserver(() => {
      if (dialogs() === 0) return;
      watch.disconnect();
      done(find('[role="dialog"]').contains(document.activeElement));
      for (const key of keys) press(key);
    });
    watch.observe(document.body, { childList: true, subtree: true });
  });
  await ask();
  expect(await focused).toBe(true);
}

const everywhere = [
  { over: 'the inbox, all keys', at: null, ask: () => press('?') },
  { over: 'the inbox, the palette', at: null, ask: () => press('k', { ctrlKey: true }) },
  { over: 'the inbox, a new conversation', at: null, ask: () => press('c') },
  { over: 'the settings, a new source', at: 'sources', ask: () => button('Add source').click() },
  { over: 'the settings, a name', at: 'sources', ask: () => chooseMenuItem('More for Work', 'edit') },
  { over: 'the settings, a question', at: 'sources', ask: () => chooseMenuItem('More for Work', 'remove') },
  { over: 'the settings, a restore', at: 'storage', ask: () => button('Restore…').click() },
] as const;

test.each(everywhere)('escape_as_a_dialog_opens_closes_it_and_nothing_behind_it: $over', async ({ at, ask }) => {
  const { stores } = at ? await settings(at) : await open();
  if (!at) stores.selection.set([first()]);
  await tick();
  await asItOpens(ask, 'Escape');
  await until(() => dialogs() === 0);
  expect(stores.navigation.view).toBe(at ? 'settings' : 'threads');
  expect(stores.selection.on).toBe(!at);
  // The next Escape goes to the page again.
  press('Escape');
  await until(() => (at ? stores.navigation.view === 'threads' : !stores.selection.on));
});

test('escape_while_a_dialog_is_still_read_in_means_that_it_never_opens', async () => {
  const { keys } = lazy;
  let readIn = () => {};
  const done = new Promise<void>((read) => (readIn = read));
  vi.spyOn(lazy, 'keys').mockImplementation(() => done.then(keys));
  const { stores } = await open();
  stores.selection.set([first()]);
  await tick();
  press('?');
  await tick();
  press('e');
  press('Escape');
  expect([stores.dialogs.keys, stores.selection.on]).toEqual([false, true]);
  readIn();
  await done.then(keys);
  await tick();
  expect(dialogs()).toBe(0);
  press('Escape');
  expect(stores.selection.on).toBe(false);
});

test('keys_pressed_as_a_dialog_opens_do_nothing_to_the_threads_behind_it', async () => {
  const { stores, platform } = await open();
  find('.list [role="listbox"]').focus();
  press('j');
  const before = stores.navigation.threadId;
  stores.dialogs.addSource = true;
  await tick();
  press('e');
  await asItOpens(() => {}, 'e', 'j', '#');
  await until(() => find('[role="dialog"]').contains(document.activeElement));
  expect(stores.navigation.threadId).toBe(before);
  // A slow machine shows the thread for long enough that it becomes read by itself.
  expect(marks(platform.asked).filter(([, , mark]) => (mark as Mark).op !== 'read')).toEqual([]);
});

test('a_question_that_comes_by_itself_has_the_keys_at_once', async () => {
  const { stores } = await settings('general');
  const button = { label: 'Deploy', opens: false, host: 'ci.example.org', method: 'POST' };
  await asItOpens(() => {
    stores.dialogs.action = { thread: 1, msgid: 'm1', index: 0, button, from: 'ci: Build' };
  }, 'Escape');
  await until(() => dialogs() === 0);
  expect([stores.navigation.view, stores.dialogs.action]).toEqual(['settings', null]);
});
