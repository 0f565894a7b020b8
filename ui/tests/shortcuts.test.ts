// Tests that shortcuts are written in the table of shortcuts and nowhere else.
import { expect, test } from 'vitest';
import { ariaShortcuts, keyHint, type Shortcut, shortcuts } from '../src/shortcuts';
import { find, open, there } from './support/page';

const sources = import.meta.glob<string>(['../src/**/*.{ts,svelte}', '!../src/{generated,platform}/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

test('no_key_is_written_outside_the_table', () => {
  const written =
    /<kbd>[^{↑↓]*[\w?/][^{]*<\/kbd>|aria-keyshortcuts="|shortcut=\{?['"][^'"]\W?['"]|event\.key === '[\w?/]'/g;
  for (const [file, text] of Object.entries(sources)) {
    const found = [...text.matchAll(written)].map(([one]) => one).filter((one) => one !== '<kbd>Enter</kbd>');
    expect(found, file).toEqual([]);
  }
});

test('every_shortcut_means_one_thing', () => {
  const global = (Object.keys(shortcuts) as Shortcut[]).filter((one) => one !== 'send');
  const keys: string[] = global.flatMap((one) => [...shortcuts[one]]);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

test('a_button_says_its_key_to_the_eye_and_to_screen_readers', async () => {
  await open('open=2');
  await there('.sheet');
  const archive = find('.reading-pane [aria-keyshortcuts="e"]');
  expect(archive.title).toBe('Archive: Rust in 2026 (e)');
  expect(archive.getAttribute('aria-label')).toBe('Archive (e)');
  expect([keyHint('settings'), ariaShortcuts('settings')]).toEqual(['Ctrl+,', 'Control+,']);
  expect([keyHint('go-inbox'), ariaShortcuts('go-inbox')]).toEqual(['g+i', undefined]);
  expect([keyHint('space'), ariaShortcuts('space')]).toEqual(['Space', 'Space']);
});
