### The English texts of the digest.

since = Since
sinceAway = my last visit
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
