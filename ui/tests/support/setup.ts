// What each file of tests begins with, and what each test leaves behind: files in one process share its document and
// the page's modules.
import { afterEach, vi } from 'vitest';
import { i18n } from '../../src/i18n/i18n.svelte';
import { media } from './document';

await i18n.load('zh-CN');
localStorage.clear();
Reflect.deleteProperty(navigator, 'clipboard');

afterEach(async () => {
  vi.useRealTimers();
  // Callbacks for the next frame still find their document.
  await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
  vi.restoreAllMocks();
  media.clear();
  document.documentElement.removeAttribute('data-ready');
});
