// The part of Node that tests use.
declare module 'node:worker_threads' {
  export class Worker {
    constructor(path: string);
    on(event: 'message' | 'error', take: (value: never) => void): void;
    postMessage(value: unknown): void;
    terminate(): Promise<number>;
  }
}
declare module 'node:fs' {
  export function readFileSync(path: string, encoding: 'utf8'): string;
}
