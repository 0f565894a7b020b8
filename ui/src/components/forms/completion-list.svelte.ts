// What could be meant in a field: asked for while one types, and taken with Enter or by a click.
import type { RuleValue } from '../../generated/RuleValue';

export type Completion = RuleValue;
export type Complete = (text: string) => Promise<readonly Completion[]>;

export class CompletionList {
  lines: readonly Completion[] = $state.raw([]);
  /** The line that Enter takes; -1 if nothing was typed and neither an arrow key nor the pointer selected one. */
  active = $state(-1);
  /** Counts the questions, so that only the last one's answer is shown. */
  #asked = 0;

  constructor(
    private readonly complete: () => Complete,
    private readonly take: (one: Completion) => void,
  ) {}

  get open(): boolean {
    return this.lines.length > 0;
  }

  /**
   * Shows the lines that begin like a text, while `wanted` says so. A text that is there in full already needs no line.
   */
  async ask(text: string, wanted: () => boolean): Promise<void> {
    this.#asked += 1;
    const nth = this.#asked;
    // A field can do without completions.
    const found = await this.complete()(text.trim()).catch(() => []);
    if (nth !== this.#asked || !wanted()) return;
    const typed = text.trim().toLowerCase();
    const whole = found.findIndex((one) => one.value.toLowerCase() === typed);
    this.lines = whole === 0 && found.length === 1 ? [] : found;
    this.active = typed === '' || !this.open ? -1 : Math.max(0, whole);
  }

  close(): void {
    this.#asked += 1;
    this.lines = [];
    this.active = -1;
  }

  choose(one: Completion): void {
    this.close();
    this.take(one);
  }

  /** Handles a key in the field; false if the key is not about the list. */
  key(event: KeyboardEvent, ask: () => void): boolean {
    const { lines, active } = this;
    const chosen = lines[active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!this.open) ask();
      else if (event.key === 'ArrowDown') this.active = (active + 1) % lines.length;
      else this.active = (active <= 0 ? lines.length : active) - 1;
    } else if (event.key === 'Enter' && chosen) this.choose(chosen);
    else if (event.key === 'Escape' && this.open) {
      this.close();
      event.stopPropagation();
    } else return false;
    event.preventDefault();
    return true;
  }
}
