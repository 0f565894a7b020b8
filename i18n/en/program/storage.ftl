### The English texts of storage and files.

## Space, export and backup

# The disk has too little free space to free up more.
# $needed (string), $free (string)
compactNoRoom = Freeing up space needs about { $needed }, but only { $free } is free. Nothing was changed
# The disk has too little free space for restoring a backup.
# $needed (string), $free (string)
restoreNoRoom = Restoring needs about { $needed } of space, but only { $free } is free. Nothing was changed
# Notifications were exported.
# $count (string)
exported = { $count } notifications exported
# A backup was written.
# $path (string), $size (string)
backedUp = Backup saved to { $path }, { $size }. It has no tokens
# A backup was restored, with this many notifications.
# $count (string)
restored = { $count } notifications restored. The earlier inbox is kept beside it as replica.db.before
# The file is no backup.
# $name (string)
notBackup = { $name } is not a backup of Tidings. Nothing was changed
# A backup could not be restored.
# $why (string)
notRestored = The backup could not be restored: { $why }. What is here has not changed
# The own server’s stamps were not mended.
# $why (string)
clockNotMended = The times were not corrected: { $why }. Nothing has changed
# A file could not be written.
# $why (string)
notWritten = The file could not be saved: { $why }. Nothing else was changed
# The data folder cannot be used in this session.
dataFolderUnusable = The data folder cannot be used in this session. Solve this problem first. Nothing was changed

## Settings in a file

# Settings were exported.
settingsWritten = Settings exported. The file has no tokens
# The file holds no settings.
# $name (string)
notSettings = { $name } has no settings of Tidings. Nothing was changed
# Settings were imported, and these parts were added.
# $parts (list)
settingsAdded =
    { GIVEN($parts) ->
        [no] Settings imported
       *[yes] Settings imported. Added: { LIST($parts, between: ", ") }
    }
# So many rules were imported.
# $count (number)
rulesAdded =
    { $count ->
        [one] { $count } rule
       *[other] { $count } rules
    }
# So many saved searches were imported.
# $count (number)
searchesAdded =
    { $count ->
        [one] { $count } search
       *[other] { $count } searches
    }
# So many sources were imported.
# $count (number)
sourcesAdded =
    { $count ->
        [one] { $count } source that needs sign-in
       *[other] { $count } sources that need sign-in
    }
# An imported file would let other devices connect, which it may not.
othersNotAllowed = Other devices are still not allowed. You can allow them in Settings, This computer
# An imported file would let pages in a browser use the own server, which it may not.
originsNotAllowed = Pages in a browser are still not allowed. You can allow them in Settings, This computer, Advanced
# Joins two sentences; the first has no full stop.
# $first (string), $second (string)
joinSentences = { $first }. { $second }

## Titles of dialogs

# The title of the dialog that exports the inbox.
titleExport = Export the inbox
# The title of the dialog that writes a backup.
titleBackup = Save a backup
# The title of the dialog that restores a backup.
titleRestore = Restore a backup
# The title of the dialog that exports settings.
titleSettingsExport = Export settings
# The title of the dialog that imports settings.
titleSettingsImport = Import settings
# The title of the dialog that saves an attachment.
titleSave = Save the file
# The title of the dialog that chooses a file to attach.
titleAttach = Attach a file
# The title of the dialog that chooses a file as a sound.
titleSound = Choose a sound
# The chosen file cannot be a sound.
soundRefused = A sound is a file of at most 1 MiB. Nothing was changed

## Files

# The file does not exist there any more.
# $host (string)
fileGone = The file is no longer at { $host }
# The file is too large.
# $most (string)
fileLarge = The file is larger than { $most }. It was not fetched
# The file’s address redirects to one that is not followed.
fileRedirected = The address of the file redirects to another one, which is not followed. The file was not fetched
# What a host answered is no icon that can be shown.
# $host (string)
noIcon = { $host } has no image that can be shown as an icon
# The file could not be stored.
# $why (string)
fileDisk = The file could not be saved: { $why }
# The file was saved where the reader chose.
fileSaved = Saved
# The file has to be downloaded first.
fileNotDownloaded = The file is not here yet. Fetch it first

## Files in messages

# The source’s server takes no files in messages.
# $source (string)
attachNoFiles = { $source } does not accept files in messages. Nothing was attached
# The chosen file is larger than the server takes.
# $most (string)
attachTooLarge = The file is larger than { $most }, the most that the server accepts. It was not attached
# No more files can be attached.
# $most (number)
attachTooMany = { $most } files are already attached. Send them first
# A folder or device was chosen.
attachNoFile = Only files can be attached. Pack a folder into one file first
# The chosen file could not be copied.
# $why (string)
attachFailed = The file could not be attached: { $why }. Your text is kept

## Links

# The link’s target is not in this inbox.
linkUnknown = This notification is not on this computer
# The link cannot be parsed.
linkBad = Tidings cannot open this link
