### The English texts of the digest.

digest = Digest
openDigest = Open digest
keyDigest = Open the digest
# $span (string)
digestOf = Digest since: { $span }
# $items (number), $more (boolean), $when (string)
awayBanner = While you were away: { $items }{ PLUS($more) } new since { $when }
# $time (string)
yesterdayAt = yesterday { $time }
since = Since
sinceAway = my last visit
sinceEvening = yesterday evening
sinceDay = 24 hours ago
sinceDays = 3 days ago
sinceWeek = a week ago
sinceTime = another time…
show = Show
# $count (number)
notificationCount =
    { $count ->
        [one] { $count } notification
       *[other] { $count } notifications
    }
# $items (number), $threads (number), $sources (number), $when (string)
digestTotals =
    { $items } { $items ->
        [one] notification
       *[other] notifications
    } in { $threads } { $threads ->
        [one] thread
       *[other] threads
    } from { $sources } { $sources ->
        [one] source
       *[other] sources
    } since { $when }
# $unread (string), $high (number)
digestStates =
    { GIVEN($unread) ->
        [no] All read
       *[yes] { $unread }
    }{ $high ->
        [0] { "" }
       *[other] , { $high } with high priority
    }
# $when (string)
digestShortened = Not everything fits here. Notifications older than { $when } are in the inbox
digestEmpty = Nothing new
digestDone = All archived
# $when (string)
digestEmptyHint = Nothing new in the inbox since { $when }
newByHour = By hour
newByDay = By day
# $items (number), $by (choice)
digestMost =
    { $by ->
        [hour] Most in an hour: { $items }
       *[day] Most in a day: { $items }
    }
people = People
# $count (number)
andMorePeople = and { $count } more
# $count (number)
andMoreThreads =
    { $count ->
        [one] and { $count } more thread
       *[other] and { $count } more threads
    }
archiveAll = Archive all
# $name (string)
archiveAllOf = Archive all from { $name }
# $count (number)
didArchiveItems =
    { $count ->
        [one] { $count } notification archived
       *[other] { $count } notifications archived
    }
# $count (number)
itemsAreBack =
    { $count ->
        [one] { $count } notification is back
       *[other] { $count } notifications are back
    }
