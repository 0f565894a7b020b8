// Tests of the rules in the settings: tags, completions, their order, and what they did.
import { expect, test } from 'vitest';
import { placeBeside } from '../src/components/menus/position';
import type { Rule } from '../src/generated/Rule';
import type { ThreadRow } from '../src/generated/ThreadRow';
import { ruleLike } from '../src/state/settings/empty-rule';
import { ARTICLE, BACKUPS } from './support/article';
import { violations } from './support/axe';
import {
  announced,
  asked,
  button,
  fill,
  find,
  menu,
  open,
  press,
  row,
  selectedRow,
  snackbar,
  there,
  until,
} from './support/page';
import { addPart, chooseMenuItem, dialog, field, settings, submit, textOf } from './support/settings';
import { styleOf } from './support/styles';

const lines = () =>
  [...document.querySelectorAll('.dialog [role="listbox"] [role="option"]')].map((one) => one.textContent?.trim());
const order = () => [...document.querySelectorAll<HTMLElement>('[data-rule]')].map((one) => one.dataset.rule);

/** Types into the field with this label, as its reader does. */
function type(label: string, text: string): HTMLInputElement {
  const input = field(label);
  input.focus();
  fill(input, text);
  return input;
}

async function newRule() {
  const opened = await settings('rules');
  button('Add rule').click();
  await until(dialog);
  return opened;
}

test('the_fields_of_a_rule_complete_what_is_known_by_keys', async () => {
  const { platform } = await newRule();
  const about = type('About', 'c');
  await until(() => lines().includes('ci'));
  expect(about.getAttribute('aria-expanded')).toBe('true');
  await until(() => about.getAttribute('aria-activedescendant'));
  const active = document.getElementById(about.getAttribute('aria-activedescendant') ?? '');
  expect(active?.getAttribute('aria-selected')).toBe('true');
  const chosen = active?.textContent?.trim();
  expect(await violations()).toEqual([]);
  press('Enter');
  await until(() => about.value === chosen);
  expect(lines()).toEqual([]);
  expect(dialog()).not.toBeNull();

  // Esc closes the list and neither the form nor the question whether to leave it.
  type('Who', '');
  press('ArrowDown');
  await until(() => lines().length > 1);
  press('Escape');
  await until(() => lines().length === 0);
  expect(document.querySelectorAll('[role="dialog"]')).toHaveLength(1);
  expect(asked(platform, 'completeRule').map(([, one]) => one)).toContain('actor');
});

test('completions_stay_with_their_field_while_the_form_scrolls_and_go_with_it', async () => {
  await newRule();
  const about = type('About', 'c');
  await until(() => lines().includes('ci'));
  const list = () => find('.dialog [role="listbox"]');
  const form = find('.dialog .form');
  form.getBoundingClientRect = () => new DOMRect(0, 0, 400, 500);
  const scrollTo = (top: number) => {
    about.getBoundingClientRect = () => new DOMRect(20, top, 300, 32);
    form.dispatchEvent(new Event('scroll'));
  };
  scrollTo(100);
  expect(list().style.top).toBe('136px');
  scrollTo(60);
  expect(list().style.top).toBe('96px');
  scrollTo(-40);
  await until(() => lines().length === 0);
});

test('completions_stay_inside_of_the_window', () => {
  const [input, list] = [document.createElement('input'), document.createElement('div')];
  list.getBoundingClientRect = () => new DOMRect(0, 0, 320, 280);
  const placed = (left: number, top: number) => {
    input.getBoundingClientRect = () => new DOMRect(left, top, 90, 32);
    placeBeside(list, [input], { gap: 4 });
    return [list.style.left, list.style.top];
  };
  expect(placed(20, 100), 'below its field').toEqual(['20px', '136px']);
  expect(placed(20, innerHeight - 40), 'above it at the lower edge').toEqual(['20px', `${innerHeight - 324}px`]);
  expect(placed(innerWidth - 100, 100), 'to the end of the field').toEqual([`${innerWidth - 330}px`, '136px']);
  expect(placed(innerWidth - 90, 100), 'beside the edge').toEqual([`${innerWidth - 328}px`, '136px']);
});

test('a_new_rule_begins_with_one_condition_and_one_action_and_others_are_added', async () => {
  await newRule();
  const shown = (part: string) => [...document.querySelectorAll<HTMLElement>(`.dialog [data-${part}]`)].length;
  expect([shown('condition'), shown('action')]).toEqual([1, 1]);
  await until(() => document.activeElement === field('Words'));
  find('[data-part="tags"]').click();
  await until(() => document.activeElement === field('Tags'));
  find('[data-part="archive"]').click();
  await until(() => document.activeElement?.getAttribute('aria-checked') === 'true');
  expect(document.activeElement?.textContent).toContain('Archive');
  expect([shown('condition'), shown('action')]).toEqual([2, 2]);
  expect(document.querySelector('[data-part="tags"], [data-part="archive"]')).toBeNull();
  expect(await violations()).toEqual([]);
});

test('a_rule_that_is_changed_shows_the_conditions_that_it_has', async () => {
  await settings('rules');
  await there('[data-rule="2"]');
  await chooseMenuItem('More for Failed builds', 'edit');
  await until(dialog);
  const shown = (part: string) =>
    [...document.querySelectorAll<HTMLElement>(`.dialog [data-${part}]`)].map((one) => one.dataset[part]);
  expect(shown('condition')).toEqual(['target']);
  expect(shown('action')).toEqual(['pin', 'priority']);
  press('Escape');
  await until(() => dialog() === null);
});

test('the_source_of_a_rule_is_one_that_there_is', async () => {
  const { platform } = await newRule();
  type('Source', 'wo');
  await until(() => lines().includes('Work'));
  fill(field('Source'), 'Wonderland');
  find('.dialog [role="checkbox"]').click();
  submit();
  await until(() => textOf('.dialog').includes('No source is called “Wonderland”'));
  expect(field('Source').getAttribute('aria-invalid')).toBe('true');
  type('Source', 'wo');
  await until(() => lines().length > 0);
  press('Enter');
  await until(() => field('Source').value === 'Work');
  submit();
  await until(() => dialog() === null);
  expect(platform.notifications.rules.at(-1)?.when.source).toBe(2);
});

test('a_rule_asks_for_any_of_its_tags_and_marks_as_read', async () => {
  const { platform } = await newRule();
  const tags = type('Tags', 'ba');
  await until(() => lines().includes('backup'));
  press('Enter');
  await there('[data-chip="backup"]');
  fill(tags, 'one, two');
  await there('[data-chip="one"]');
  press('Enter');
  await there('[data-chip="two"]');
  expect(await violations()).toEqual([]);
  button('Remove one').click();
  await until(() => document.querySelector('[data-chip="one"]') === null);
  addPart('Mark read');
  await until(() => textOf('.dialog').includes('only if nothing before it is unread'));
  submit();
  await until(() => dialog() === null);
  const saved = platform.notifications.rules.at(-1);
  expect(saved?.when.tags).toEqual(['backup', 'two']);
  expect(saved?.then.read).toBe(true);
  expect(textOf()).toContain('Everything tagged backup or two: mark read');
});

test('tags_of_a_rule_are_not_given_up_without_a_question', async () => {
  await newRule();
  const tags = type('Tags', 'nas,');
  await there('[data-chip="nas"]');
  expect(tags.value).toBe('');
  press('Escape');
  await until(() => textOf('body').includes('Leave without saving?'));
});

test('rules_are_put_in_order_by_dragging_and_by_keys_and_the_order_is_said', async () => {
  const { platform } = await settings('rules');
  await there('[data-rule="2"]');
  expect(textOf('.prefs-note')).toBe(
    'Rules run from top to bottom. Each rule sees the priority that the rules above it set.',
  );
  const items = [...document.querySelectorAll<HTMLElement>('[data-rule]')];
  for (const [at, item] of items.entries()) {
    item.getBoundingClientRect = () => new DOMRect(0, 100 + at * 60, 600, 60);
  }
  const pointer = (type: string, clientY: number) =>
    new MouseEvent(type, { clientY, button: 0, bubbles: true, cancelable: true });
  const grip = find('[data-rule="2"] .grip');
  grip.dispatchEvent(pointer('pointerdown', 190));
  window.dispatchEvent(pointer('pointermove', 188));
  expect(document.querySelector('.is-target')).toBeNull();
  window.dispatchEvent(pointer('pointermove', 120));
  await until(() => find('[data-rule="1"]').classList.contains('is-target'));
  press('Escape');
  await until(() => document.querySelector('.is-target') === null);
  window.dispatchEvent(pointer('pointerup', 120));
  expect(asked(platform, 'orderRules')).toEqual([]);

  grip.dispatchEvent(pointer('pointerdown', 190));
  window.dispatchEvent(pointer('pointermove', 120));
  window.dispatchEvent(pointer('pointerup', 120));
  await until(() => order().join() === '2,1');
  await until(() => announced().includes('Failed builds is number 1 of 2'));
  expect((document.activeElement as HTMLElement).dataset.ruleMenu).toBe('2');
  press('ArrowDown', { altKey: true });
  await until(() => order().join() === '1,2');
  press('ArrowDown', { altKey: true });
  press('ArrowUp', { altKey: true });
  await until(() => order().join() === '2,1');
  expect(asked(platform, 'orderRules').map(([, ids]) => ids)).toEqual([
    [2, 1],
    [1, 2],
    [2, 1],
  ]);
});

test('what_a_rule_did_is_told_by_day_and_leads_to_the_notifications', async () => {
  const { platform } = await settings('rules');
  await there('[data-rule="1"]');
  await until(() => textOf('[data-rule="2"]').includes('2 today, 18 in the last 14 days'));
  expect(textOf('[data-rule="1"]')).not.toContain('in the last');
  await chooseMenuItem('More for Failed builds', 'did');
  await there('[data-act]');
  expect(await violations()).toEqual([]);
  expect(textOf('.rule-days')).toMatch(/^Today 2Yesterday 4\S+ 12$/);
  const act = find('[data-act]');
  expect(act.textContent).toContain('Pin and raise the priority by 1 · ');
  const [first] = await platform.ruleActs(2);
  act.click();
  await until(() => dialog() === null);
  await until(() => row(first?.row.id ?? 0).getAttribute('aria-selected') === 'true');
});

test('a_rule_that_did_nothing_says_so', async () => {
  await settings('rules');
  await there('[data-rule="1"]');
  await chooseMenuItem('More for Everything from Work with “deploy”: no toast', 'did');
  await until(() => textOf('[data-testid="rule-did"]').includes('Nothing in the last 14 days'));
  press('Escape');
  await until(() => dialog() === null);
});

test('the_switch_of_a_rule_has_the_edges_of_the_fields_above_it', async () => {
  await newRule();
  expect(find('.form > .box-row > .switch').getAttribute('aria-label')).toBe('Also apply to existing notifications');
  expect(styleOf('.form > .box-row', 'padding-inline')).toBe('0');
  expect(styleOf('.form > .box-row > .switch', 'margin-inline-end')).toBe('0');
});

test('a_rule_is_made_from_a_thread_and_applied_to_what_is_here_and_can_be_undone', async () => {
  const { platform, stores } = await open();
  const backups = row(BACKUPS);
  platform.choices.push('make-rule');
  menu(backups);
  await until(dialog);
  expect(field('About').value).toBe('topic:backups');
  expect(field('Source').value).toBe('This computer');
  expect(field('Name').value).toBe('backups');
  addPart('Archive');
  const here = () => find('[role="switch"][aria-label="Also apply to existing notifications"]');
  expect(asked(platform, 'tryRule')).toHaveLength(0);
  here().click();
  // The number of such items is shown before anything is done.
  await until(() => asked(platform, 'tryRule').length === 1 && textOf('.trial').includes('of the newest'));
  expect(await violations()).toEqual([]);
  // Other conditions would do it to what was not shown.
  const isOn = () => here().getAttribute('aria-checked') === 'true';
  expect(isOn()).toBe(true);
  fill(field('About'), 'topic:');
  await until(() => !isOn() && textOf('.trial') === '');
  fill(field('About'), 'topic:backups');
  await until(isOn);
  expect(asked(platform, 'tryRule')).toHaveLength(1);
  submit();
  await until(() => snackbar().startsWith('Rule saved and applied to 1 thread'));
  const [[, saved] = []] = asked(platform, 'saveRule') as [string, Rule][];
  expect(saved?.when).toMatchObject({ source: 1, target: 'topic:backups', kind: null });
  expect(saved?.name).toBe('backups');
  expect(asked(platform, 'applyRule')).toEqual([['applyRule', saved]]);
  await until(() => !stores.list.has(BACKUPS));
  press('z');
  await until(() => stores.list.has(BACKUPS));
  await until(() => selectedRow() === row(BACKUPS));
  await until(() => snackbar().startsWith('Undone for 1 thread. The rule stays'));
});

test('a_rule_made_from_a_person_or_a_kind_asks_for_that_and_touches_nothing_by_itself', async () => {
  const { platform, stores } = await open();
  const person = stores.list.ids.map((id) => stores.list.rows.get(id)).find((one) => one?.kind === 'message');
  expect(ruleLike({ ...(person as ThreadRow), avatar: { shape: 'group', tint: 1 } }).when).toMatchObject({
    kind: 'message',
  });
  const feed = {
    ...(person as ThreadRow),
    kind: 'reminder',
    who: 'Rust Blog',
    avatar: { shape: 'thing', icon: 'rss' },
  };
  expect(ruleLike(feed as ThreadRow).when).toMatchObject({ actor: 'Rust Blog', kind: null });
  stores.dialogs.rule = ruleLike(person as ThreadRow);
  await until(dialog);
  addPart('Mark read');
  submit();
  await until(() => snackbar() === 'Rule saved');
  expect(asked(platform, 'applyRule')).toEqual([]);
});

test('a_rule_made_from_a_thread_is_for_what_the_thread_is_about_and_named_after_it', async () => {
  const { stores } = await open(`open=${ARTICLE}`);
  await until(() => stores.reading.view?.row.id === ARTICLE);
  const article = stores.reading.view?.row as ThreadRow;
  const about = ruleLike(article);
  expect([about.name, about.when.target, about.when.kind]).toEqual(['Rust in 2026', 'Rust in 2026', null]);
  const repository = { id: 'tidings/tidings', name: 'tidings/tidings', muted: false, muted_until: null };
  const issue = ruleLike({ ...article, origin: repository });
  expect([issue.name, issue.when.target]).toEqual(['tidings/tidings', 'tidings/tidings']);
  const untitled = ruleLike({ ...article, what: [] });
  expect([untitled.name, untitled.when.target, untitled.when.kind]).toEqual(['', '', 'reminder']);
});
