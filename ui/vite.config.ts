import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { fluent } from './fluent.ts';

// The oldest engines with `light-dark()`; what the desktop's web views ship today is newer.
const engines = ['safari17.5', 'chrome123'];

export default defineConfig({
  plugins: [fluent, svelte(), svelteTesting()],
  clearScreen: false,
  // A worker loads its parts as the page does.
  worker: { format: 'es' },
  server: { port: 5173, strictPort: true, fs: { allow: ['..'] } },
  build: {
    outDir: 'dist',
    target: engines,
    cssTarget: engines,
    // A strict policy allows no `data:` addresses and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Each file that the first picture needs is a question to the program: one instead of twelve.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
  test: {
    environment: 'jsdom',
    // Bounds, not expectations: a busy machine is no failure.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    // All cores, instead of all but one: on two that is twice as many.
    maxWorkers: '100%',
    // One process runs many files, as a file has many tests: to start one and load the page takes as long as ten tests.
    isolate: false,
    include: ['tests/**/*.test.ts', 'src/**/*.test.ts'],
    setupFiles: ['tests/support/setup.ts'],
    // The document of a test has no styles; some are read as they are.
    css: { include: [/\.css\?raw$/] },
    env: { TZ: 'UTC' },
  },
});
