// A reader's actions on sources: shown at once, and reverted if the program refuses.

import type { NotifySettings } from '../../generated/NotifySettings';
import type { SourceForm } from '../../generated/SourceForm';
import type { SourceRow } from '../../generated/SourceRow';
import type { SourceTest } from '../../generated/SourceTest';
import { i18n } from '../../i18n/i18n.svelte';
import { moment } from '../../i18n/times';
import type { Platform } from '../../platform/platform';
import type { Clock } from '../clock.svelte';
import type { Feedback } from '../feedback/feedback.svelte';
import type { Mutable } from '../marks/mutes';
import type { Icons } from '../reading/icons.svelte';
import type { Places } from './places.svelte';
import type { Status } from './status.svelte';

export class SourceActions {
  constructor(
    private readonly platform: Platform,
    private readonly clock: Clock,
    private readonly places: Places,
    private readonly icons: Icons,
    private readonly status: Status,
    private readonly feedback: Feedback,
  ) {}

  pullAll(): void {
    this.platform.pullNow().catch(this.feedback.fail);
  }

  /** Has what was passed by read again. */
  readAgain(): void {
    this.platform.readAgain().catch(this.feedback.fail);
  }

  pull(id: number): void {
    this.platform.trySource(id).catch(this.feedback.fail);
  }

  pause(id: number, on: boolean): Promise<void> {
    const state: SourceRow['state'] = on ? { state: 'paused', since: this.clock.now } : { state: 'idle' };
    return this.#change(this.#with(id, { state }), () => this.platform.pauseSource(id, on));
  }

  setNotify(source: SourceRow, part: Partial<NotifySettings>): Promise<void> {
    const notify = { ...source.notify, ...part };
    return this.#change(this.#with(source.id, { notify }), () => this.platform.setSourceNotify(source.id, notify));
  }

  /** Lets a source that only counts make toasts, too, until undo takes that back. */
  async showToasts(source: SourceRow): Promise<void> {
    const set = async (notify: NotifySettings) => {
      await this.platform.setSourceNotify(source.id, notify);
      this.places.set({ sources: this.#with(source.id, { notify }) });
    };
    await this.feedback.attempt(async () => {
      await set({ ...source.notify, level: 'toast' });
      this.feedback.done(i18n.t.showsToasts(this.places.sourceName(source)), () => set(source.notify));
    });
  }

  /** Mutes a source, a topic or the like until `until` in ms since 1970; null until it is unmuted. */
  mute(what: Mutable, until: number | null): Promise<void> {
    const { t, lang } = i18n;
    const named = `“${what.name}”`;
    const done = until === null ? t.didMute(named) : t.didMuteUntil(named, moment(until, this.clock.today, lang));
    return this.#setMute(what, { ...what, muted: true, until }, done);
  }

  unmute(what: Mutable): Promise<void> {
    return this.#setMute(what, { ...what, muted: false, until: null }, i18n.t.didUnmute(`“${what.name}”`));
  }

  /** Keeps the notifications of an application of this desktop, or keeps them no longer. */
  keepApplication(source: SourceRow, name: string, on: boolean): Promise<void> {
    const applications = source.applications?.map((one) => (one.name === name ? { ...one, kept: on } : one)) ?? [];
    return this.#change(this.#with(source.id, { applications }), () =>
      this.platform.keepApplication(source.id, name, on),
    );
  }

  async setIcons(id: number, on: boolean): Promise<void> {
    await this.#change(this.#with(id, { show_icons: on }), () => this.platform.setSourceIcons(id, on));
    if (on) this.icons.reload();
  }

  /** Edits a source. Rejects if the program refuses the name, so that the form shows the reason. */
  async edit(id: number, form: SourceForm): Promise<SourceTest> {
    const test = await this.platform.editSource(id, form);
    if (test.ok) this.places.set({ sources: this.#with(id, { name: form.name }) });
    return test;
  }

  /** Moves a source by one line; announces the new position. */
  async move(source: SourceRow, by: 1 | -1): Promise<void> {
    const next = [...this.places.sources];
    const at = next.findIndex((one) => one.id === source.id);
    next.splice(at, 1);
    next.splice(at + by, 0, source);
    const ids = next.map((one) => one.id);
    await this.#change(next, () => this.platform.orderSources(ids));
    const position = this.places.sources.findIndex((one) => one.id === source.id) + 1;
    this.feedback.announce(i18n.t.moved(this.places.sourceName(source), position, ids.length));
  }

  /** Pauses toasts until `until` in ms since 1970; 0 until switched on again. */
  pauseToasts(until: number): void {
    this.platform.pauseToasts(until).catch(this.feedback.fail);
  }

  /** Ends the pause of toasts, which undo makes go on. */
  async resumeToasts(): Promise<void> {
    const before = this.status.sync?.paused_until ?? null;
    await this.feedback.attempt(async () => {
      await this.platform.pauseToasts(null);
      if (before !== null) this.feedback.done(i18n.t.pauseEnded, () => this.platform.pauseToasts(before));
    });
  }

  async #setMute(before: Mutable, after: Mutable, done: string): Promise<void> {
    const set = ({ source, origin, muted, until }: Mutable) =>
      muted ? this.platform.mute(source, origin, until) : this.platform.unmute(source, origin);
    await this.feedback.attempt(async () => {
      await set(after);
      this.feedback.done(done, () => set(before));
    });
  }

  #with(id: number, part: Partial<SourceRow>): SourceRow[] {
    return this.places.sources.map((one) => (one.id === id ? { ...one, ...part } : one));
  }

  async #change(sources: SourceRow[], ask: () => Promise<unknown>): Promise<void> {
    const before = [...this.places.sources];
    this.places.set({ sources });
    try {
      await ask();
    } catch (error) {
      this.places.set({ sources: before });
      this.feedback.fail(error);
    }
  }
}
