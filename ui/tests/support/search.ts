// The search field, and its text about the results.
import { fill, find, press, there } from './page';

export const field = () => find<HTMLInputElement>('input[type="search"]');
export const found = () => document.querySelector('[data-testid="result-count"]')?.textContent;

export async function search(text = ''): Promise<void> {
  press('/');
  await there('input[type="search"]');
  if (text) type(text);
}

export function type(text: string): void {
  fill(field(), text);
}

export function key(name: string, target: HTMLElement = field()): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
}
