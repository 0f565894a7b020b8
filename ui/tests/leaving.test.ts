// Tests that a form that is left half filled in asks before it gives up what was typed.
import { expect, test } from 'vitest';
import { button, fill, find, hasButton, press, until } from './support/page';
import { dialog, field, fillField, settings, textOf } from './support/settings';

const asking = () => hasButton('Leave');
const beside = () => find('.scrim').dispatchEvent(new MouseEvent('pointerdown', { bubbles: true }));

async function opened(tab: Parameters<typeof settings>[0], open: string, query = ''): Promise<void> {
  await settings(tab, query);
  button(open).focus();
  button(open).click();
  await until(() => dialog()?.contains(document.activeElement));
}

test('escape_in_a_half_filled_rule_asks_and_keeps_what_was_typed', async () => {
  await opened('rules', 'Add rule');
  fillField('Words', 'disk full');
  press('Escape');
  await until(asking);
  expect(textOf('[aria-label="Leave without saving?"]')).toContain('Your changes here will be lost.');
  await until(() => document.activeElement?.textContent === 'Cancel');
  press('Escape');
  await until(() => !asking());
  expect(field('Words').value).toBe('disk full');
  await until(() => document.querySelector('.is-wide')?.contains(document.activeElement));
  press('Escape');
  await until(asking);
  button('Leave').click();
  await until(() => dialog() === null);
  await until(() => document.activeElement === button('Add rule'));
});

test('what_a_rule_is_to_do_is_not_given_up_either', async () => {
  await opened('rules', 'Add rule');
  find('.checkbox').click();
  await until(
    () => find('.checkbox').ariaChecked === 'true' || find('.checkbox').getAttribute('aria-checked') === 'true',
  );
  press('Escape');
  await until(asking);
});

test('a_click_beside_a_half_filled_source_asks', async () => {
  await opened('sources', 'Add source');
  fill(field('Address'), 'https://push.example.org');
  beside();
  await until(asking);
  button('Cancel', find('[aria-label="Leave without saving?"]')).click();
  await until(() => !asking());
  expect(field('Address').value).toBe('https://push.example.org');
  find('.dialog-head .icon-btn').click();
  await until(asking);
});

test('a_form_in_which_nothing_was_typed_closes_at_once', async () => {
  await opened('sources', 'Add source');
  fill(field('Address'), 'x');
  fill(field('Address'), '');
  beside();
  await until(() => dialog() === null);
});

test('the_question_is_asked_in_chinese_too', async () => {
  await opened('rules', '添加规则', 'lang=zh');
  fill(find<HTMLInputElement>('.dialog input'), '林晓');
  press('Escape');
  await until(() => hasButton('离开'));
  expect(find('[aria-label="离开而不保存？"]').textContent).toContain('在这里做的更改不会保留。');
});
