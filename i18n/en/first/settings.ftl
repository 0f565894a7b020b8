### The English texts of the settings, the topics and publishing that the window names as well.

## shared by all pages

save = Save
moveUp = Move up
moveDown = Move down

# $name (string), $place (number), $of (number)
moved = { $name } is number { $place } of { $of }

## names of the pages

notifications = Notifications
rules = Rules
storage = Storage
storageMenu = Storage…
aboutMenu = About…
serverMenu = Server settings…

## general

# $text (string), $path (string)
fileAt = { $text }: { $path }

## appearance

# $value (number)
zoomIs = Zoom { $value }%

zoomIn = Zoom in
zoomOut = Zoom out
zoomReset = Reset zoom to 100%

# $value (number)
useTextSize = Text size: { $value }%

## behaviour

sendTestNotification = Send a test notification
sendingTest = Waiting for the desktop

## about

diagnosis = Diagnostics

## sources

addASource = Add a source
pauseSource = Pause
muteSource = Mute
unmuteSource = Unmute
muted = Muted
sounds = Sounds

## notifications

quietNow = Quiet right now

# $when (string)
untilWhen = until { $when }

# $source (string)
showsToasts = “{ $source }” now shows toasts

quietHours = Quiet hours

## the pages of sources

otherPrograms = Other programs
noise = Notification statistics
proxy = Proxy
certificates = Certificates
importCommand = Import sources…

## topics

topics = Topics

## publish

publish = Publish

## a notification on a topic of a source

publishTitle = Publish to a topic
publishOnTopic = Publish to a topic…

# $topic (string)
publishOn = Publish to “{ $topic }”…

## rules

makeRule = Create a rule from this thread…

# $count (number)
ruleApplied =
    { $count ->
        [0] Rule saved. No existing notification had to change
       *[other] { $count ->
            [one] Rule saved and applied to { $count } thread
           *[other] Rule saved and applied to { $count } threads
        }
    }

# $count (number)
ruleTakenBack =
    { $count ->
        [one] Undone for { $count } thread. The rule stays
       *[other] Undone for { $count } threads. The rule stays
    }

## storage

repair = Repair
repairing = Repairing
mendClock = Correct times
mendingClock = Correcting times
clockMended = Times corrected. Everything is fetched again

exportFormats =
    .json = JSON
    .csv = CSV, a table
    .mbox = mbox, for a mail program

backupMenu = Back up…

## this computer's server

port = Port
tokens = Tokens
users = People on this server
