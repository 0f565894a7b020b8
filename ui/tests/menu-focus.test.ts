// Tests that a menu and a list of suggestions have one highlight, which the pointer and the keys move.
import { expect, test } from 'vitest';
import { fill, find, open, press, there, until } from './support/page';
import { rules, styleOf } from './support/styles';

const point = (target: Element) => target.dispatchEvent(new MouseEvent('pointermove', { bubbles: true }));
const rest = (target: Element) => {
  const event = new MouseEvent('pointermove', { bubbles: true });
  for (const way of ['movementX', 'movementY']) Object.defineProperty(event, way, { value: 0 });
  target.dispatchEvent(event);
};

async function moreMenu() {
  const opened = await open('open=2');
  await there('.sheet');
  find('.reading-pane [aria-label="More"]').click();
  await there('[role="menu"]');
  const [first, second, third] = [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  if (!first || !second || !third) throw new Error('the menu has too few lines');
  return { ...opened, first, second, third };
}

test('the_pointer_and_the_keys_move_the_same_highlight', async () => {
  const { first, second, third } = await moreMenu();
  point(third);
  expect(document.activeElement).toBe(third);
  press('ArrowUp');
  expect(document.activeElement).toBe(second);
  press('ArrowUp');
  expect(document.activeElement).toBe(first);
});

test('a_pointer_that_rests_where_a_menu_opens_changes_nothing', async () => {
  const { third } = await moreMenu();
  const before = document.activeElement;
  rest(third);
  expect(document.activeElement).toBe(before);
});

test('the_highlight_is_the_focus_also_after_a_click_and_no_other_line_has_one', () => {
  const highlighting = rules.filter(
    ({ selector, declarations }) => selector.includes('.menu-item') && declarations.has('background'),
  );
  const selectors = highlighting.flatMap(({ selector }) => selector.split(/,\s*/));
  expect(selectors.filter((one) => one.includes(':hover'))).toEqual([]);
  expect(styleOf('.menu-item:focus', 'background')).toBe('var(--bg-selected)');
  expect(styleOf('.menu-item:is(:focus-visible, :where(.by-key) :focus)', 'outline'), 'it has its ring, too').not.toBe(
    'none',
  );
});

test('suggestions_have_one_highlight_too', async () => {
  await open();
  press('/');
  await there('input[type="search"]');
  fill(find<HTMLInputElement>('input[type="search"]'), 'is:');
  await until(() => document.querySelectorAll('.completions [role="option"]').length > 2);
  const lines = () => [...document.querySelectorAll<HTMLElement>('.completions [role="option"]')];
  const chosen = () => lines().flatMap((one, at) => (one.getAttribute('aria-selected') === 'true' ? at : []));
  press('ArrowDown');
  await until(() => chosen().join() === '0');
  const [, , third] = lines();
  if (third) point(third);
  await until(() => chosen().join() === '2');
  press('ArrowUp');
  await until(() => chosen().join() === '1');
});
