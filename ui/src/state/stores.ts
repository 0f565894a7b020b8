// The stores of the page: its parts, and what fills them. Components take the stores that they use from the context.
import { getContext, setContext } from 'svelte';
import type { Platform } from '../platform/platform';
import type { Clock } from './clock.svelte';
import { composeParts, type Parts } from './parts';
import { Startup } from './startup.svelte';

export type Stores = Parts & { readonly startup: Startup };

export function createStores(platform: Platform, clock: Clock): Stores {
  const parts = composeParts(platform, clock);
  return { ...parts, startup: new Startup(parts) };
}

const KEY = Symbol('stores');

export function provideStores(stores: Stores): void {
  setContext(KEY, stores);
}

export function useStores(): Stores {
  return getContext<Stores>(KEY);
}
