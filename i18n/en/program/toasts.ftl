### The English texts of toasts, tray and buttons.

## Tray and tooltip

# The numbers of unread items, with those that are quiet.
# $counted (number), $quiet (number)
unreadCount =
    { $counted ->
        [0] { $quiet ->
            [0] All read
           *[other] { $quiet } quiet
        }
       *[other] { $quiet ->
            [0] { $counted } unread
           *[other] { $counted } unread, { $quiet } quiet
        }
    }
# Added to the tooltip during quiet hours.
# $time (string)
quietUntil = Quiet until { $time }
# Added to the tooltip while toasts are paused.
paused = Toasts are paused
# Tray menu: show the window.
menuOpen = Open Tidings
# Tray menu: mark everything as read.
menuMarkAllRead = Mark all read
# Tray menu: pause toasts.
menuPause = Pause toasts
# Tray menu: pause toasts for an hour.
menuPauseHour = Pause toasts for an hour
# Tray menu: pause toasts until the next morning.
menuPauseTomorrow = Pause toasts until tomorrow
# Tray menu: end the pause.
menuResume = Resume toasts
# Tray menu: end the program.
menuQuit = Quit

## Toasts

# The toast’s button that opens the window.
toastOpen = Open
# The toast’s button that marks its items as read.
toastRead = Mark read
# The toast’s button that archives its items.
toastArchive = Archive
# The toast’s button that opens its field for a message.
toastReply = Reply
# The toast’s button that opens its field for the answer to a question.
toastAnswer = Answer
# A toast that stands for several items of a thread.
# $heading (string), $count (number)
toastSeveral = { $count } new in { $heading }
# A toast that stands for several messages of one person.
# $who (string), $count (number)
toastSeveralFrom = { $count } new from { $who }
# The summary after a gap or a silence.
# $source (string), $count (number)
toastGap = { $source }: { $count } new while you were away
# The summary in a storm.
# $source (string), $count (number)
toastStorm = { $source }: { $count } new
# The pressed button differs from the one that was shown.
buttonChanged = This button has changed since it was shown, so nothing was done. Open the notification and press its button there
# The answer in words of a toast whose field has changed since it was shown.
replyChanged = This toast has changed since it was shown, so nothing was sent. Open the notification and answer there
# The label of a toast’s button that sends a request.
# $label (string), $host (string)
toastCalls = { $label } ({ $host })

## Buttons that call

# The address is on this computer or its network, and content may not call it.
# $host (string)
privateHost = { $host } is on this computer or its network. Nothing was sent: only a source at that address may call it
# A button’s request succeeded.
done = Done
# The sentence after a button copied a text.
copied = Copied
# A button’s request was answered with another status than success.
# $host (string), $status (code)
answered = { $host } answered { $status }
# A button’s request got no answer.
# $host (string)
noAnswer = { $host } did not answer
