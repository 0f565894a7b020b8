### The English texts of what does not work: sources and publishing.

## Why a source is not up to date

# The address cannot be used.
troubleAddress = The address cannot be used
# There is no TLS on this computer.
troubleSetup = This computer cannot make secure connections
# The certificate is of an unknown authority.
troubleUnknownAuthority = Its certificate is signed by an unknown authority
# The certificate is not valid now.
troubleNotValidNow = Its certificate has expired or is not valid yet
# The certificate names another host.
troubleOtherName = Its certificate is for another name
# The certificate is not trusted.
troubleUntrusted = Its certificate is not trusted
# The server requires a client certificate.
troubleClientWanted = It requires a client certificate that it knows
# The key of the client certificate cannot be read.
troubleClientKey = The key of the client certificate cannot be read
# There is no network.
troubleOffline = No network
# The name server does not know the host.
troubleNameNotFound = The name in its address cannot be looked up
# Nothing answers.
troubleUnreachable = No answer
# The answer came too late.
troubleSlow = The answer took too long
# The server is unavailable.
# $status (code)
troubleUnavailable = No answer ({ $status })
# The server wants no requests for a while.
troubleWaiting = It asked for a pause
# There is no token, or it is refused.
troubleSignIn = Needs sign-in
# The server refused the request.
# $status (code)
troubleRefused = Refused ({ $status })
# The answer has another form.
troubleMalformed = The answer could not be read
# The answer is too large.
troubleTooLarge = The answer was too large
# The answer takes too much memory or time to read.
troubleTooComplex = The answer is nested too deeply, or repeats too much, to be read
# The answer could not be read before.
troublePassedBy = The answer could not be read before, so it is skipped
# The server says that there is more, and sends nothing.
troubleNoProgress = It announces more, but sends nothing
# One fetch brought as much as one may.
# $mebibytes (number)
troubleEndedAtBytes = This source stopped at its limit of { $mebibytes } MiB. What arrived is kept, and the rest follows. If you did not expect this much, pause the source
# One fetch brought as many pages as one may.
# $pages (number)
troubleEndedAtPages = This source stopped at its limit of { $pages } pages. What arrived is kept, and the rest follows. If you did not expect this much, pause the source
# The disk has too little room.
# $mebibytes (number)
troubleEndedAtDisk = This source stopped because less than { $mebibytes } MiB of the disk is free. What arrived is kept. Free some space, and the rest follows
# The address redirects to one that is not followed.
troubleRedirectRefused = The address redirects to another one, which is not followed. Enter that one
# The program has an error.
troubleFault = Tidings has an internal error. What is here is safe
# The disk is full.
troubleDiskFull = The disk is full
# The disk has errors.
troubleDiskFails = The disk has errors
# The data folder cannot be written.
troubleReadOnly = Tidings cannot write to the data folder
# The inbox did not take what arrived.
troubleReplica = What arrived could not be saved
# The inbox is damaged.
troubleDamaged = The inbox on this computer is damaged
# There is no session bus.
troubleNoSessionBus = This session has no session bus, over which programs send notifications
# The session bus lets no program read along.
troubleMonitorRefused = The session bus does not let Tidings read notifications, as in a sandbox or before dbus-daemon 1.10

## Why something was not published

# The source is paused.
# $source (string)
notPublishedPaused = { $source } is paused. Nothing was published, and your text is kept here. Resume the source, then publish it
# Nothing answers.
# $source (string)
notPublishedUnreachable = { $source } cannot be reached. Nothing was published, and your text is kept here
# The token is refused.
# $source (string)
notPublishedSignIn = { $source } refused the token. Nothing was published, and your text is kept here. Sign in again in Settings, Sources
# The token may not publish there.
# $source (string), $topic (string)
notPublishedForbidden = You may not publish to “{ $topic }” at { $source }. Your text is kept here. Choose another topic, or a token that may publish to this one
# The text is too long.
# $source (string)
notPublishedTooLong = { $source } does not accept a text of this length. Nothing was published, and your text is kept here. Shorten it
# Too many were published; the minutes to wait, if the server named them.
# $source (string), $minutes (number or null)
notPublishedTooMany =
    { $source } accepts no more for now. Nothing was published, and your text is kept here. Try again { GIVEN($minutes) ->
        [no] later
       *[yes] in { $minutes } min
    }
# The server refused it.
# $source (string), $status (code)
notPublishedRefused = { $source } refused the notification ({ $status }). Nothing was published, and your text is kept here
# It may have been published.
# $source (string), $topic (string)
notPublishedUnanswered = { $source } did not answer, so this may be on “{ $topic }” or not. Your text is kept here. If you publish it again, it replaces the first one; a server before ntfy 2.16 keeps both
