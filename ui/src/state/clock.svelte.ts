// The current day, and the current second while a countdown is shown. Times in lists change only with the day.
import { createSubscriber } from 'svelte/reactivity';
import { startOfDay } from '../i18n/times';

export class Clock {
  /** The time source, ms since 1970; the scripted page and tests replace it. */
  readonly read: () => number;
  /** Midnight at the beginning of today, ms since 1970. */
  today: number;
  readonly #tick: () => void;
  readonly #watch: ReturnType<typeof setInterval>;

  constructor(read: () => number = Date.now) {
    this.read = read;
    this.today = $state(startOfDay(read()));
    this.#tick = createSubscriber((update) => {
      const timer = setInterval(update, 1000);
      return () => clearInterval(timer);
    });
    this.#watch = setInterval(() => this.look(), 30_000);
  }

  /** Updates `today` on a new day, also after a sleep of the machine. */
  look(): void {
    const today = startOfDay(this.read());
    if (today !== this.today) this.today = today;
  }

  stop(): void {
    clearInterval(this.#watch);
  }

  /** The current time, updated every second for as long as a component reads it. */
  get now(): number {
    this.#tick();
    return this.read();
  }
}
