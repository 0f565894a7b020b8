// The current day, and the seconds while something counts down. Times in lists do not tick; days change.
import { createSubscriber } from 'svelte/reactivity';
import { startOfDay } from '../i18n/times';

export class Clock {
  /** The clock itself, ms since 1970; the scripted page and tests stop it. */
  readonly read: () => number;
  /** Midnight that began today. */
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

  /** Notices a new day, also after a sleep of the machine. */
  look(): void {
    const today = startOfDay(this.read());
    if (today !== this.today) this.today = today;
  }

  stop(): void {
    clearInterval(this.#watch);
  }

  /** Now, and again every second for as long as someone shows it. */
  get now(): number {
    this.#tick();
    return this.read();
  }
}
