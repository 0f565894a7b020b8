// Tests that every pair of colours set on each other has the contrast of WCAG 2.2 AA in both themes. The contrast is
// higher if the desktop asks for that.
import { expect, test } from 'vitest';
import css from '../src/styles/tokens.css?raw';

type Colours = Map<string, readonly [light: string, dark: string]>;

const [usual = '', more = ''] = css.split('@media (prefers-contrast: more)');

function coloursIn(text: string): Colours {
  const found = text.matchAll(/--([\w-]+):\s*light-dark\((#\w{6}),\s*(#\w{6})\)/g);
  return new Map([...found].map(([, name = '', light = '', dark = '']) => [name, [light, dark]]));
}

/** The tokens by contrast preference: those for more contrast override the usual ones. */
const tokens = { usual: coloursIn(usual), more: new Map([...coloursIn(usual), ...coloursIn(more)]) };

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** A description of each pair whose contrast ratio is below `least`. */
function short(colours: Colours, fronts: readonly string[], backs: readonly string[], least: number): string[] {
  const of = (name: string) => {
    const found = colours.get(name);
    if (!found) throw new Error(`no token is called ${name}`);
    return found;
  };
  return fronts.flatMap((front) =>
    backs.flatMap((back) =>
      ([0, 1] as const).flatMap((theme) => {
        const is = ratio(of(front)[theme], of(back)[theme]);
        return is < least ? [`${front} on ${back}, ${theme ? 'dark' : 'light'}: ${is.toFixed(2)}`] : [];
      }),
    ),
  );
}

const surfaces = ['window', 'pane', 'raised', 'sunken', 'hover', 'place', 'selected', 'place-hover'].map(
  (name) => `bg-${name}`,
);
const wells = ['bg-sunken', 'bg-bubble', 'bg-bubble-own'];
const code = ['code-key', 'code-name', 'code-text', 'code-number'];

test.each<[string, string[], string[], number]>([
  ['text', ['text', 'text-2', 'text-3'], surfaces, 4.5],
  ['text_in_boxes', ['text'], ['bg-press', 'bg-bubble', 'bg-bubble-own', 'bg-mark', 'bg-warn', 'bg-danger'], 4.5],
  ['supporting_text_in_boxes', ['text-2'], ['bg-press', 'bg-bubble', 'bg-pill-chosen'], 4.5],
  ['links', ['accent'], [...surfaces.filter((one) => one !== 'bg-place-hover'), ...wells], 4.5],
  ['states', ['danger', 'warn', 'ok'], ['bg-window', 'bg-pane', 'bg-hover', 'bg-selected', 'bg-raised'], 4.5],
  ['warnings', ['warn'], ['bg-warn'], 4.5],
  ['dangers', ['danger'], ['bg-danger', 'bg-sunken'], 4.5],
  ['primary_buttons', ['on-accent'], ['accent', 'accent-strong'], 4.5],
  ['snackbar', ['text-inverse', 'accent-inverse'], ['bg-inverse'], 4.5],
  ['code', [...code, 'text-3'], wells.slice(0, 1), 4.5],
  ['code_in_bubbles', code, wells, 4.5],
  ['control_edges', ['line-strong'], ['bg-pane', 'bg-window', 'bg-hover'], 3],
  ['focus', ['accent'], surfaces, 3],
])('%s', (_name, fronts, backs, least) => {
  expect(short(tokens.usual, fronts, backs, least)).toEqual([]);
});

test('people', () => {
  const tints = Array.from({ length: 8 }, (_, at) => `p${at}`);
  expect(tints.flatMap((tint) => short(tokens.usual, [`${tint}t`], [tint], 4.5))).toEqual([]);
});

test('whoever_asks_for_more_contrast_gets_it', () => {
  expect(short(tokens.more, ['text', 'text-3', ...code], ['bg-pane', 'bg-sunken', 'bg-bubble'], 7)).toEqual([]);
  expect(short(tokens.more, ['line'], ['bg-pane', 'bg-window'], 3)).toEqual([]);
});
