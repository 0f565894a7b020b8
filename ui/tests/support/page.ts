// The whole page in a test's document, with the scripted program behind it.
import { render } from '@testing-library/svelte';
import { tick } from 'svelte';
import { vi } from 'vitest';
import App from '../../src/App.svelte';
// The page loads this module after its first frame, which takes longer in tests than the first key press.
import '../../src/features/reading/Thread.svelte';
import type { Mark } from '../../src/generated/Mark';
import type { ThreadRow } from '../../src/generated/ThreadRow';
import { type Scripted, scripted } from '../../src/platform/scripted/scripted';
import { createStores, type Stores } from '../../src/state/stores';

export interface Opened {
  stores: Stores;
  platform: Scripted;
}

/** Opens the page. `prepare` changes the program before that, and `begin` what the page begins with. */
export async function open(
  query = '',
  prepare: (platform: Scripted) => void = () => {},
  begin: (stores: Stores) => void = () => {},
): Promise<Opened> {
  const { platform, clock } = scripted(new URLSearchParams(query));
  prepare(platform);
  const stores = createStores(platform, clock);
  begin(stores);
  render(App, { props: { stores } });
  await until(() => document.documentElement.dataset.ready === '1');
  // In a wide window the uppermost thread becomes the current one once the list is drawn.
  const { firstRun, list, navigation } = stores;
  const begins = navigation.view === 'threads' && !navigation.onePane && !firstRun.visible && list.ids.length > 0;
  await until(() => !begins || navigation.threadId !== null);
  return { stores, platform };
}

/** Waits, with a bound, until a condition holds, and for one turn of the timers, in which what was scheduled with the
 * change is done. */
export async function until(holds: () => unknown): Promise<void> {
  await vi.waitFor(
    () => {
      if (!holds()) throw new Error(`still waiting for: ${holds}`);
    },
    { timeout: 120_000, interval: 10 },
  );
  await new Promise((turn) => setTimeout(turn));
}

/** Waits until a selector matches an element in the document. */
export const there = (selector: string) => until(() => document.querySelector(selector));

/** Clicks the first match of each selector in turn, once it is in the document. */
export async function clickOn(...selectors: readonly string[]): Promise<void> {
  for (const selector of selectors) {
    await there(selector);
    find(selector).click();
  }
}

export function press(key: string, more: KeyboardEventInit = {}): void {
  const target = document.activeElement ?? document.body;
  const shiftKey = key.length === 1 && key !== key.toLowerCase();
  target.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true, ...more }));
}

/** The pointer moves to something, and rests there. */
export async function point(target: Element): Promise<void> {
  const event = new MouseEvent('pointermove', { bubbles: true });
  Object.defineProperty(event, 'pointerType', { value: 'mouse' });
  target.dispatchEvent(event);
  await tick();
}

/** Replaces the text of a field. */
export function fill(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

export function find<T extends HTMLElement = HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`nothing is ${selector}`);
  return found;
}

function visible(root: ParentNode, text: string): HTMLElement | undefined {
  const all = [...root.querySelectorAll<HTMLElement>('button, [role="radio"]')];
  return all.find((one) => one.textContent?.trim() === text || one.getAttribute('aria-label') === text);
}

/** The visible button with this text or accessible name. */
export function button(text: string, root: ParentNode = document): HTMLButtonElement {
  const found = visible(root, text);
  if (!found) throw new Error(`no button says ${text}`);
  return found as HTMLButtonElement;
}

export const hasButton = (text: string, root: ParentNode = document) => visible(root, text) !== undefined;

export const rows = () => [...document.querySelectorAll<HTMLElement>('[role="option"]')];
export const row = (id: number) => find(`[data-thread-id="${id}"]`);
export const selectedRow = () => document.querySelector<HTMLElement>('[role="option"][aria-selected="true"]');
export const count = (place: string) => find(`[data-place="${place}"]`).querySelector('.count')?.textContent ?? '';
export const announced = () => find('[data-testid="announcer"]').textContent;
export const snackbar = () => document.querySelector('[data-testid="snackbar"]')?.textContent?.trim() ?? '';

/** The calls of a program's command, with their arguments. */
export const asked = (platform: Scripted, what: string) => platform.asked.filter(([name]) => name === what);

/** A thread as the scripted program stores it. */
export function known(platform: Scripted, id: number) {
  const found = platform.inbox.find((one) => one.row.id === id);
  if (!found) throw new Error(`no thread ${id}`);
  return found;
}

/** Emits an event with new or changed rows; without rows, the event asks for a refetch of the whole list. */
export function sendThreads(platform: Scripted, ...rows: readonly ThreadRow[]): void {
  const refetch = rows.length === 0;
  platform.emit({
    event: 'threads',
    rows: [...rows],
    gone: [],
    refetch,
    places: platform.places(),
    as_of: platform.changes,
  });
}

/** Delays the next answer of the list until the returned function is called. `asked` says whether the answer is
 * computed before or after the delay. */
export function delayNextList(platform: Scripted, asked: 'before it waits' | 'after it waited'): () => void {
  const answer = platform.threads.bind(platform);
  let letGo = () => {};
  const held = new Promise<void>((done) => (letGo = done));
  platform.threads = async (query) => {
    platform.threads = answer;
    const before = asked === 'before it waits' ? await answer(query) : null;
    await held;
    return before ?? answer(query);
  };
  return letGo;
}

/** Delays the next answer with a thread until the returned function is called. */
export function delayNextThread(platform: Scripted): () => void {
  const answer = platform.thread.bind(platform);
  let letGo = () => {};
  const held = new Promise<void>((done) => (letGo = done));
  platform.thread = async (id, before) => {
    platform.thread = answer;
    await held;
    return answer(id, before);
  };
  return letGo;
}

/** The calls that set a mark on threads, except the automatic mark `seen`. */
export const marks = (asked: readonly [string, ...unknown[]][]) =>
  asked.filter(([what, , mark]) => what === 'mark' && (mark as Mark).op !== 'seen');

/** The marks of one kind on threads. */
export const marksOf = (asked: readonly [string, ...unknown[]][], op: Mark['op']) =>
  asked.filter(([what, , mark]) => what === 'mark' && (mark as Mark).op === op);

/** The threads of which something was read by being on screen. */
export const readThreads = (asked: readonly [string, ...unknown[]][]) =>
  asked.flatMap(([what, thread]) => (what === 'readItems' ? [thread] : []));

/** Opens the context menu of an element. */
export function menu(target: HTMLElement): void {
  target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
}
