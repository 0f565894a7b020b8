// Tests of zoom and size of text: their keys, their settings, and what they change.
import { expect, test } from 'vitest';
import { heightsOf } from '../src/features/list/rows/geometry';
import { ariaShortcuts, keyHint } from '../src/shortcuts';
import { nextZoom, TEXT_SIZES } from '../src/state/settings/zoom';
import { announced, open, press, rows, snackbar, there, until } from './support/page';
import { choose, dialog, settings, textOf } from './support/settings';
import { rules, styleOf } from './support/styles';

const ctrl = (key: string) => press(key, { ctrlKey: true });

test('the_keys_of_browsers_zoom_in_steps_say_the_value_and_take_it_back', async () => {
  const { platform } = await open();
  const zoom = () => platform.now.scale.zoom;
  ctrl('+');
  await until(() => zoom() === 110);
  await until(() => snackbar().includes('Zoom 110%') && announced() === 'Zoom 110%');
  ctrl('=');
  await until(() => zoom() === 125);
  ctrl('0');
  await until(() => zoom() === 100);
  ctrl('-');
  await until(() => zoom() === 90 && snackbar().includes('Zoom 90%'));
  expect(platform.now.scale.text, 'text has a size of its own').toBe(100);

  // The keys work in a text field, and over a dialog.
  ctrl('f');
  await until(() => document.activeElement?.matches('input[type="search"]'));
  ctrl('0');
  await until(() => zoom() === 100);
  press('Escape');
  await until(() => !document.activeElement?.matches('input'));
  press('?');
  await until(dialog);
  ctrl('+');
  await until(() => zoom() === 110);
  expect(dialog()).not.toBeNull();
});

test('a_zoom_ends_at_its_least_and_its_largest_step', () => {
  const walk = (by: 1 | -1) => {
    const seen = [100];
    for (let at = nextZoom(100, by); at !== seen.at(-1); at = nextZoom(at, by)) seen.push(at);
    return seen;
  };
  expect(walk(1)).toEqual([100, 110, 125, 150, 175, 200, 250, 300]);
  expect(walk(-1)).toEqual([100, 90, 80, 75, 67, 50]);
  expect([nextZoom(133, 1), nextZoom(133, -1)]).toEqual([150, 125]);
  expect([keyHint('zoom-in'), ariaShortcuts('zoom-in')]).toEqual(['Ctrl++', 'Control+Plus Control+=']);
});

test('the_settings_have_zoom_and_size_of_text', async () => {
  const { platform } = await settings('general');
  choose('Zoom', '200');
  await until(() => platform.now.scale.zoom === 200 && textOf().includes('200%'));
  choose('Text size', '150');
  await until(() => platform.now.scale.text === 150);
  expect(document.documentElement.style.getPropertyValue('--text-scale')).toBe('1.5');
  choose('Text size', '100');
  await until(() => document.documentElement.style.getPropertyValue('--text-scale') === '');
});

test('the_list_has_rows_as_high_as_their_text_needs', async () => {
  const { platform, stores } = await open();
  const tops = () => rows().map((row) => Number.parseFloat(row.style.top));
  const apart = () => (tops()[1] ?? 0) - (tops()[0] ?? 0);
  expect(apart()).toBe(64);
  await stores.settings.change({ scale: { zoom: 100, text: 200 } });
  await until(() => apart() === 128);
  await stores.settings.change({ scale: { zoom: 100, text: 90 } });
  await until(() => apart() === 64);
  expect(platform.now.scale.text).toBe(90);
  document.documentElement.style.removeProperty('--text-scale');
  for (const text of TEXT_SIZES) {
    const { row, heading } = heightsOf({ density: 'compact', scale: { zoom: 100, text } });
    expect([row % 1, heading % 1], `whole px at ${text}%`).toEqual([0, 0]);
  }
  await there('.day');
});

test('every_text_has_the_size_that_was_chosen', () => {
  // Letters in an avatar belong to its picture.
  const fixed = rules.filter(({ selector, declarations }) => {
    const size = `${declarations.get('font') ?? ''} ${declarations.get('font-size') ?? ''}`;
    return /\d+px/.test(size) && !selector.includes('avatar');
  });
  expect(fixed.map(({ selector }) => selector)).toEqual([]);
  expect(styleOf(':root', '--t-m')).toBe('calc(13 * var(--u)) / calc(20 * var(--u)) var(--font)');
});
