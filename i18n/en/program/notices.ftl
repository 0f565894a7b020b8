### The English texts of notices of the program.

## Notices

# Notice: there is no tray host.
noticeNoTray = This desktop has no place for a tray icon. Closing the window quits Tidings.
# Notice: no tray host, and the program goes on without its window.
noticeNoTrayGoesOn = This desktop has no place for a tray icon. If you close the window, Tidings keeps running. Start it again to open the window.
# Notice: there is no notification daemon or no session bus.
noticeNoToasts = This desktop shows no notifications. New notifications are in the list. Tidings tries again automatically.
# Notice: there is no keyring, so tokens are in a file.
noticeNoKeyring = This desktop has no keyring. The token is kept in a file that only you can read.
# Notice that the usual port is in use.
# $usual (code), $now (code)
noticePortTaken = Another program uses port { $usual }. Tidings listens on port { $now }; what is published to { $usual } does not arrive.
# Notice that the own server did not start.
# $why (string)
noticeNoServer = This computer’s own server did not start: { $why }. What is here stays, and other sources keep working.
# Notice that the data folder cannot be written.
# $folder (string)
noticeReadOnly = Tidings cannot write to the folder { $folder }. Nothing new can be kept until it can; what is here stays.
# Notice: the disk is full.
noticeDiskFull = The disk is full. Nothing new can be kept until there is room; what is here stays.
# Notice: the disk fails.
noticeDiskFails = The disk has errors. Nothing new can be kept until it works again; what can still be read is shown.
# Notice that the replica can’t be opened, for example because it is from a newer version.
# $why (string)
noticeNoReplica = The inbox on this computer could not be opened: { $why }. Its file has not changed.
# What these sources sent is passed by.
# $names (list)
noticePassedBy = Tidings skips what { LIST($names, between: ", ") } sent, because it could not be read before. What is here is safe.
# Notice that the replica is damaged.
noticeDamaged = The inbox on this computer is damaged. It is a copy. If you repair it, Tidings fetches it again from its sources and keeps all drafts, marks, pins, rules and settings that can be read.
# Notice that a wrong clock left stamps of the own server in the future.
noticeClockAhead = The clock of this computer was ahead for a while, so its server gives new notifications times in the future. Nothing is lost. If the clock is right now, correct the times: notifications keep their order, and marks and drafts stay.
# Notice that the replica was repaired and is used from the next start on.
noticeRepaired = The inbox on this computer is repaired. Quit Tidings and start it again to use it.
# Notice that there is a newer version of the program.
# $version (string)
noticeNewerVersion = Tidings { $version } is available.

## A repair

# The replica was repaired; `lost` has the sources that could not be read, and `parts` counts what else could not.
# $items (number), $lost (list), $parts (number)
repaired =
    The inbox is repaired. { $items } notifications were kept, and all sources are fetched again{ $parts ->
        [0] { "" }
        [one] . One part of the damaged inbox could not be read
       *[other] . { $parts } parts of the damaged inbox could not be read
    }{ GIVEN($lost) ->
        [no] { "" }
       *[yes] . These sources could not be read; add them again: { LIST($lost, between: ", ") }
    }
# The replica could not be repaired.
# $why (string)
notRepaired = The inbox was not repaired: { $why }. It has not changed. Quit Tidings and run `tidings repair` in a terminal
