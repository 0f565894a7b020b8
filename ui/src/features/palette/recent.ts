// The entries chosen last in the palette, newest first, in `localStorage`.

const KEY = 'palette';
const MOST = 5;

export function recent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function remember(id: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([id, ...recent().filter((one) => one !== id)].slice(0, MOST)));
  } catch {
    // Without storage nothing is remembered.
  }
}
