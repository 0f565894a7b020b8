// Composes the parts of the page's state. Each has one concern and is passed the others that it needs.
import type { Platform } from '../platform/platform';
import type { Clock } from './clock.svelte';
import { Digest } from './digest/digest.svelte';
import { Feedback } from './feedback/feedback.svelte';
import { ListScope } from './list/list-scope.svelte';
import { ThreadList } from './list/thread-list.svelte';
import { MarkQueue } from './marks/mark-queue';
import { Selection } from './marks/selection.svelte';
import { ThreadActions } from './marks/thread-actions';
import { CurrentThread } from './navigation/current-thread.svelte';
import { Dialogs } from './navigation/dialogs.svelte';
import { FirstRun } from './navigation/first-run.svelte';
import { ListMovement } from './navigation/list-movement';
import { Navigation } from './navigation/navigation.svelte';
import { ReadTracker } from './navigation/read-tracker';
import { Router } from './navigation/router';
import { Attachments } from './reading/attachments.svelte';
import { ComposerFiles } from './reading/composer-files.svelte';
import { Icons } from './reading/icons.svelte';
import { ItemActions } from './reading/item-actions';
import { ItemsSeen } from './reading/items-seen';
import { Reading } from './reading/reading.svelte';
import { TypeAhead } from './reading/type-ahead.svelte';
import { SavedSearches } from './search/saved-searches.svelte';
import { Search } from './search/search.svelte';
import { Settings } from './settings/settings.svelte';
import { Places } from './sources/places.svelte';
import { SourceActions } from './sources/source-actions';
import { Status } from './sources/status.svelte';

/** Every store but `startup`, which fills them. */
export type Parts = ReturnType<typeof composeParts>;

export function composeParts(platform: Platform, clock: Clock) {
  const feedback = new Feedback(() => clock.read());
  const dialogs = new Dialogs();
  const navigation = new Navigation();
  const places = new Places(platform);
  const status = new Status();
  const list = new ThreadList(platform);
  const composerFiles = new ComposerFiles(platform, feedback);
  const reading = new Reading(platform, composerFiles, feedback);
  const settings: Settings = new Settings(platform, feedback, {
    texts: () => Promise.all([list.refetch(), reading.refresh()]),
    grouping: async () => {
      if (list.group !== scope.listing.group) await list.show(scope.listing);
    },
  });
  const scope = new ListScope(settings);
  const icons = new Icons(platform, feedback);
  const selection = new Selection(list, navigation, feedback);
  list.rank = (source) => places.sources.findIndex((one) => one.id === source);
  list.keeps = (id) => selection.ids.has(id);
  list.isHeld = () => selection.on;
  list.leave = (ids) => selection.forget(ids);
  const search = new Search(platform, scope, list, places, selection, feedback);
  const firstRun = new FirstRun(navigation, scope, list);
  const readTracker = new ReadTracker(platform, list, feedback.fail);
  const markQueue = new MarkQueue();
  const itemsSeen = new ItemsSeen(reading, navigation);
  const currentThread = new CurrentThread(platform, navigation, list, reading, itemsSeen, markQueue, feedback);
  itemsSeen.watch = (thread) => void platform.watch(thread).catch(feedback.fail);
  itemsSeen.isCovered = () => selection.on;
  itemsSeen.read = (items) => void currentThread.read(items);
  itemsSeen.foundNothing = (thread) => currentThread.giveUp(thread);
  selection.landOn = (id) => currentThread.landOn(id);
  selection.chosen = () => currentThread.chosen;
  // What comes into a thread to which nobody has turned is not seen there.
  list.isOpen = (id) => navigation.threadId === id && navigation.threadVisible && !itemsSeen.holds(id);
  const router = new Router(
    navigation,
    scope,
    list,
    reading,
    search,
    selection,
    currentThread,
    readTracker,
    firstRun,
    dialogs,
    feedback,
  );
  search.ended = () => {
    reading.terms = [];
  };
  search.found = (first, opens) => {
    if (first === null) currentThread.clear();
    else if (opens) void router.openThread(first);
    else currentThread.landOnFound(first);
  };
  const movement = new ListMovement(navigation, list, selection, currentThread, feedback);
  return {
    platform,
    clock,
    feedback,
    dialogs,
    navigation,
    places,
    status,
    list,
    reading,
    settings,
    scope,
    selection,
    search,
    firstRun,
    readTracker,
    itemsSeen,
    currentThread,
    router,
    digest: new Digest(platform, clock, navigation, router, markQueue, feedback),
    movement,
    threadActions: new ThreadActions(
      platform,
      clock,
      scope,
      list,
      selection,
      reading,
      currentThread,
      movement,
      markQueue,
      feedback,
    ),
    typeAhead: new TypeAhead(),
    composerFiles,
    itemActions: new ItemActions(platform, list, movement, reading, composerFiles, markQueue, feedback),
    attachments: new Attachments(platform, feedback),
    savedSearches: new SavedSearches(platform, scope, places, router, feedback),
    icons,
    sourceActions: new SourceActions(platform, clock, places, icons, status, feedback),
  };
}
