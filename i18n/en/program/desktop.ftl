### The English texts of what the desktop does.

## A test notification

# The title of a test notification that does not come from a server.
testTitle = Tidings
# The text of a test notification.
testBody = A test notification
# The desktop showed the toast.
testShown = Shown by the desktop
# Quiet hours hold the toast back until then.
# $time (string)
testQuiet = Quiet hours last until { $time }. The notification is in the inbox; its toast appears then
# A pause holds the toast back.
testPaused = Toasts are paused. This notification is in the inbox. Resume toasts to see its toast
# The desktop’s do-not-disturb mode holds the toast back.
testDoNotDisturb = Not shown: the desktop’s Do Not Disturb is on. To see toasts, turn it off there
# The window has the focus, and toasts are off then.
testInFocus = Toasts are off while this window has the focus. The notification is in the inbox
# There is no notification daemon.
testNoDaemon = This desktop has no notification service. Start one, for example dunst. Tidings finds it automatically
# The daemon refused the toast.
testRefused = The notification service refused the notification. The log says why
# What the own server’s source may tell keeps the toast back.
testSource = Not shown: this computer’s toasts are off, or off for this priority. Change this in Settings, Sources
# No toast came in time.
testNothing = No toast appeared. A rule, or the notification settings of its thread, held it back

## In the background

# The title of the toast that says once that the program goes on without a window.
backgroundTitle = Tidings keeps running in the background
# How to come back, without a tray; the global shortcut if there is one.
# $keys (string or null)
backgroundBody =
    Start it again to open its window{ GIVEN($keys) ->
        [no] { "" }
       *[yes] , or press { $keys }
    }. To change this, open Settings, General.

## Outages

# These sources were out of reach for 15 minutes.
# $sources (list)
outageTitle = { LIST($sources, between: ", ") } cannot be reached
# Why, and what happens to their notifications.
# $reasons (list)
outageBody = For 15 minutes: { LIST($reasons, between: ", ") }. What is here is safe, and what is missing comes when it works again. Settings, About, Diagnostics says what you can do.

## The shortcut

# Another program has these keys.
# $keys (string)
shortcutTaken = Another program uses { $keys }. Choose other keys
# The keys cannot be a shortcut of the desktop.
shortcutInvalid = Choose a key together with Ctrl, Alt or Super
# This desktop lets no program have such keys.
shortcutUnsupported = On Wayland, only the desktop can set such keys. In its keyboard settings, add a shortcut that starts “tidings-desktop”. It shows the window
