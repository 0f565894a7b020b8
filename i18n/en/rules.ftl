### The English texts of rules.

addRule = Add rule
rulesHint = Mute, archive, mark read or pin new notifications, or change their priority
noRules = No rules
noRulesHint = Add one here, or from the menu of a thread
rulesOrder = Rules run from top to bottom. Each rule sees the priority that the rules above it set.
dragRule = Drag to move
# $today (number), $days (number)
ruleDid =
    { $today ->
        [0] { $days } in the last 14 days
       *[other] { $today } today, { $days } in the last 14 days
    }
ruleDidNothing = Nothing in the last 14 days
ruleDidMenu = What it did…
# $name (string)
ruleDidTitle = What “{ $name }” did
ruleDidDays = Notifications a day
ruleDidLast = The last notifications
ruleDidNone = It acts on new notifications.
ruleDidGone = They are no longer here.
# $did (list), $when (string)
ruleActed = { UPPER(LIST($did, between: ", ", last: " and ")) } · { $when }
newRule = New rule
editRule = Edit rule
ruleNameHint = Leave empty to name it after what it does
ruleWhen = If all of these are true
ruleThen = Then
addCondition = Add condition
addAction = Add action
any = Any
messages = Messages
actor = Who
actorHint = The full ID or name
target = About
targetHint = ID or title of the target, the topic, or the repository
reason = Reason
reasonHint = What happened: comment, mention, review-requested
ruleTerms = Words
ruleTermsHint = All must occur in the title or text. Use "…" for a phrase
ruleTags = Tags
ruleTagsHint = Any one of them is enough
# $text (string)
ruleNoSource = No source is called “{ $text }”
lowestPriority = Lowest priority
highestPriority = Highest priority
thenMute = Mute the thread
thenArchive = Archive
thenRead = Mark read
thenReadHint = In conversations and announcements, only if nothing before it is unread. The sender sees that it was read.
thenPin = Pin the thread
thenNoToast = No toast
thenPriority = Priority
priorityStays = Unchanged
# $up (boolean), $steps (number)
priorityBy =
    { $up ->
        [true] Raise by { $steps }
       *[false] Lower by { $steps }
    }
ruleNoWhen = Set at least one condition
ruleNoThen = Choose at least one action
rulePriorities = The lowest priority is above the highest
tryRule = Try
trying = Trying
# $matches (number), $of (number)
trial =
    { $matches ->
        [0] None of the newest { $of } match
       *[other] { $matches ->
            [one] { $matches } of the newest { $of } matches
           *[other] { $matches } of the newest { $of } match
        }
    }
trialRows = The newest threads that match
removeRuleText = The changes that it made stay.
# $name (string)
ruleMenu = More for { $name }
applyHere = Also apply to existing notifications
applyHereHint = Archives, marks read, pins or mutes matches among the newest 10,000. You can undo this
ruleSaved = Rule saved
# $when (list), $then (list)
ruleSentence = { UPPER(LIST($when, between: " ")) }: { LIST($then, between: ", ", last: " and ") }
ruleKind =
    .announcement = announcements
    .reminder = activity
    .message = messages
ruleEverything = everything
# $source (string)
ruleFrom = from { $source }
ruleSourceGone = a source that was removed
# $who (string)
ruleBy = by { $who }
# $what (string)
ruleAbout = about { $what }
# $what (string)
ruleReason = with the reason “{ $what }”
# $tags (list)
ruleTagged = tagged { LIST($tags, between: ", ", last: " or ") }
# $text (string)
ruleWith = with “{ $text }”
# $from (number), $to (number)
rulePriority =
    { $to ->
        [5] of priority { $from } or higher
       *[other] { $from ->
            [1] of priority { $to } or lower
           *[other] of priority { $from } to { $to }
        }
    }
# $priority (number)
rulePriorityIs = of priority { $priority }
doMute = mute
doArchive = archive
doRead = mark read
doPin = pin
doNoToast = no toast
# $up (boolean), $steps (number)
doPriority =
    { $up ->
        [true] raise the priority by { $steps }
       *[false] lower the priority by { $steps }
    }
doNothing = nothing
