### The English texts of the settings of storage and of this computer's server.

## storage

storageAdvanced = Download limit and disk space
# $items (number)
inboxItems =
    { $items ->
        [one] { $items } notification, with the search index
       *[other] { $items } notifications, with the search index
    }
attachments = Fetched attachments
pullLimit = Download limit
pullLimitHint = For each source, each time. The rest is fetched the next time. 512 MiB of disk space stays free, or less on a small disk
compactRow = Free up space
# $size (string or null)
compactHint =
    { GIVEN($size) ->
        [no] Nothing to free
       *[yes] Frees about { $size }
    }
compactNow = Free up space
compacting = Freeing up space
# $size (string)
compacted = { $size } freed
keep = Keep archived items
keepHint = Older items are removed from this computer only
# $hours (number)
keepHeld =
    { $hours ->
        [one] The clock is more than a week ahead of the last run, so nothing is removed in the next { $hours } hour of running. Check the date of this computer.
       *[other] The clock is more than a week ahead of the last run, so nothing is removed in the next { $hours } hours of running. Check the date of this computer.
    }
keepAll = Everything
keepYear = A year
# $days (number)
keepDays =
    { $days ->
        [one] { $days } day
       *[other] { $days } days
    }
files = Files
exportRow = Export
exportHint = Every notification, for other programs
exportAs = Export as
exporting = Writing
backupRow = Backup
backupHint = Inbox and server in one file
restoreRow = Restore
restoreHint = Replaces everything here with a backup
restoreMenu = Restore…
restoring = Restoring
restoreTitle = Restore a backup?
restoreText = The backup replaces everything here. A copy of the current data stays in the data folder, as replica.db.before and server.db.before, until the next restore.
chooseFile = Choose a file…

## this computer's server

serverRuns = Programs on this computer publish here without a token
serverDown = Not running
portHint = Leave empty for 7878, or a free port if 7878 is in use
portWrong = Enter a port from 1024 to 65535
others = Allow other devices
othersHint = On the same network, and with a token
addressForOthers = Address for other devices
moreAddresses = More addresses for other devices
origins = Pages in a browser
origin = Allow pages from
originHint = The origin of a page, such as ntfy’s web app. The page still needs a token. Other pages are refused
originMissing = Enter the origin of a page, such as https://ntfy.example
# $origin (string)
originAdded = Pages from { $origin } are allowed
addOrigin = Add
# $origin (string)
removeOrigin = Remove { $origin }
# $what (string)
copyOf = Copy { $what }
computerAdvanced = Port, more addresses, and access from web pages
tokensLead = For programs on other devices
noTokens = None. A program on another device needs one
makeToken = Create token…
newToken = New token
tokenFor = Purpose
tokenForMissing = Enter a purpose
tokenMay = Permissions
tokenPublishes = Publish only
tokenReads = Publish and read the inbox
# $reads (boolean), $when (string), $by (string or null)
tokenRow =
    { $reads ->
        [true] Publishes and reads the inbox
       *[false] Publishes only
    }. Created { $when }{ GIVEN($by) ->
        [no] { "" }
       *[yes] { " " }with the token for { $by }
    }
make = Create
# $label (string)
tokenMade = Token for { $label }
tokenOnce = Copy it now. It is shown only once.
tokenCurl = A command that publishes with it
finish = Done
revokeMenu = Revoke…
revoke = Revoke
# $label (string)
revokeOf = Revoke the token for { $label }
# $label (string)
revokeTitle = Revoke the token for { $label }?
# $made (number)
revokeText =
    { $made ->
        [0] Programs that use it are refused from now on. What they published stays.
        [one] Programs that use it are refused from now on. What they published stays. A token that was created with it is revoked too.
       *[other] Programs that use it are refused from now on. What they published stays. { $made } tokens that were created with it are revoked too.
    }
# $label (string)
revoked = Token for { $label } revoked
# $count (number)
usersCount =
    { $count ->
        [one] { $count } person
       *[other] { $count } people
    }
addUser = Add…
newUser = Add a person
userId = User name
userIdHint = Others use it to write to this person. It is never used again for anybody else
userIdMissing = Enter a user name
userName = Name
userNameExample = Ana Ortiz
# $name (string)
userAdded = { $name } was added
userRename = Rename…
# $name (string)
userRenameOf = Rename { $name }
# $name (string)
userRenamed = Renamed to { $name }
userExport = Export…
# $name (string)
userExportOf = Export all data of { $name }
userRemove = Remove…
# $name (string)
userRemoveOf = Remove { $name }
# $name (string)
userRemoveTitle = Remove { $name } for good?
userRemoveText = Their inbox, tokens and files are deleted. Nobody can write to them any more, and their user name is never given to anyone else. This cannot be undone.
userRecalls = Also take back everything they wrote, from every inbox
# $name (string)
userRemoved = { $name } was removed
