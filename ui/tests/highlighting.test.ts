// Tests of the worker that highlights code: built as for the window, and run on a thread of its own.
import { Worker } from 'node:worker_threads';
import { build } from 'vite';
import { beforeAll, expect, test, vi } from 'vitest';
import type { HighlightAnswer, HighlightRequest, Piece } from '../src/features/reading/body/highlight-code';
import { Highlighter, type HighlightWorker } from '../src/features/reading/body/highlighter';

/** The folder into which the worker is built. */
const BUILT = 'node_modules/.cache/highlight-worker';
const HERE = import.meta.url;
const WORKER = new URL(`../${BUILT}/highlight.worker.mjs`, HERE).pathname;
/** Gives the script what it expects of the window's engine. */
const ENGINE = `
  import { parentPort } from 'node:worker_threads';
  globalThis.addEventListener = (_, take) => parentPort.on('message', (data) => take({ data }));
  globalThis.postMessage = (data) => parentPort.postMessage(data);
`;

beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      outDir: BUILT,
      emptyOutDir: true,
      modulePreload: false,
      rolldownOptions: {
        input: 'src/features/reading/body/highlight.worker.ts',
        output: {
          banner: (chunk) => (chunk.isEntry ? ENGINE : ''),
          entryFileNames: '[name].mjs',
          chunkFileNames: '[name]-[hash].mjs',
        },
      },
    },
  });
});

class Thread implements HighlightWorker {
  static readonly all: Thread[] = [];
  onmessage: HighlightWorker['onmessage'] = null;
  onerror: HighlightWorker['onerror'] = null;
  readonly #worker = new Worker(WORKER);
  ended: Promise<number> | null = null;

  constructor() {
    Thread.all.push(this);
    this.#worker.on('message', (data: HighlightAnswer) => this.onmessage?.(new MessageEvent('message', { data })));
    this.#worker.on('error', (error: Error) => this.onerror?.(new ErrorEvent('error', { message: error.message })));
  }
  postMessage(question: HighlightRequest): void {
    this.#worker.postMessage(question);
  }
  terminate(): void {
    this.ended = this.#worker.terminate();
  }
}

const never = new AbortController().signal;
const textOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(piece.pieces))).join('');

test('code_in_c_that_is_searched_for_as_long_as_the_square_of_its_length_stays_plain_and_what_follows_has_colours', async () => {
  const highlighter = new Highlighter(() => new Thread());
  // The grammar takes every name for the type of a function that never comes, and looks for it up to the end.
  const quadratic: HighlightRequest = { language: 'c', code: 'a b\n'.repeat(25_000) };
  const good: HighlightRequest = { language: 'c', code: 'int main(void) { return 0; }' };
  const found = Promise.all([quadratic, good].map((question) => highlighter.find(question, never)));
  let turns = 0;
  const page = setInterval(() => (turns += 1), 5);
  const [slow, quick] = await found;
  clearInterval(page);
  expect(slow).toBeNull();
  expect(textOf(quick ?? [])).toBe(good.code);
  expect(quick?.some((piece) => typeof piece !== 'string' && piece.classes.includes('hl-'))).toBe(true);
  expect(turns, 'the page goes on meanwhile').toBeGreaterThan(10);
  expect(Thread.all.length, 'the thread was ended, and another one begun').toBe(2);
  expect(await Thread.all[0]?.ended, 'it was ended from outside').toBe(1);
  expect(highlighter.kept(quadratic), 'it is not searched again').toBeNull();
  expect(highlighter.kept(good)).toEqual(quick);
  Thread.all[1]?.terminate();
});

/** A worker that answers as a test wants it to. */
class Scripted implements HighlightWorker {
  static readonly all: Scripted[] = [];
  onmessage: HighlightWorker['onmessage'] = null;
  onerror: HighlightWorker['onerror'] = null;
  readonly asked: string[] = [];
  ended = false;
  constructor() {
    Scripted.all.push(this);
  }
  postMessage({ code }: HighlightRequest): void {
    this.asked.push(code);
  }
  terminate(): void {
    this.ended = true;
  }
  says(data: HighlightAnswer): void {
    this.onmessage?.(new MessageEvent('message', { data }));
  }
}

test('a_worker_is_ended_when_it_does_not_start_or_is_idle_and_its_late_answers_count_for_nothing', async () => {
  vi.useFakeTimers();
  try {
    const highlighter = new Highlighter(() => new Scripted());
    const ask = (code: string, ended = never) => highlighter.find({ language: 'c', code }, ended);
    const first = ask('a');
    const left = new AbortController();
    const second = ask('b', left.signal);
    const third = ask('c');
    left.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await first, 'it did not start').toBeNull();
    expect(await second, 'its body is no longer shown').toBeNull();
    const [old, next] = Scripted.all;
    expect([old?.ended, old?.asked, next?.asked]).toEqual([true, ['a'], ['c']]);
    old?.says('begins');
    old?.says(['late']);
    next?.says('begins');
    next?.says(['c']);
    expect(await third).toEqual(['c']);
    expect(highlighter.kept({ language: 'c', code: 'a' }), 'it may start another time').toBeUndefined();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(next?.ended, 'nothing came').toBe(true);
    const failed = ask('d');
    Scripted.all[2]?.onerror?.(new ErrorEvent('error'));
    expect(await failed).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
