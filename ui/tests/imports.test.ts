// Tests of the import of sources from other programs, and of the export of feeds.
import { expect, test } from 'vitest';
import { violations } from './support/axe';
import { asked, button, fill, find, hasButton, type Opened, open, press, snackbar, there, until } from './support/page';
import { dialog, fieldError, fillField, settings, submit, textOf } from './support/settings';

const line = (at: number) => find(`[data-import="${at}"]`);
const box = (at: number) => find(`[data-import="${at}"] [role="checkbox"]`);
const words = (at: number) => textOf(`[data-import="${at}"]`);
const calls = (platform: Opened['platform'], what: string) => asked(platform, what).map(([, ...args]) => args);
const names = () => [...document.querySelectorAll('.source-name b')].map((one) => one.textContent);

test('what_a_file_has_is_shown_before_anything_is_added_and_each_line_says_what_became_of_it', async () => {
  const { platform } = await settings('other-programs');
  find('[data-import-sources]').click();
  await until(dialog);
  expect(textOf('[role="dialog"] h2')).toBe('Import from sources.opml');
  expect(words(0)).toContain('Rust Blog Feed (RSS, Atom, JSON) · https://blog.rust-lang.org/feed.xml');
  expect(textOf('.import-left')).toBe('Skipped (not a source): My script, bitbucket.org and 3 more');
  expect(words(4)).toContain('Already added, as “Daily news”');
  expect([0, 1, 2, 3].map((at) => box(at).ariaChecked)).toEqual(['true', 'true', 'true', 'true']);
  expect(line(4).querySelector('[role="checkbox"]'), 'what is here already').toBeNull();
  expect(calls(platform, 'addImported')).toEqual([]);
  expect(await violations()).toEqual([]);

  button('Add 4').click();
  await until(() => textOf('.import-done') === '2 added, 2 not added');
  expect(words(0)).toContain('Added as “Rust Blog”. Connected');
  expect(words(1)).toContain('nowhere.example does not answer');
  expect(fieldError('Token for mona@codeberg.org')).toContain('Enter a token');
  expect(line(0).querySelector('[role="checkbox"]')).toBeNull();
  expect(names()).toEqual(expect.arrayContaining(['Rust Blog', 'nas-01']));
  expect(names()).not.toContain('Gone');
  expect(await violations()).toEqual([]);

  // What was refused stays chosen, to be tried again.
  box(1).click();
  fillField('Token for mona@codeberg.org', ' tk_mona ');
  submit();
  await until(() => textOf('.import-done') === '3 added, 1 not added');
  expect(calls(platform, 'addImported')).toEqual([
    [1, 0, '', false],
    [1, 1, '', false],
    [1, 3, '', false],
    [1, 2, 'tk_mona', true],
  ]);
  button('Close', find('.dialog-foot')).click();
  await until(() => dialog() === null);
  expect(calls(platform, 'endImport')).toEqual([[1]]);
});

test('all_lines_are_chosen_or_none_and_a_token_that_was_typed_is_not_lost_by_accident', async () => {
  await settings('other-programs');
  find('[data-import-sources]').click();
  await until(dialog);
  button('All 4').click();
  await until(() => box(0).ariaChecked === 'false');
  expect(button('Add', find('.dialog-foot')).disabled).toBe(true);
  box(2).click();
  await there('[data-import="2"] input');
  fillField('Token for mona@codeberg.org', 'tk_mona');
  button('Close', find('.dialog-foot')).click();
  await until(() => document.querySelectorAll('[role="dialog"]').length === 2);
});

test('a_file_without_sources_and_a_file_of_no_known_program_are_told', async () => {
  const { platform } = await settings('other-programs');
  platform.imports.view = { id: 2, file: 'client.yml', lines: [], left_out: [], left_out_count: 0 };
  find('[data-import-sources]').click();
  await until(dialog);
  expect(textOf('[role="dialog"] .form')).toBe('This file has no sources');
  expect(hasButton('Add', dialog() ?? document)).toBe(false);
  button('Close', find('.dialog-foot')).click();
  await until(() => dialog() === null);

  platform.imports.refusal = 'x.txt is neither OPML nor the settings of a known program';
  find('[data-import-sources]').click();
  await until(() => snackbar().includes('x.txt is neither OPML'));
  platform.imports.refusal = null;
  platform.imports.view = null;
  find('[data-import-sources]').click();
  await until(() => asked(platform, 'readImport').length === 3);
  expect(dialog()).toBeNull();
});

test('feeds_are_exported_where_there_are_any', async () => {
  const { platform } = await settings('other-programs');
  expect(document.querySelector('[data-export-feeds]')).toBeNull();
  const [first] = platform.sources;
  if (!first) throw new Error('there is a source');
  platform.sources = [...platform.sources, { ...first, id: 90, own: false, protocol: 'feed', name: 'Daily' }];
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  await there('[data-export-feeds]');
  find('[data-export-feeds]').click();
  await until(() => snackbar().includes('3 feeds exported'));
});

test('an_import_starts_from_the_palette_too_in_chinese', async () => {
  await open('lang=zh');
  press('k', { ctrlKey: true });
  await there('.palette input');
  fill(find<HTMLInputElement>('.palette input'), '导入来源');
  await until(() => find('.palette [role="option"]').textContent?.includes('导入来源'));
  find('.palette [role="option"]').click();
  await until(() => document.querySelector('[role="dialog"] h2')?.textContent === '从 sources.opml 导入');
  expect(textOf('.import-left')).toBe('已跳过（不是来源）：My script、bitbucket.org，另有 3 项');
});

test('an_address_of_ones_own_network_is_asked_only_if_it_is_chosen', async () => {
  const { platform } = await settings('other-programs');
  const view = platform.imports.view;
  if (!view) throw new Error('there is a file');
  platform.imports.view = {
    ...view,
    lines: view.lines.map((line, at) => (at === 0 ? { ...line, private: true } : line)),
  };
  find('[data-import-sources]').click();
  await until(dialog);
  expect(box(0).ariaChecked).toBe('false');
  expect(words(0)).toContain('On this computer or its network');
  button('All 3').click();
  await until(() => box(1).ariaChecked === 'false');
  expect(box(0).ariaChecked).toBe('false');
  box(0).click();
  await until(() => hasButton('Add 1'));
  button('Add 1').click();
  await until(() => textOf('.import-done') === '1 added');
  expect(calls(platform, 'addImported')).toEqual([[1, 0, '', true]]);
});
