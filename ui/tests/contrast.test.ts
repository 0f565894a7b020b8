// Tests that every pair of colours set on each other has the contrast of WCAG 2.2 AA in both themes, and that the documents
// say how much. The contrast is higher if the desktop asks for that.
import { expect, test } from 'vitest';
import css from '../src/styles/tokens.css?raw';
import { documentOf } from './support/documents';
import { rules, styleOf } from './support/styles';

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

type Pair = readonly [front: string, back: string];

function contrast(colours: Colours, pair: Pair, theme: 0 | 1): number {
  const [front = '', back = ''] = pair.map((name) => {
    const found = colours.get(name);
    if (!found) throw new Error(`no token is called ${name}`);
    return found[theme];
  });
  return ratio(front, back);
}

/** A description of each pair whose contrast ratio is below `least`. */
function short(colours: Colours, pairs: readonly Pair[], least: number): string[] {
  return pairs.flatMap((pair) =>
    ([0, 1] as const).flatMap((theme) => {
      const is = contrast(colours, pair, theme);
      return is < least ? [`${pair.join(' on ')}, ${theme ? 'dark' : 'light'}: ${is.toFixed(2)}`] : [];
    }),
  );
}

const surfaces = ['window', 'pane', 'raised', 'sunken', 'hover', 'place', 'selected', 'place-hover'].map(
  (name) => `bg-${name}`,
);
const wells = ['bg-sunken', 'bg-bubble', 'bg-bubble-own'];
const code = ['code-key', 'code-name', 'code-text', 'code-number'];

/** The pairs of a group: each of its fronts on each of its backs. */
const crossed = (fronts: readonly string[], backs: readonly string[]) =>
  fronts.flatMap((front) => backs.map((back): Pair => [front, back]));

/** The groups of pairs, with their names in the documents and the least ratio. */
const groups: readonly [en: string, zh: string, pairs: readonly Pair[], least: number][] = [
  [
    'Text on panes, lists, menus and dialogs',
    '窗格、列表、菜单和对话框上的文字',
    crossed(['text', 'text-2', 'text-3'], surfaces),
    4.5,
  ],
  [
    'Text in boxes',
    '框内的文字',
    crossed(['text'], ['bg-press', 'bg-bubble', 'bg-bubble-own', 'bg-mark', 'bg-warn', 'bg-danger', 'bg-segment']),
    4.5,
  ],
  ['Supporting text in boxes', '框内的辅助文字', crossed(['text-2'], ['bg-press', 'bg-bubble', 'bg-pill-chosen']), 4.5],
  ['Links', '链接', crossed(['accent'], [...surfaces.filter((one) => one !== 'bg-place-hover'), ...wells]), 4.5],
  [
    'Names of states',
    '状态',
    crossed(['danger', 'warn', 'ok'], ['bg-window', 'bg-pane', 'bg-hover', 'bg-selected', 'bg-raised']),
    4.5,
  ],
  ['Warnings', '警告', crossed(['warn'], ['bg-warn']), 4.5],
  ['Errors', '错误', crossed(['danger'], ['bg-danger', 'bg-sunken']), 4.5],
  ['Primary buttons', '主要按钮', crossed(['on-accent'], ['accent', 'accent-strong']), 4.5],
  ['Short messages at the foot', '底部的短消息', crossed(['text-inverse', 'accent-inverse'], ['bg-inverse']), 4.5],
  ['Code', '代码', crossed([...code, 'text-3'], ['bg-sunken']), 4.5],
  ['Code in bubbles', '气泡中的代码', crossed(code, wells), 4.5],
  ['Initials of people', '人名缩写', Array.from({ length: 8 }, (_, at): Pair => [`p${at}t`, `p${at}`]), 4.5],
  ['Edges of controls', '控件的边框', crossed(['line-strong'], ['bg-pane', 'bg-window', 'bg-hover']), 3],
  ['The ring of the focus', '焦点框', crossed(['accent'], surfaces), 3],
];

test.each(groups)('%s', (_en, _zh, pairs, least) => {
  expect(short(tokens.usual, pairs, least)).toEqual([]);
});

test('what_a_rule_writes_on_a_colour_has_the_contrast_of_text', () => {
  const token = (value = '') => /^var\(--([\w-]+)\)$/.exec(value)?.[1] ?? '';
  const written = rules.flatMap(({ selector, declarations }): [string, Pair][] => {
    const pair: Pair = [token(declarations.get('color')), token(declarations.get('background'))];
    // The sign of a check box is not to be seen before the box is filled.
    return pair.every((one) => tokens.usual.has(one)) && selector !== '.check' ? [[selector, pair]] : [];
  });
  expect(written.length).toBeGreaterThan(20);
  expect(written.filter(([, pair]) => short(tokens.usual, [pair], 4.5).length > 0)).toEqual([]);
});

test('the_shape_of_an_avatar_is_told_from_the_colour_of_what_is_chosen', () => {
  const edge = styleOf('.is-selected .avatar:not(.stack, .picture)', 'box-shadow') ?? '';
  const share =
    Number(/^inset 0 0 0 1px color-mix\(in srgb, currentColor (\d+)%, transparent\)$/.exec(edge)?.[1]) / 100;
  /** A colour laid over another one, as the edge over its avatar. */
  const over = (front: string, back: string) =>
    [1, 3, 5]
      .map((at) => [front, back].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16)))
      .map(([one = 0, other = 0]) => Math.round(one * share + other * (1 - share)))
      .reduce((hex, part) => hex + part.toString(16).padStart(2, '0'), '#');
  const tints = Array.from({ length: 8 }, (_, at): Pair => [`p${at}t`, `p${at}`]);
  for (const theme of [0, 1] as const)
    for (const pair of [...tints, ['text-2', 'bg-press'] as Pair]) {
      const colours = [...pair, 'bg-selected'].map((one) => tokens.usual.get(one)?.[theme]);
      const [front = '', back = '', chosen = ''] = colours;
      expect(ratio(over(front, back), chosen), `${pair[1]}, ${theme ? 'dark' : 'light'}`).toBeGreaterThan(1.8);
    }
});

test('the_documents_have_the_least_contrast_of_each_group', () => {
  const tenths = (value: number) => (Math.floor(value * 10) / 10).toFixed(1);
  const least = (pairs: readonly Pair[], theme: 0 | 1) =>
    tenths(Math.min(...pairs.map((pair) => contrast(tokens.usual, pair, theme))));
  const table = (head: string, name: 0 | 1) =>
    [
      head,
      '|---|---|---|---|',
      ...groups.map((one) => `| ${one[name]} | ${one[3]} | ${least(one[2], 0)} | ${least(one[2], 1)} |`),
    ].join('\n');
  expect(documentOf('accessibility')).toContain(table('| what | has to reach | light | dark |', 0));
  expect(documentOf('zh-CN/accessibility')).toContain(table('| 内容 | 应达到 | 浅色 | 深色 |', 1));
});

test('whoever_asks_for_more_contrast_gets_it', () => {
  const texts = crossed(['text', 'text-3', ...code], ['bg-pane', 'bg-sunken', 'bg-bubble']);
  expect(short(tokens.more, texts, 7)).toEqual([]);
  expect(short(tokens.more, crossed(['line'], ['bg-pane', 'bg-window']), 3)).toEqual([]);
});
