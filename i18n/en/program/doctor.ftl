### The English texts of the doctor: what works on this computer, and what to do.

## The parts

# The name of a part.
partSession = Desktop session
# The name of a part.
partTray = Tray
# The name of a part.
partNotifications = Notification service
# The name of a part.
partSounds = Sounds
# The name of a part.
partKeyring = Keyring
# The name of a part.
partPortals = Desktop portal
# The name of a part.
partWebView = Web view
# The name of a part.
partAutostart = Start at login
# The name of a part.
partFolder = Data folder
# The name of a part.
partDisk = Disk
# The name of a part.
partInbox = Inbox
# The name of a part.
partServer = Server’s database
# The name of a part.
partPort = This computer’s server
# The name of a part.
partClock = Clock
# The name of a part.
partVersion = Version
# The name of a part.
partSource = Source

## The desktop

# There is no desktop’s session here.
noSession = There is no desktop here. Its parts were not checked
# There is a session bus.
bus = There is a session bus
# There is no session bus.
noBus = There is no session bus. Toasts, tray icon and keyring need one
# What to do then.
noBusAdvice = Log in to the desktop again, or start Tidings with dbus-run-session
# Something shows tray icons.
trayHost = The desktop shows tray icons
# Nothing shows tray icons.
noTrayHost = Nothing here shows tray icons. Tidings keeps running without one
# What to do then.
noTrayHostAdvice = Add a tray to the panel. GNOME needs the extension AppIndicator
# What shows notifications, with what it can do.
# $name (string), $version (string), $abilities (list)
daemon = { $name } { $version }; { LIST($abilities, between: ", ") }
# What shows notifications has no buttons.
# $daemon (string)
noButtons = It shows no buttons: { $daemon }
# What to do then.
noButtonsAdvice = Use the buttons in the window, or another notification service, for example dunst
# Nothing shows notifications.
noDaemon = None answers, so there are no toasts
# What to do then.
noDaemonAdvice = Start one, for example dunst. Tidings finds it automatically
# What plays sounds.
# $player (string)
sounds = { $player } plays them
# Nothing plays sounds.
noSounds = Toasts are silent, because the notification service plays no sounds
# What to do then.
noSoundsAdvice = Install canberra-gtk-play: on Debian and Ubuntu the package gnome-session-canberra
# The keyring is open.
keyringOpen = It is open
# The keyring is locked.
keyringLocked = It is locked. New tokens are kept in a file that only you can read
# What to do then.
keyringLockedAdvice = Unlock it, for example in the program Passwords and Keys
# There is no keyring.
noKeyring = There is none. Tokens are kept in a file that only you can read
# What to do then.
noKeyringAdvice = To keep them encrypted, install a keyring, for example gnome-keyring
# The interfaces of the portal.
# $names (list)
portals = { LIST($names, between: ", ") }
# There is no portal.
noPortals = There is none, so the proxy of the desktop is not known
# What to do then.
noPortalsAdvice = Install xdg-desktop-portal if you need that proxy, or set one in Settings, Sources
# There is no web view.
noWebView = It is missing, so no window can open
# What to do then.
noWebViewAdvice = Install WebKitGTK: on Debian and Ubuntu the package libwebkit2gtk-4.1-0
# The app starts at login.
autostartOn = On
# The app does not start at login.
autostartOff = Off

## The data folder and its disk

# The data folder can be written.
folder = It can be written
# The data folder cannot be written.
# $why (string)
folderRefused = It cannot be written: { $why }
# What to do then.
folderRefusedAdvice = Give your user write access to it, or set another folder with TIDINGS_DATA_DIR
# The free space of the disk.
# $free (string)
diskFree = { $free } free
# So little space is free that nothing is fetched.
# $free (string)
diskLow = Only { $free } free, so nothing is fetched
# The disk is full.
diskFull = It is full, so nothing can be kept
# What to do if there is little space or none.
diskAdvice = Free up space on it
# The disk has room for no more files.
noFilesLeft = It cannot hold more files
# What to do then.
noFilesLeftAdvice = Delete files on it, for example caches with many small ones

## Databases

# There is no such database yet.
noDatabase = There is none yet
# The database is intact.
databaseSound = It is intact
# The database is damaged.
databaseDamaged = It is damaged
# What to do then.
damagedInboxAdvice = Repair it in the window, or with tidings repair
# What to do then.
damagedServerAdvice = Restore a backup in Settings, Storage, or with tidings restore. Keep the damaged file
# Another program has the database for itself.
databaseInUse = Another program is using it, as during a restore
# What to do then.
databaseInUseAdvice = Wait until that program is done, or end it
# The database cannot be opened.
# $why (string)
databaseRefused = It cannot be opened: { $why }
# What to do then.
databaseRefusedAdvice = Check this file. Nothing was changed in it
# A shared database answers.
databaseAnswers = It answers
# A shared database does not answer.
databaseSilent = It does not answer
# What to do then.
databaseSilentAdvice = Check its address in --store or TIDINGS_STORE, and whether PostgreSQL runs
# The server’s times are in the future.
stampsAhead = A wrong clock left times in the future
# What to do then.
stampsAheadAdvice = Check the clock. If it is right, correct the times in the window, or with tidings check --mend-clock

## The server, the clock and the version

# The port on which the own server answers.
# $port (code)
port = It answers on port { $port }
# Another program has the own server’s port; the port on which it answers instead, if it runs.
# $wanted (code), $actual (string or null)
portTaken =
    Another program uses port { $wanted }{ GIVEN($actual) ->
        [no] { "" }
       *[yes] . It answers on port { $actual }
    }
# What to do then.
portTakenAdvice = End that program, or choose another port in Settings, This computer, Advanced
# The own server does not run.
serverOff = It does not run
# The own server did not start.
# $why (string)
serverFailed = It did not start: { $why }
# What to do then.
serverFailedAdvice = Start Tidings again. The log says more
# The clock agrees with those of the servers.
clockRight = It agrees with the servers
# The clock differs from that of a server by some time.
# $isBehind (boolean), $span (string), $host (string)
clockOff =
    { $isBehind ->
        [true] It is { $span } behind the clock of { $host }
       *[false] It is { $span } ahead of the clock of { $host }
    }
# What to do then.
clockOffAdvice = Set the time of this computer. If it is right, tell the server’s administrator
# A time of several days.
# $count (number)
days = { $count } days
# A time of several hours.
# $count (number)
hours = { $count } hours
# A time of minutes.
# $count (number)
minutes = { $count } minutes
# The clock jumped, so that nothing is removed by age for some hours of running.
# $hours (number)
ageHold = It jumped ahead, so nothing is removed by age for { $hours } more hours of running
# What to do then.
ageHoldAdvice = Check the date and the time of this computer
# There is a newer version.
# $version (string)
newerVersion = Tidings { $version } is available
# What to do then.
newerVersionAdvice = Install it as you installed this version
# There is no newer version.
newestVersion = There is no newer one
# The feed of releases did not answer.
noReleases = The list of newer ones could not be read
# What to do then.
noReleasesAdvice = Check the network. Tidings tries again within a day

## Sources

# The reader paused the source.
paused = Paused
# When something was last fetched.
# $time (string)
lastFetched = Last fetched { $time }
# Nothing was fetched yet.
nothingFetched = Nothing was fetched yet
# Why a source is not up to date, and when it last was.
# $trouble (string), $fetched (string)
sourceTrouble = { $trouble }. { $fetched }
# What to do then.
signInAdvice = Sign in again in Settings, Sources, or with tidings source sign-in
# What to do then.
unknownAuthorityAdvice = If the authority is your company’s or your own, add its certificate in Settings, Sources, Advanced
# What to do then.
notValidNowAdvice = Check the clock of this computer. If it is right, tell the server’s administrator
# What to do then.
clientCertificateAdvice = Add your client certificate in Settings, Sources, Advanced
# What to do then.
setupAdvice = Install the package ca-certificates
# What to do then.
offlineAdvice = Check the network, and the proxy in Settings, Sources, Advanced
# What to do then.
nameNotFoundAdvice = Check the address, and the name server (DNS) of this network. Tidings keeps trying
# What to do then.
unreachableAdvice = Check the address, and whether the service runs. Tidings keeps trying
# What to do then.
localAdvice = Check the lines about this computer first
# What to do then.
otherAdvice = Check the address. If it is right, tell the server’s administrator
