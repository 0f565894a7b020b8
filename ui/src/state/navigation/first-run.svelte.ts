// The first-run page: shown in place of an empty inbox until something arrives or the reader closes it.
import type { FirstRun as State } from '../../generated/FirstRun';
import type { ListScope } from '../list/list-scope.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import type { Navigation } from './navigation.svelte';

export class FirstRun {
  state: State = $state.raw({ show: false, publish_url: null, autostart: null });
  #dismissed = false;

  constructor(
    private readonly navigation: Navigation,
    private readonly scope: ListScope,
    private readonly list: ThreadList,
  ) {}

  get visible(): boolean {
    const inbox = this.scope.query === null && this.navigation.view === 'threads' && this.scope.place.place === 'inbox';
    return this.state.show && inbox && this.list.ids.length === 0;
  }

  /** Applies the program's answer, unless something arrived before it. */
  start(state: State): void {
    this.state = this.#dismissed ? { ...state, show: false } : state;
  }

  dismiss(): void {
    this.#dismissed = true;
    this.set({ show: false });
  }

  set(part: Partial<State>): void {
    this.state = { ...this.state, ...part };
  }
}
