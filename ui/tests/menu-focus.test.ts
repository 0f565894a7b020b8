// Tests that a menu and a list of suggestions have one highlight, which the pointer and the keys move.
import { expect, test } from 'vitest';
import { fill, find, marksOf, open, press, there, until } from './support/page';
import { rules, styleOf } from './support/styles';

const point = (target: Element) => target.dispatchEvent(new MouseEvent('pointermove', { bubbles: true }));
const rest = (target: Element) => {
  const event = new MouseEvent('pointermove', { bubbles: true });
  for (const way of ['movementX', 'movementY']) Object.defineProperty(event, way, { value: 0 });
  target.dispatchEvent(event);
};

async function snoozeMenu() {
  const opened = await open('open=2');
  await there('.sheet');
  press('h');
  await there('[role="menu"]');
  const [, tomorrow, week, choose] = [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  if (!tomorrow || !week || !choose) throw new Error('the menu has too few lines');
  return { ...opened, tomorrow, week, choose };
}

test('the_pointer_and_the_keys_move_the_same_highlight_and_enter_takes_it', async () => {
  const { platform, tomorrow, week, choose } = await snoozeMenu();
  point(choose);
  expect(document.activeElement).toBe(choose);
  press('ArrowUp');
  expect(document.activeElement).toBe(week);
  press('ArrowUp');
  expect(document.activeElement).toBe(tomorrow);
  (document.activeElement as HTMLElement).click();
  await until(() => marksOf(platform.asked, 'snooze').length === 1);
  expect(marksOf(platform.asked, 'snooze')[0]?.[2]).toMatchObject({ until: new Date(2026, 10, 21, 8).toISOString() });
});

test('a_pointer_that_rests_where_a_menu_opens_changes_nothing', async () => {
  const { choose } = await snoozeMenu();
  const before = document.activeElement;
  rest(choose);
  expect(document.activeElement).toBe(before);
});

test('the_highlight_is_the_focus_also_after_a_click_and_no_other_line_has_one', () => {
  const highlighting = rules.filter(
    ({ selector, declarations }) => selector.includes('.menu-item') && declarations.has('background'),
  );
  const selectors = highlighting.flatMap(({ selector }) => selector.split(/,\s*/));
  expect(selectors.filter((one) => one.includes(':hover'))).toEqual([]);
  expect(styleOf('.menu-item:focus', 'background')).toBe('var(--bg-selected)');
  expect(styleOf('.menu-item:focus-visible', 'outline'), 'it has its ring, too').not.toBe('none');
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
