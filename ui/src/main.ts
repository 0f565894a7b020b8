// Mounts the page with the platform that answers its requests.
import './styles/index.css';

import { mount } from 'svelte';
import App from './App.svelte';
import { trackModality } from './dom/modality';
import type { Platform } from './platform/platform';
import { tauri } from './platform/tauri';
import { Clock } from './state/clock.svelte';
import { createStores } from './state/stores';

async function environment(): Promise<{ platform: Platform; clock: Clock }> {
  // In a plain browser, and only in development, the scripted program answers.
  if (import.meta.env.DEV && (location.search.includes('scripted') || !('__TAURI_INTERNALS__' in window))) {
    const { scripted } = await import('./platform/scripted/scripted');
    const script = scripted(new URLSearchParams(location.search));
    // The function is in the global scope, for use from the browser's console.
    return Object.assign(window, { script }).script;
  }
  return { platform: tauri, clock: new Clock() };
}

const target = document.querySelector('#page');
if (target) {
  trackModality(document.documentElement);
  const { platform, clock } = await environment();
  mount(App, { target, props: { stores: createStores(platform, clock) } });
}
