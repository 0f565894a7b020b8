// What a form sends: whether it is under way, and why it was not sent or failed.
import { errorText } from './feedback.svelte';

export class Submission {
  busy = $state(false);
  error: string | null = $state(null);

  /** Sends, unless something is missing or the last request is under way. Resolves to whether that succeeded. */
  async send(missing: string | null, what: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.error = missing;
    if (missing !== null) return false;
    this.busy = true;
    try {
      await what();
      return true;
    } catch (failed) {
      this.error = errorText(failed);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
