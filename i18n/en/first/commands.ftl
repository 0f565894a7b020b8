### The English texts of commands, their results, the list of keys and the palette.

## actions on a thread

archive = Archive
unarchive = Bring back
snooze = Snooze
snoozeTo = Snooze…
unsnooze = Unsnooze
pin = Pin
unpin = Unpin
markRead = Mark read
markUnread = Mark unread
mute = Mute this thread
unmute = Unmute this thread
muteForTime = Mute for a while
# $span (string)
muteSpan = Mute { LOWER($span) }
# Of a topic, an application or a repository, and of the source of a place.
# $name (string)
muteOrigin = Mute all from { $name }
# $name (string), $span (string)
muteOriginSpan = Mute all from { $name } { LOWER($span) }
# $name (string)
unmuteOrigin = Unmute all from { $name }
# The word for the services of threads in the texts about subscriptions, if there are several.
theirServices = their services
# $service (string)
subscribeAt = Subscribe at { $service }
# $service (string)
unsubscribeAt = Unsubscribe at { $service }
# $service (string)
muteAt = Mute here and at { $service }
previous = Previous
next = Next
more = More
back = Back
open = Open
# $host (string)
openHost = Open at { $host }
# $count (number)
openLinks = Open { $count } links
# $threads (number)
noLink =
    { $threads ->
        [one] This thread has no link
       *[other] These threads have no link
    }
# $count (number), $most (number)
tooManyLinks = { $count } links are too many to open at once. Select at most { $most }
copyLink = Copy link
# $host (string)
showIcon = Show the icon from { $host }
undo = Undo

## selection

leaveSelection = Clear selection
# $count (number)
selected = { $count } selected
# $count (number), $place (string), $more (boolean)
allIn = All { $count }{ PLUS($more) } in { $place }
# $count (number), $place (string), $more (boolean)
selectAllIn = Select all { $count }{ PLUS($more) } in { $place }
# $count (number), $more (boolean)
threadsSelected =
    { $count ->
        [one] { $count }{ PLUS($more) } thread selected
       *[other] { $count }{ PLUS($more) } threads selected
    }
# $unread (number), $from (list)
selectedFrom =
    { $unread ->
        [0] All read, from { LIST($from, between: ", ", last: " and ") }
       *[other] { $unread } unread, from { LIST($from, between: ", ", last: " and ") }
    }
# $name (string)
snoozeOne = Snooze “{ $name }” until
# $count (number), $more? (boolean)
snoozeMany =
    { $count ->
        [one] Snooze until
       *[other] Snooze { $count }{ PLUS($more) } threads until
    }
inAnHour = In 1 hour
laterToday = Later today
tomorrow = Tomorrow
nextWeek = Next week
typedTime = Enter a time in words
typedTimeHint = Fri 9:00, in 20 min, 3 Dec
timeNotRead = Enter a time such as “fri 9:00” or “in 20 min”
# $when (string)
timeIsPast = { $when } is in the past
# $when (string)
timeIsToCome = { $when } is in the future
calendar = Choose a time…
previousMonth = Previous month
nextMonth = Next month
timeOfDay = Time
snoozeNote = Returns early if something new arrives

## the snackbar

# The threads that an action was about, within a sentence: a single one by its name.
# $count (number), $name (string or null)
theThreads =
    { GIVEN($name) ->
        [no] { $count ->
            [one] { $count } thread
           *[other] { $count } threads
        }
       *[yes] “{ $name }”
    }
# $what (string)
didArchive = { $what } archived
# $what (string)
didUnarchive = { $what } brought back
# $what (string), $when (string)
didSnooze = { $what } snoozed until { $when }
# $what (string)
didUnsnooze = { $what } unsnoozed
# $what (string)
didPin = { $what } pinned
# $what (string)
didUnpin = { $what } unpinned
# $what (string)
didMute = { $what } muted
# $what (string), $when (string)
didMuteUntil = { $what } muted until { $when }
# $what (string)
didUnmute = { $what } unmuted
# $what (string), $service (string)
didSubscribe = { $what } subscribed to at { $service }
# $what (string), $service (string)
didUnsubscribe = { $what } unsubscribed from at { $service }
# $what (string), $service (string)
didMuteAt = { $what } muted here and at { $service }
# $what (string)
didDelete = { $what } deleted
# $what (string)
didRead = { $what } marked read
# $what (string)
didUnread = { $what } marked unread
didReadAll = All marked read
notifyChanged = Notification settings of this thread changed
# $who (string), $what (string)
whoAndWhat = { $who }: { $what }
# The action that an undo took back, by its sentence.
# $what (string)
undone = Undone: { $what }
# $count (number), $what (string)
areBack =
    { $count ->
        [one] { $what } is back
       *[other] { $what } are back
    }
# $what (string)
wouldUndo = Would undo: { $what }
nothingToUndo = Nothing to undo
nothingUnread = No unread threads here
nothingNew = Nothing new
allWereRead = Everything here is already read
linkCopied = Link copied

## keys

keys = Keyboard shortcuts
close = Close
keyThreads = Threads
keyPlaces = Places
keyWindow = Window
keyNext = Next thread
keyPrevious = Previous thread
keyOpen = Open in the reading pane
keyNextItem = Next item in the thread
keyPreviousItem = Previous item in the thread
keyAnswer = Answer a question by choice number
keyOpenLink = Open the link in the browser
keyOpenLinkBehind = Open the link in the background
keyArchive = Archive or bring back
keyUnread = Mark read or unread
keySnooze = Snooze
keyPin = Pin
keyMute = Mute the thread
keyMuteThere = Mute here and at the source
keySubscription = Subscribe or unsubscribe at the source
keyAttach = Attach a file
keySelect = Select
keyExtend = Extend the selection
keyExtendUp = Extend the selection upwards
keyPageDown = Page down in the list
keyPageUp = Page up in the list
keyMoveSavedUp = Move a saved search up
keySelectAll = Select all that match
keyUndo = Undo
keyFirst = First thread
keyLast = Last thread
keyMenu = Open the menu of the thread or place
keyRename = Rename a saved search
keyMoveSaved = Move a saved search
keyRemoveSaved = Remove a saved search
# $name (string)
renameSearch = Rename “{ $name }”…
# $name (string)
removeSearchOf = Remove “{ $name }”
keyFresh = Go to new items
keyNextUnread = Next unread
keyPreviousUnread = Previous unread
keySearch = Search
keyHelp = Keyboard shortcuts
keyPalette = Commands, places and threads
keyPane = Next or previous pane
keyPage = Page down, then the next thread
keyAllRead = Mark all read here
keyPull = Check now
readAgain = Try again
keySettings = Settings
keyThen = then
keyOr = or
keyEscape = Go back one step

## the palette

commands = Commands
paletteHint = Find a command, a place or a thread
lastUsed = Last used
choose = choose
run = run
toClose = close
searchAllWith = Search all notifications with
# $place (string)
markAllReadIn = Mark all read in { $place }
# $format (string)
exportOf = Export as { $format }…
quit = Quit Tidings
# $name (string)
settingsOf = Settings: { $name }
# $name (string)
useTheme = Theme: { $name }
# $name (string)
useDensity = Density: { $name }
# $name (string)
useLanguage = Language: { $name }
# $span (string)
pauseToastsFor = Pause toasts { LOWER($span) }
# $unread (number)
conversationWith =
    { $unread ->
        [0] Conversation
       *[other] Conversation, { $unread } unread
    }
# $source (string), $day (string)
sourceAndDay = { $source }, { $day }
source = Source
failed = The action failed
