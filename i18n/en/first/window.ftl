### The English texts of the window: places, the list, the sync status, the first steps.

# $value (number)
number = { $value }

## places

places = Places
search = Search
inbox = Inbox
unread = Unread
pinned = Pinned
snoozed = Snoozed
done = Done
announcements = Announcements
activity = Activity
conversations = Conversations
sources = Sources
thisComputer = This computer
savedSearches = Saved searches
savedSearch = Saved search
rename = Rename…
editSearch = Edit search…
removeSearch = Remove
openPlace = Open
resumeSource = Resume
resizePlaces = Width of the places
resizeList = Width of the list

## days

today = Today
yesterday = Yesterday
thisWeek = This week
earlier = Earlier

## a row

isUnread = unread
urgent = urgent
high = high
waitsToBeSent = waits to be sent
isMuted = muted
# $when (string)
isMutedUntil = Muted until { $when }
isQuiet = quiet
isPinned = pinned
# $count (number)
manyUnread = { $count } unread
# $count (number)
manyQuiet = { $count } quiet
# $unread (number), $quiet (number)
unreadCount =
    { $unread ->
        [0] { $quiet ->
            [0] { "" }
           *[other] { $quiet } quiet
        }
       *[other] { $quiet ->
            [0] { $unread } unread
           *[other] { $unread } unread, { $quiet } quiet
        }
    }
# $count (number), $quiet (number)
unreadThreads =
    { $count ->
        [0] { $quiet ->
            [0] { "" }
           *[other] { $quiet } quiet
        }
        [one] { $count } unread thread{ $quiet ->
            [0] { "" }
           *[other] , { $quiet } quiet
        }
       *[other] { $count } unread threads{ $quiet ->
            [0] { "" }
           *[other] , { $quiet } quiet
        }
    }
# $place (string), $count (string)
placeAndCount = { $place }: { $count }
quietHint = Unread, but not counted on the badge: muted or low priority. Click to show only these
# $when (string)
isSnoozedUntil = Snoozed until { $when }

## the sync status

ready = Ready
upToDate = Up to date
offline = Offline
starting = Starting
pulling = Fetching
# $done (number), $of (number)
pullingOf = Fetching { $done } of { $of }
# $who (string), $seconds (number)
retrying =
    { $seconds ->
        [0] { $who }: retrying
       *[other] { $who }: retrying in { $seconds } s
    }
# $who (string), $seconds (number)
goingOn =
    { $seconds ->
        [0] { $who }: continuing
       *[other] { $who }: continuing in { $seconds } s
    }
# $who (string)
signIn = { $who } needs sign-in
needsSignIn = needs sign-in
isPaused = paused
isRetrying = retrying
isEnded = stopped at its limit
# $when (string)
quietUntil = Quiet until { $when }
quiet = Quiet
doNotDisturb = Do not disturb
doNotDisturbHint = The desktop’s Do Not Disturb is on. To see toasts, turn it off there
toastsAgain = Toasts are shown again
pauseEnded = Pause ended
resumeToasts = Resume toasts
sourceLive = Live
sourceIdle = Up to date
sourcePaused = Paused. Nothing is fetched
# $when (string)
sourcePausedSince = Paused since { $when }. Nothing is fetched
sinceYesterday = yesterday
# $done (number)
sourcePulling = Fetching, { $done } so far. The newest notifications are already here
# $done (number), $of (number)
sourcePullingOf = Fetching { $done } of { $of }. The newest notifications are already here
# $why (string), $seconds (number)
sourceRetrying =
    { $seconds ->
        [0] { $why }. Retrying
       *[other] { $why }. Retrying in { $seconds } s
    }
# $why (string), $seconds (number)
sourceEnded =
    { $seconds ->
        [0] { $why }. Continuing
       *[other] { $why }. Continuing in { $seconds } s
    }
# $when (string)
sourceSignIn = Needs sign-in. The token was refused at { $when }
# $items (number)
sourceSkipped =
    { $items ->
        [one] { $items } item was too large to keep. It is still at the source
       *[other] { $items } items were too large to keep. They are still at the source
    }
# $items (number), $msgids (list), $more (boolean)
sourceMalformed =
    { $items ->
        [one] { $items } item could not be read and was skipped
       *[other] { $items } items could not be read and were skipped
    }{ GIVEN($msgids) ->
        [no] { "" }
       *[yes] { " " }({ LIST($msgids, between: ", ") }{ $more ->
            [true] , …
           *[false] { "" }
        })
    }. All others arrived. Tell the administrator of the source

## banners

# $when (string or null), $marks (number), $messages (number)
offlineBanner =
    { GIVEN($when) ->
        [no] Offline. Showing what is here
       *[yes] Offline. Showing what was here at { $when }
    }{ $marks ->
        [0] { $messages ->
            [0] .
            [one] ; { $messages } message waits to be sent.
           *[other] ; { $messages } messages wait to be sent.
        }
        [one] { $messages ->
            [0] ; { $marks } mark waits to be sent.
            [one] ; { $marks } mark and { $messages } message wait to be sent.
           *[other] ; { $marks } mark and { $messages } messages wait to be sent.
        }
       *[other] { $messages ->
            [0] ; { $marks } marks wait to be sent.
            [one] ; { $marks } marks and { $messages } message wait to be sent.
           *[other] ; { $marks } marks and { $messages } messages wait to be sent.
        }
    }
tryNow = Try now
notices = Notices
cannotShow = Nothing can be shown
cannotShowThread = This thread cannot be shown
dismiss = Dismiss

## search

suggestions = Suggestions
# $condition (string)
removeCondition = Remove { $condition }
saveSearch = Save this search…
nameOfSearch = Name of this search
# $name (string)
searchSaved = Saved as “{ $name }”
# $name (string)
searchRemoved = “{ $name }” removed
filterAndGroup = Filter and group
filterBy = Show only
groupBy = Group
groupByDay = Group by day
groupBySource = Group by source
groupByThread = Do not group
byDay = By day
bySource = By source
notAtAll = Not at all
onlyUnread = Show only unread
onlyQuiet = Show only quiet
quietItems = Unread and quiet
# $source (string)
onlyFrom = Show only { $source }
onlyAttachment = Show only threads with attachments
onlyLink = Show only threads with links
onlyPriority = Show only threads with high priority
withAttachment = With attachment
withLink = With link
highPriority = High priority
isOn = on
# $count (number), $more? (boolean)
threads =
    { $count ->
        [one] { $count }{ PLUS($more) } thread
       *[other] { $count }{ PLUS($more) } threads
    }
nothingMatches = Nothing matches
nothingMatchesHint = The filters hide other threads here
showAll = Show all

## the list

markAllRead = Mark all read
results = Results
# $count (number), $more? (boolean)
resultCount =
    { $count ->
        [one] { $count }{ PLUS($more) } thread, newest first
       *[other] { $count }{ PLUS($more) } threads, newest first
    }
nothingFound = Nothing found
# $text (string)
nothingFoundHint = No thread contains “{ $text }”
didYouMean = Did you mean
# $query (string), $count (number)
queryAndCount = “{ $query }” ({ $count })
# $text (string), $queries (list)
nothingButMaybe = Nothing for “{ $text }”. Did you mean “{ LIST($queries, between: "”, “") }”?
clear = Clear
# $count (number)
newItems = { $count } new
# $count (number)
newThreads =
    { $count ->
        [one] { $count } new thread
       *[other] { $count } new threads
    }
# $count (number)
newInThreads =
    { $count ->
        [one] Something new in { $count } thread
       *[other] Something new in { $count } threads
    }
quickActions = Quick actions
allRead = All read
allReadHint = Nothing left to read here
inboxEmpty = All done
# $count (number), $more (boolean)
doneToday = { $count }{ PLUS($more) } done today
inboxEmptyHint = New notifications appear here automatically
pinnedEmpty = Nothing pinned
pinnedEmptyHint = Pinned threads are kept here
snoozedEmpty = Nothing snoozed
snoozedEmptyHint = Snoozed threads return to the inbox at the time you chose
doneEmpty = Nothing done yet
doneEmptyHint = Archived threads are kept here
conversationsEmpty = No conversations yet
conversationsEmptyHint = Messages between you and others appear here
writeToSomeone = Write a message
placeEmpty = Nothing here yet
placeEmptyHint = New notifications appear here automatically

## first run

welcomeTitle = Nothing to read yet
welcomeLead = Any program that can run curl can notify you. Try it in a terminal:
welcomeLeadNoServer = Notifications from your sources appear here automatically.
curlText = Backup done
listening = Listening on this computer. Your first notification appears in the inbox.
autostart = Start at login
autostartHint = In the tray, without a window
everyKey = Every command has a shortcut
everyKeyHint = Start with these three
closeWelcome = Close this page
welcomeStays = You can find it again in Settings, About

## settings

settings = Settings
general = General
appearance = Appearance
keyboard = Keyboard
firstSteps = Getting started
firstStepsHint = Send your first notification and add a source
about = About
advanced = Advanced
toastsOn = New notifications are shown as toasts
pauseMenu = Pause toasts…
pauseFor = Pause toasts
forAnHour = For an hour
untilTomorrow = Until tomorrow
untilResumed = Until resumed
untilUnmuted = Until unmuted
language = Language
languageSystem = Same as the desktop
theme = Theme
themeSystem = Same as the desktop
themeLight = Light
themeDark = Dark
density = Density
densityHint = Space between the rows of lists
comfortable = Comfortable
compact = Compact
version = Version
aboutLead = Every notification, one inbox, even offline
licences = Tidings: MIT licence. Icons: Lucide, ISC licence
noSources = No sources
