### The English texts of the settings.

## shared by all pages

cancel = Cancel
leaveTitle = Leave without saving?
leaveText = Your changes here will be lost.
leave = Leave
edit = Edit
editMenu = Edit…
remove = Remove
removeMenu = Remove…
name = Name
# $value (number)
priorityName =
    { $value ->
        [1] Lowest (1)
        [2] Low (2)
        [3] Normal (3)
        [4] High (4)
       *[other] Urgent (5)
    }

## names of the pages

server = This computer’s server

## general

exportSettings = Export settings
exportSettingsHint = Settings, rules, saved searches and sources, without tokens
exportMenu = Export…
importSettings = Import settings
importSettingsHint = Replaces the settings here with those in a file

## appearance

# $value (number)
percent = { $value }%
zoom = Zoom
# $larger (string), $smaller (string), $reset (string)
zoomHint = Scales the whole window. Press { $larger } or { $smaller } to change it, { $reset } to reset it
textSize = Text size
textSizeHint = Changes text only, not pictures or icons
followsDesktop = Motion and contrast follow the desktop

## behaviour

testRow = Test notification
testRowHint = Sends a real notification and shows what the desktop replied
toastsInFocus = Toasts while this window has the focus
toastsInFocusHint = If off, new notifications appear in the list only
keepRunning = Keep running when the window is closed
keepRunningHint = In the tray, or in the background if there is none. Start Tidings again to open the window
desktopSearch = Show results in the desktop’s search
desktopSearchHint = In GNOME and Plasma. Other programs that you run can then read what a search finds
globalShortcut = Show or hide this window from anywhere
globalShortcutOff = Off
setGlobalShortcut = Choose shortcut…
removeGlobalShortcut = Turn off
globalUnusable = Press a key together with Ctrl, Alt or Super
# $keys (string or null)
globalNow =
    { GIVEN($keys) ->
        [no] No shortcut shows or hides the window
       *[yes] { $keys } shows and hides the window
    }

## shortcuts

keysNote = You can change almost every shortcut. Single letters do nothing while you type
changeKeys = Change shortcuts…
# $name (string)
changeKeysOf = Change shortcuts: { $name }
# $name (string)
keysFor = Shortcuts: { $name }
# $name (string), $keys (list)
keysNow =
    { GIVEN($keys) ->
        [no] { $name }: no shortcut
       *[yes] { $name }: { LIST($keys, between: ", ") }
    }
changeMenu = Change…
# $key (string)
changeWay = Change { $key }
# $key (string)
removeWay = Remove { $key }
addKeys = Add shortcut…
noKeys = No shortcut. The palette still has the command
pressKeys = Press the new shortcut
pressKeysHint = Esc to cancel
orAnotherKey = or press one more key for a sequence
keyUnusable = This shortcut cannot be used. Try another one
# $key (string)
keyReserved = { $key } can’t be changed: dialogs, menus and fields need it
keyStays = Fixed
# $key (string), $names (list)
keyTaken = { $key } is used by “{ LIST($names, between: "”, “", last: "” and “") }”
# $names (list)
keyAlso = Also used by “{ LIST($names, between: "”, “", last: "” and “") }”
swapKeys = Swap
takeKeys = Use it here
resetKeys = Reset to defaults
resetAllKeys = Default shortcuts
resetAll = Reset all
noKeysChanged = No shortcuts are changed
# $count (number)
keysChanged =
    { $count ->
        [one] { $count } command has changed shortcuts
       *[other] { $count } commands have changed shortcuts
    }
allKeysReset = All shortcuts were reset
keysBack = Your shortcuts were restored

## about

# $version (string)
newerVersion = Tidings { $version } is available
aboutNewerVersion = What’s new
tellNewerVersion = Tell me about newer versions
tellNewerVersionHint = Reads the list of versions once a day. Nothing is installed automatically
dataFolder = Data folder
logFolder = Log folder
diagnosisHint = Checks the desktop, the disk, the server and every source, and says how to solve problems
diagnosisReport = Report
diagnosisReportHint = For sending to someone. It has no tokens and names sources by their hosts
diagnosing = Checking this computer
diagnoseAgain = Check again
findingStates =
    .well = works
    .limited = works in part
    .trouble = does not work
openFolder = Open folder

## sources

addSource = Add source
addMenu = Add…
add = Add
type = Type
address = Address
addressMissing = Enter an address
token = Token
tokenHint = Stored in the desktop’s keyring if it has one
tokenMissing = Enter a token
sourceNameHint = Leave empty to use the host name
sourceTitleHint = Leave empty to use the title of the feed
test = Test
testing = Testing
# $name (string)
added = “{ $name }” added
signInMenu = Sign in…
# $name (string)
signInTo = Sign in to { $name }
signInNow = Sign in
editSourceMenu = Edit…
# $name (string)
editSourceTitle = Edit { $name }
editTokenHint = Leave empty to keep the saved token
nameMissing = Enter a name
# $name (string)
sourceMenu = More for { $name }
sourceOwnServer = Server settings
sourceKept = Removed. Its notifications are kept
# $name (string)
removeTitle = Remove “{ $name }”?
removeSourceText = Tidings stops fetching from it and deletes its token. A browser sign-in also ends at the server; nothing else changes there.
removeKeptText = Its notifications are deleted from this computer.
keepBrought = Keep its notifications
deleteBrought = Delete its notifications
# $name (string)
removed = “{ $name }” removed
notifyWith = Notify with
notifyToast = Toast and badge
notifyBadge = Badge only
notifyNothing = Nothing
fromPriority = From priority
showIcons = Sender icons
showIconsHint = Loaded from the sender’s server, which then sees your request. If this is off, you can show one at a time from the menu of an item
fromPriorityHint = Lower priorities are listed but not counted
# $value (number)
priorityAsAll = As in Notifications: { priorityName }
sound = Sound
whichSound = Which sound
# $name (string)
soundOf = Sound: { $name }
soundOfPriority =
    .low = Sound at low priority
    .normal = Sound at normal priority
    .high = Sound at high priority
    .urgent = Sound when urgent
# Names of the desktop's sound theme, each with its text.
soundNames =
    .message-new-instant = New message
    .bell = Bell
    .complete = Complete
    .dialog-information = Information
    .dialog-warning = Warning
    .dialog-error = Error
    .alarm-clock-elapsed = Alarm clock
soundSilent = Silent
soundFile = A file…
soundByPriority = By priority
soundAsSource = Same as the source

## notifications

toastsRow = Toasts
preview = Show content in toasts
previewHint = If off, toasts show the number and the source only
toastClick = A click on a toast opens
toastClickHint = Opening a link marks the item read. If there is no link, the thread opens
toastClickThread = The thread in Tidings
toastClickLink = Its link
earlyWake = Return snoozed threads early
earlyWakeHint = When something new arrives in them
quietSection = Quiet hours
quietNothing = Nothing is quiet. New notifications show a toast
untilEnded = until you end it
whyPaused = Paused
whySource = Muted source
# $source (string)
whyOrigin = Muted, from { $source }
# $source (string)
whyThread = Muted thread in { $source }
endQuiet = End
# $name (string)
endQuietOf = End: { $name }
quietHoursEnded = Quiet hours ended for now
# $count (number)
moreMuted =
    { $count ->
        [one] { $count } more muted thread
       *[other] { $count } more muted threads
    }
quietSchedules = Schedules
addQuiet = Add quiet hours
addQuietCalendar = Quiet while my calendar is busy
# $host (string)
quietWhileBusy =
    { GIVEN($host) ->
        [no] While a calendar is busy
       *[yes] While the calendar on { $host } is busy
    }
quietCalendar = Address of the calendar
quietCalendarHint = The private address in the iCal (ICS) format. Free and cancelled events do not count
whyCalendar = Busy in the calendar
# $trouble (choice)
calendarTrouble =
    { $trouble ->
        [address] Enter an address that begins with https:// or webcal://
        [offline] The calendar could not be read: no network. The events that are already known are used
        [no_answer] The calendar could not be read: its server does not answer. The events that are already known are used
        [refused] The calendar could not be read: its server refuses. Check the address
        [no_calendar] There is no calendar in the ICS format at this address
       *[too_large] The calendar is too large to read
    }
noQuiet = No quiet hours. Toasts appear at any time
everyDay = Every day
weekdays = Weekdays
weekends = Weekends
# $from (string), $to (string)
dayRange = { $from }–{ $to }
# $days (list)
dayList = { LIST($days, between: ", ") }
noDay = No day chosen
# $from (string), $to (string), $overnight (boolean)
hours =
    { $overnight ->
        [true] { $from }–{ $to } the next day
       *[false] { $from }–{ $to }
    }
# $days (string), $hours (string)
quietSummary = { $days }, { $hours }
quietDays = Start on
quietFrom = From
quietTo = To
# $example (string)
timeWrong = Enter a time like { $example }
quietHolds = Hold back
quietEverything = Everything
# $names (list)
quietOnly =
    { GIVEN($names) ->
        [no] Only sources that were removed
       *[yes] Only { LIST($names, between: ", ") }
    }
passes = Show toasts anyway for
passesNothing = Nothing
# $value (number)
passesFrom =
    { $value ->
        [5] { priorityName }
       *[other] { priorityName } and higher
    }
# $value (number or null)
passesText =
    { GIVEN($value) ->
        [no] No toasts
       *[yes] Toasts only for { passesFrom }
    }
quietRemoved = Quiet hours removed
notificationsAdvanced = Priority, sounds, what a click opens, when snoozed threads return
