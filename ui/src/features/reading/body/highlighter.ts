// Highlights code in a worker, one piece of code after the other. The worker is ended if a piece takes too long: that
// code stays plain, and the page is never busy with it.
import type { HighlightAnswer, HighlightRequest, Piece } from './highlight-code';

/** The longest search for the tokens of a piece of code, ms. */
const LONGEST_SEARCH = 1_000;
/** The longest wait until the worker and the grammar are loaded, ms. */
const LONGEST_START = 60_000;
/** The time without code after which the worker ends, ms. */
const IDLE = 10_000;
/** The most characters of code whose tokens are kept, so that code that is shown again has its colours at once. */
const MOST_KEPT = 200_000;

/** The part of a worker that is used here. */
export interface HighlightWorker {
  postMessage(question: HighlightRequest): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<HighlightAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** The pieces of code; null if it stays plain. */
type HighlightedCode = readonly Piece[] | null;

interface Job {
  readonly question: HighlightRequest;
  readonly done: (found: HighlightedCode) => void;
  readonly ended: AbortSignal;
}

export class Highlighter {
  readonly #start: () => HighlightWorker;
  /** What was found, by language and code, the oldest first. */
  readonly #kept = new Map<string, HighlightedCode>();
  #keptCharacters = 0;
  readonly #waiting: Job[] = [];
  #worker: HighlightWorker | null = null;
  #current: Job | null = null;
  /** Whether the search in the current code has begun. */
  #searching = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: () => HighlightWorker) {
    this.#start = start;
  }

  /** What was found in code before; undefined for code that is new, or was forgotten. */
  kept(question: HighlightRequest): HighlightedCode | undefined {
    return this.#kept.get(keyOf(question));
  }

  /** Finds the pieces of code. Null once the search took too long or failed, or `ended` before it began. */
  find(question: HighlightRequest, ended: AbortSignal): Promise<HighlightedCode> {
    return new Promise((done) => {
      this.#waiting.push({ question, done, ended });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    const job = this.#waiting.shift();
    if (!job) {
      if (this.#worker) this.#endAfter(IDLE);
      return;
    }
    const kept = this.kept(job.question);
    if (kept !== undefined || job.ended.aborted) {
      job.done(kept ?? null);
      this.#next();
      return;
    }
    this.#current = job;
    this.#endAfter(LONGEST_START);
    try {
      this.#worker ??= this.#begin();
      this.#worker.postMessage(job.question);
    } catch {
      this.#end();
    }
  }

  #begin(): HighlightWorker {
    const worker = this.#start();
    worker.onmessage = ({ data }) => {
      if (worker !== this.#worker) return;
      if (data === 'begins') {
        this.#searching = true;
        this.#endAfter(LONGEST_SEARCH);
      } else {
        this.#finish(data);
      }
    };
    worker.onerror = () => {
      if (worker === this.#worker) this.#end();
    };
    return worker;
  }

  #endAfter(time: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), time);
  }

  /** Ends the worker, whatever it does. Its code stays plain; the next code gets another one. */
  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#finish(null);
  }

  #finish(found: HighlightedCode): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    const searched = this.#searching;
    this.#current = null;
    this.#searching = false;
    if (!job) return;
    // A worker or grammar that could not be loaded may be another time.
    if (searched) this.#keep(keyOf(job.question), found);
    job.done(found);
    this.#next();
  }

  #keep(key: string, found: HighlightedCode): void {
    this.#kept.set(key, found);
    this.#keptCharacters += key.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptCharacters <= MOST_KEPT) break;
      this.#kept.delete(oldest);
      this.#keptCharacters -= oldest.length;
    }
  }
}

function keyOf({ language, code }: HighlightRequest): string {
  return `${language}\n${code}`;
}

/** The highlighter of the page. */
export const highlighter = new Highlighter(
  () => new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' }),
);
