// Tests of rules that every style keeps: where it stands, what may scroll, and that the focus is seen.
import { expect, test } from 'vitest';
import { trackModality } from '../src/dom/modality';
import { ARTICLE, CREW, openArticle } from './support/article';
import { resize } from './support/document';
import { find, open, row, there, until } from './support/page';
import { filesByClass, globalSelectors, rules, source, styleOf, withoutSheets } from './support/styles';

/** What scrolls: panes, what is long inside of them, menus and dialogs, and fields. */
const SCROLLING = [
  '.asking',
  '.attachment-text',
  '.composer .text',
  '.composer-files',
  '.dialog-body',
  '.form',
  '.is-settings .scroll',
  '.md .table',
  '.md pre',
  '.menu',
  '.palette-list',
  '.popover',
  '.scroll',
  '.tried',
  'body:has(.scrim) .scroll',
  'textarea.field',
];

/** The classes of highlighted code, and the sizes of avatars, whose names are put together. */
const PUT_TOGETHER = /^(hl-.*|language_|[ac]\d+)$/;

test('every_class_that_is_styled_for_the_whole_page_is_used', () => {
  // A class that a component styles for itself alone is checked when the component is compiled.
  const styled = new Set(globalSelectors.flatMap((selector) => selector.match(/\.[a-z_][\w-]*/gi) ?? []));
  const words = new Set(source.match(/[\w-]+/g));
  const dead = [...styled].map((one) => one.slice(1)).filter((one) => !words.has(one) && !PUT_TOGETHER.test(one));
  expect(dead).toEqual([]);
});

test('a_class_is_styled_in_one_file', () => {
  const several = [...filesByClass()].filter(([, files]) => files.size > 1);
  expect(several.map(([name, files]) => [name, ...files])).toEqual([]);
});

test('each_part_of_the_page_comes_with_the_style_sheets_of_its_classes', () => {
  expect(withoutSheets()).toEqual([]);
});

test('no_style_asks_what_is_in_an_element_for_what_is_around_it', () => {
  // With `:has(:is(.outside .inside))` WebKit looks anew at the styles of the whole page at each change of it.
  const inside = /:has\([^()]*:(?:is|where|not)\((?:[^()]|\([^()]*\))*(?<![\s,(])[\s>+~]+(?![\s,)])/;
  expect(inside.test('.pane:has(> .scroll:is(:focus-visible, :where(.by-key) :focus))')).toBe(true);
  expect(rules.map(({ selector }) => selector).filter((selector) => inside.test(selector))).toEqual([]);
});

test('nothing_but_the_panes_and_what_is_in_them_can_be_scrolled', () => {
  // What is merely hidden can still be scrolled by a focus or a script, and stays so; what is clipped cannot.
  const scrolled = rules.filter(({ declarations }) =>
    ['overflow', 'overflow-x', 'overflow-y'].some((one) => /auto|scroll|hidden/.test(declarations.get(one) ?? '')),
  );
  expect([...new Set(scrolled.map((rule) => rule.selector))].sort()).toEqual([...SCROLLING, 'html'].sort());
  expect(styleOf('body', 'overflow')).toBe('clip');
  expect(styleOf('body', 'position'), 'what is placed absolutely beside the window is clipped too').toBe('relative');
  expect(styleOf('.window', 'overflow')).toBe('clip');
  expect(styleOf('.scroll', 'position'), 'what is placed absolutely in a pane lengthens nothing else').toBe('relative');
});

test('what_scrolls_in_a_dialog_or_a_menu_shows_that_there_is_more_below_and_nothing_at_its_end', () => {
  for (const part of ['.dialog-body', '.form', '.menu', '.palette-list'])
    expect(styleOf(part, 'background'), part).toContain('var(--more-below)');
  // The first layer scrolls with the content, so that its end covers the second one.
  const [cover, shadow] = (styleOf(':root', '--more-below') ?? '').split(/,\s+(?=linear)/);
  expect(cover).toMatch(/^linear-gradient\(transparent, var\(--bg-raised\) \d+px\) bottom .* local$/);
  expect(shadow).toMatch(
    /^linear-gradient\(transparent, light-dark\(var\(--line-control\), rgb\(0 0 0 \/ 0\.4\)\)\) bottom .* scroll$/,
  );
  // It begins by degrees, so that no edge cuts the shadow, and hides it before the last pixels are scrolled away.
  const [fades = 0, covers = 0] = [...(cover ?? '').matchAll(/(\d+)px/g)].map(([, px]) => Number(px));
  const shaded = Number(/100% (\d+)px/.exec(shadow ?? '')?.[1]);
  expect(fades).toBeGreaterThan(0);
  expect(covers - fades - shaded).toBeGreaterThanOrEqual(8);
});

test('an_empty_place_has_its_ring_round_its_title', () => {
  const focused = '.empty:is(:focus-visible, :where(.by-key) :focus)';
  expect(styleOf(focused, 'outline')).toBe('none');
  expect(styleOf(`${focused} > b`, 'outline')).toBe('2px solid var(--focus)');
  // It touches neither the title nor the hint below, which is 4px away.
  expect(styleOf(`${focused} > b`, 'outline-offset')).toBe('0');
  expect(styleOf('.empty', 'gap')).toBe('var(--s1)');
  expect(styleOf('.empty b', 'padding-inline')).toBe('var(--s2)');
});

test('a_focused_pane_has_a_whole_ring_that_nothing_covers_and_a_dialog_has_none', () => {
  for (const pane of ['.pane:has(> .scroll:focus-visible)', ':where(.by-key) .pane:has(> .scroll:focus)']) {
    expect(styleOf(`${pane}::after`, 'border')).toBe('2px solid var(--focus)');
    expect(styleOf(`${pane}::after`, 'inset')).toBe('0');
  }
  const dialogs = ['.dialog:focus', '.dialog-body:is(:focus-visible, :where(.by-key) :focus)'];
  for (const dialog of dialogs) expect(styleOf(dialog, 'outline'), dialog).toBe('none');
  expect(rules.filter(({ selector }) => selector.startsWith('.dialog:has('))).toEqual([]);
  expect(
    styleOf('.chip > button:is(:focus-visible, :where(.by-key) :focus)', 'outline-offset'),
    'a chip cuts what sticks out',
  ).toBe('-2px');
});

test('a_conversation_has_a_measure_in_a_wide_window', () => {
  for (const part of ['.conversation', '.composer'])
    expect(styleOf(part, 'max-width'), part).toContain('var(--measure)');
  expect(styleOf('.conversation', 'padding'), 'messages and composer have the same edges').toContain('var(--edge)');
  for (const way of ['width', 'max-width']) expect(styleOf('.composer', way), way).toContain('2 * var(--edge)');
});

test('the_snackbar_stands_above_the_composer_however_tall_that_is', async () => {
  expect(styleOf('.window:has(.composer) > .snackbar', 'margin-block-end')).toContain('var(--composer-h');
  await open(`open=${CREW}`);
  await there('.composer');
  resize(find('.composer'), 212);
  resize(find('.composer + .composer-hint'), 28);
  const room = () => document.documentElement.style.getPropertyValue('--composer-h');
  await until(() => room() === '240px');
  row(ARTICLE).click();
  await until(() => document.querySelector('.composer') === null);
  expect(room()).toBe('');
});

test('a_page_has_room_for_a_snackbar_only_while_there_is_one', () => {
  const pages = rules.filter(({ selector }) => selector === '.prefs');
  expect(pages.map(({ declarations }) => declarations.get('padding'))).toEqual(['var(--s8)', 'var(--s4)']);
  expect(styleOf('.window:has(> .snackbar) .prefs', 'padding-block-end')).toBe('var(--snackbar-room)');
});

test('the_times_of_items_are_flush_at_the_end_of_their_line', async () => {
  expect(styleOf('.item-head > .item-tools', 'margin-inline-start')).toBe('auto');
  expect(styleOf('.item-head time', 'text-align')).toBe('end');
  expect(styleOf('.item-head > :not(b)', 'flex')).toBe('none');
  await openArticle();
  expect(find('.item-head').lastElementChild?.tagName).toBe('TIME');
});

test('until_when_toasts_are_held_back_is_never_cut_and_a_rail_leaves_other_texts_to_screen_readers', async () => {
  expect(styleOf('.sync.wide', 'height')).toBe('auto');
  expect(styleOf('.sync:not(.wide) > span', 'display')).toBeUndefined();
  expect(styleOf('.sync:not(.wide) > span', 'clip-path')).toBe('inset(50%)');
  const { platform } = await open();
  const silence = () => document.querySelector<HTMLElement>('[data-testid="silence"]');
  platform.emit({ event: 'sync', sync: { ...platform.sync, paused_until: 0 }, sources: platform.sources });
  await until(silence);
  expect(silence()?.title).toContain(silence()?.textContent?.trim());
  expect(silence()?.querySelector('.ellipsis')).toBeNull();
  expect(find('[data-testid="sync"]').title).toBe(find('[data-testid="sync"]').textContent?.trim());
});

test('the_page_knows_whether_a_key_or_the_pointer_was_used_last', () => {
  const root = document.createElement('div');
  trackModality(root);
  const after = (event: Event) => {
    document.body.dispatchEvent(event);
    return root.classList.contains('by-key');
  };
  const pressed = (key: string) => after(new KeyboardEvent('keydown', { key, bubbles: true }));
  const clicked = () => after(new MouseEvent('pointerdown', { bubbles: true }));
  expect(root.classList.contains('by-key'), 'at the start').toBe(false);
  expect(pressed('Shift'), 'it may belong to a click').toBe(false);
  expect(pressed('j')).toBe(true);
  expect(pressed('Control'), 'a key was the last').toBe(true);
  expect(clicked()).toBe(false);
  expect(pressed('Control')).toBe(false);
  expect(pressed('Tab')).toBe(true);
});

test('no_ring_of_the_focus_is_a_mere_edge', () => {
  const edges = rules.filter(
    ({ selector, declarations }) =>
      selector.includes(':focus') && /inset 2px 0/.test(declarations.get('box-shadow') ?? ''),
  );
  expect(edges.map((rule) => rule.selector)).toEqual([]);
});
