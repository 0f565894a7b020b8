// Navigation: to a place, to a thread, to a tab of the settings, and back to the list.

import type { PendingAction } from '../../generated/PendingAction';
import type { Place } from '../../generated/Place';
import type { Feedback } from '../feedback/feedback.svelte';
import type { ListScope } from '../list/list-scope.svelte';
import type { ThreadList } from '../list/thread-list.svelte';
import { samePlace } from '../marks/marks';
import type { Selection } from '../marks/selection.svelte';
import type { Reading } from '../reading/reading.svelte';
import type { Search } from '../search/search.svelte';
import type { CurrentThread } from './current-thread.svelte';
import type { Dialogs } from './dialogs.svelte';
import type { FirstRun } from './first-run.svelte';
import type { Navigation, SettingsSection, SettingsTab } from './navigation.svelte';
import type { ReadTracker } from './read-tracker';

export class Router {
  constructor(
    private readonly navigation: Navigation,
    private readonly scope: ListScope,
    private readonly list: ThreadList,
    private readonly reading: Reading,
    private readonly search: Search,
    private readonly selection: Selection,
    private readonly currentThread: CurrentThread,
    private readonly readTracker: ReadTracker,
    private readonly firstRun: FirstRun,
    private readonly dialogs: Dialogs,
    private readonly feedback: Feedback,
  ) {}

  async go(place: Place): Promise<void> {
    const { navigation, scope } = this;
    navigation.placesOpen = false;
    navigation.view = 'threads';
    const same = samePlace(place, scope.place) && scope.query === null;
    this.leaveList();
    scope.place = place;
    this.search.leave();
    if (!same) {
      navigation.threadId = null;
      this.currentThread.close();
    }
    scope.filters = [];
    await this.list.show(scope.listing).catch(this.feedback.fail);
  }

  /** Opens a thread and reads what is on screen of it, at the item whose msgid is `item`. `pressed` is a button of that item that
   * was pressed in a toast and has to be confirmed before its request is sent. */
  async openThread(id: number, item: string | null = null, pressed: PendingAction | null = null): Promise<void> {
    this.navigation.view = 'threads';
    this.firstRun.set({ show: false });
    this.currentThread.choose(id, item);
    this.navigation.threadOpen = true;
    this.currentThread.readAtOnce(id);
    if (item !== null && pressed !== null) this.dialogs.action = { thread: id, msgid: item, ...pressed };
  }

  /** Opens the form of a new conversation. */
  newConversation(): void {
    this.navigation.placesOpen = false;
    this.dialogs.compose = true;
  }

  openSettings(tab: SettingsTab, section: SettingsSection | null = null): void {
    this.leaveList();
    Object.assign(this.navigation, {
      settingsTab: tab,
      settingsSection: section,
      view: 'settings',
      placesOpen: false,
    });
  }

  /** Opens the search field, or searches for its text, of which a condition may still be being typed. */
  searchFor(query: string, typing?: boolean): void {
    Object.assign(this.navigation, { view: 'threads', placesOpen: false, threadOpen: false });
    if (this.scope.query === null) this.leaveList();
    else this.selection.clear();
    this.search.follow(query, typing);
  }

  /** In one pane: goes back from the thread to the list. */
  backToList(): void {
    this.navigation.threadOpen = false;
    this.reading.leave();
  }

  /** Resets what belongs to the current list before another one is shown. */
  leaveList(): void {
    this.readTracker.reset();
    this.selection.clear();
  }
}
