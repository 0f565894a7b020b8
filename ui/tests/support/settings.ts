// The pages of the settings in a test's document: opening them, filling in forms, and choosing.
import { flushSync } from 'svelte';
import type { SettingsSection, SettingsTab } from '../../src/state/navigation/navigation.svelte';
import { button, fill, find, type Opened, open, there, until } from './page';

/** The page of each section. */
export const tabOf: Record<SettingsSection, SettingsTab> = {
  'quiet-hours': 'notifications',
  rules: 'notifications',
  noise: 'notifications',
  'notifications-advanced': 'notifications',
  'source-notify': 'sources',
  'other-programs': 'sources',
  'sources-advanced': 'sources',
  publish: 'computer',
  topics: 'computer',
  tokens: 'computer',
  people: 'computer',
  'computer-advanced': 'computer',
  'keys-threads': 'keyboard',
  'keys-places': 'keyboard',
  'keys-window': 'keyboard',
  'storage-advanced': 'storage',
  diagnosis: 'about',
  'first-steps': 'about',
};

/** Opens a page of the settings, or a section with its page. */
export async function settings(
  page: SettingsTab | SettingsSection,
  query = '',
  prepare?: Parameters<typeof open>[1],
): Promise<Opened> {
  const tab = page in tabOf ? tabOf[page as SettingsSection] : (page as SettingsTab);
  // An inbox before it would be drawn only to be left.
  const opened = await open(query, prepare, ({ router }) => router.openSettings(tab));
  await there(`[data-settings="${tab}"][aria-current="page"]`);
  await there('.prefs .box');
  if (tab !== page) await openSection(page as SettingsSection);
  return opened;
}

/** Opens a section of the page that is open. */
export async function openSection(section: SettingsSection): Promise<void> {
  const head = `[data-section="${section}"] button`;
  await until(() => document.querySelector(head));
  find(head).click();
  await until(() => find(head).getAttribute('aria-expanded') === 'true');
}

export const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]');
export const textOf = (selector = '.prefs') =>
  (document.querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim();

/** The field with this label; of a rule it is added first if the rule does not have it yet. */
export function field(label: string): HTMLInputElement {
  addPart(label);
  const found = [...document.querySelectorAll('label')].find((one) => one.textContent === label);
  return find<HTMLInputElement>(`#${found?.htmlFor}`);
}

/** Adds a condition or an action to the open rule, if it can be added. */
export function addPart(name: string): void {
  const part = [...document.querySelectorAll<HTMLElement>('[data-part]')].find(
    (one) => one.textContent?.trim() === name,
  );
  part?.click();
  flushSync();
}

/** Replaces the text of the field with this label, and leaves the field. */
export function fillField(label: string, text: string): void {
  const input = field(label);
  fill(input, text);
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

export function choose(label: string, value: string): void {
  const select = [...document.querySelectorAll('select')].findLast(
    (one) => one.ariaLabel === label || one.getAttribute('aria-label') === label,
  );
  if (!select) throw new Error(`no choice is called ${label}`);
  select.value = value;
  select.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Submits the form of the dialog, as Enter in a field does. */
export const submit = () => find<HTMLFormElement>('.dialog form').requestSubmit();

/** The texts that describe a field, among them its error. */
export function fieldError(label: string): string {
  const input = field(label);
  const about = (input.getAttribute('aria-describedby') ?? '').split(' ');
  return about.map((id) => document.getElementById(id)?.textContent?.trim() ?? '').join(' ');
}

/** Opens the menu with this name and chooses one of its lines. */
export async function chooseMenuItem(menu: string, line: string): Promise<void> {
  button(menu).click();
  await until(() => document.querySelector('[role="menu"]'));
  find(`[role="menu"] [data-line="${line}"]`).click();
  await until(() => document.querySelector('[role="menu"]') === null);
}
