### The English texts of sources and their sign-in.

## An address and a token

# No address was entered.
# $example (string)
noAddress = Enter an address, for example { $example }
# The entered text is not an address.
# $text (string), $example (string)
badAddress = “{ $text }” is not an address. Enter one such as { $example }
# No token of a Tidings server was entered.
noToken = Enter a token. Ask the server’s administrator for one
# No token of another service was entered.
# $service (string)
noTokenOf = Enter a token. Create one in the settings of { $service }
# The source takes no token.
takesNoToken = This source needs no token
# This version does not support the protocol.
# $name (string)
unknownProtocol = This version does not support sources of type “{ $name }”
# The service as the next sentence names it, with an article if it needs one; `label` is its name.
# $protocol (string), $label (string)
service =
    { $protocol ->
        [tidings] a Tidings server
        [feed] a feed
       *[other] { $label }
    }
# The host answers, but not as this service.
# $host (string), $service (string)
notService = { $host } answers, but not as { $service }. Check the address
# The host asks for a sign-in, and no token was sent; whether this type of source takes one.
# $host (string), $takesToken (boolean)
signInNeeded =
    { $host } asks for a sign-in{ $takesToken ->
        [true] . Enter a token
       *[false] , which this type of source does not support
    }
# The server refused the token.
# $host (string)
wrongToken = { $host } refused the token. Check that it is complete and that nobody has revoked it
# The token may not read an inbox.
# $host (string)
noInbox = { $host } knows the token, but the token may not read an inbox. Ask for one that may
# The token of another service may not read notifications.
# $host (string)
noRight = { $host } knows the token, but the token may not read notifications. Give it the permissions that are named above

## Answers

# The answer is larger than what is read.
# $host (string)
answerTooLarge = The answer of { $host } is too large. Check the address
# A source without a token answered, with its title if it has one.
# $title (string or null)
connected =
    { GIVEN($title) ->
        [no] Connected
       *[yes] Found: “{ $title }”
    }
# There is no address for the name of the host.
# $host (string)
nameNotFound = The name { $host } cannot be looked up, and nothing was sent. Check the address, and the name server (DNS) of this network
# There is no route to the host.
# $host (string)
offline = { $host } cannot be reached. Check the address and this computer’s network
# Nothing answers at the address.
# $host (string)
unreachable = No answer from { $host }. Check the address, and that the server is running
# The answer took too long.
# $host (string)
slow = { $host } took too long to answer. Try again later
# The server is unavailable.
# $host (string), $status (code)
unavailable = { $host } cannot answer now ({ $status }). Try again later
# The server refused the request.
# $host (string), $status (code)
refused = { $host } refused ({ $status }). Check the address
# This computer cannot make secure connections.
noTls = This computer cannot make secure connections
# There is no session bus, over which programs send notifications.
noSessionBus = This session has no session bus, over which programs send notifications. Start Tidings in a desktop session
# The session bus lets no program read along.
monitorRefused = The session bus does not let Tidings read notifications. Start Tidings outside of a sandbox, and use dbus-daemon 1.10 or newer, or dbus-broker
# This one answered, of those that an address without a scheme may mean.
# $url (string)
answered = { $url } answered
# One answered whose requests others in the network can read.
# $url (string)
answeredUnencrypted = { $url } answered without encryption. Others in the network can read what is sent
# The address redirects to another host.
# $host (string)
redirected = { $host } redirects to another host, which is not followed. Check the address

## Certificates and proxies

# The certificate of a host is of an unknown authority.
# $host (string)
certificateUnknownAuthority = The certificate of { $host } is signed by an authority that this computer does not know, and no token was sent. If it is your company’s or your own, add its certificate in Settings, Sources, Advanced
# The certificate of a host is not valid now.
# $host (string)
certificateNotValidNow = The certificate of { $host } has expired or is not valid yet, and no token was sent. Check this computer’s clock, or tell the server’s administrator
# The certificate of a host names another one.
# $host (string)
certificateOtherName = The certificate of { $host } is for another name, and no token was sent. Check the address
# The certificate of a host is not trusted.
# $host (string)
certificateUntrusted = The certificate of { $host } is not trusted, and no token was sent. Check the address
# A host requires a client certificate.
# $host (string)
certificateClientWanted = { $host } requires a client certificate that it knows. Add yours, or another one, in Settings, Sources, Advanced
# The key of a client certificate cannot be read.
# $host (string)
certificateClientKey = The key of the client certificate for { $host } cannot be read from the keyring. Unlock it, or add the certificate again in Settings, Sources, Advanced
# A certificate was not added: the text is not an address with https.
# $text (string)
certificateNoAddress = “{ $text }” is not an address with https
# A certificate was not added: the file is too large.
# $file (string)
certificateFileTooLarge = { $file } is larger than 1 MiB. Nothing was added
# A certificate was not added: the file has none.
# $file (string)
certificateFileEmpty = { $file } has no certificate. Choose a PEM file. Nothing was added
# A certificate was not added: the file has one that cannot be read.
# $file (string)
certificateFileUnreadable = { $file } has a certificate that cannot be read. Nothing was added
# A certificate was not added: the file has a format that is not read.
# $file (string)
certificateFilePkcs12 = { $file } is PKCS#12, which cannot be read. Convert it with “openssl pkcs12 -in FILE -nodes -out FILE.pem”. Nothing was added
# A certificate was not added: its key has a password.
# $file (string)
certificateFileEncryptedKey = { $file } has a key with a password. Remove it with “openssl pkey -in FILE -out FILE.pem”; the key is kept in the keyring. Nothing was added
# A certificate was not added: there is no key.
# $file (string)
certificateFileNoKey = { $file } has no private key. Nothing was added
# A certificate was not added: its key is of an unknown type.
# $file (string)
certificateFileKeyKind = { $file } has a key that is neither RSA nor of a known elliptic curve. Nothing was added
# A certificate was not added: the key is of another certificate.
# $file (string)
certificateFileKeyMismatch = { $file } has the key of another certificate. Nothing was added
# A certificate was not added: there are too many.
# $file (string)
certificateFileTooMany = { $file } has too many certificates for one address. Nothing was added
# The disk did not take certificates.
# $why (string)
certificatesNotKept = The certificates could not be kept: { $why }
# The entered text is not the address of a proxy.
proxyAddress = This is not the address of a proxy. Enter one such as http://proxy.example:3128 or socks5://127.0.0.1:1080
# Authorities were added for an origin.
# $count (number), $origin (string)
authoritiesAdded =
    { $count ->
        [one] The authority is trusted at { $origin } only
       *[other] { $count } authorities are trusted at { $origin } only
    }
# A client certificate was added.
# $subject (string), $origin (string)
clientAdded = { $subject } is used for { $origin } only
# The title of the dialog that chooses a file of authorities.
titleAuthorities = Choose the certificate of an authority
# The title of the dialog that chooses a client certificate.
titleClient = Choose a client certificate
# The title of the dialog that chooses the key of a client certificate.
titleClientKey = Choose the private key of the client certificate

## A source

# An application cannot be chosen; at most so many can.
# $most (number)
applicationNotKept = This program cannot be chosen. You can choose at most { $most }, without Tidings itself
# The source exists already, under this name.
# $name (string)
sourceExists = Already added, as “{ $name }”
# The sign-in succeeded; each value if it is known.
# $who (string or null), $unread (string or null)
signedIn =
    { GIVEN($who) ->
        [no] Signed in
       *[yes] Signed in as { $who }
    }{ GIVEN($unread) ->
        [no] { "" }
       *[yes] { $unread ->
            [0] . All read
           *[other] . { $unread } unread
        }
    }
# Another source has this name.
# $name (string)
nameTaken = Another source already has the name “{ $name }”. Choose another name
# A name is missing or too long.
nameNeeded = Enter a name of at most 64 characters
# The own server cannot be removed.
ownNotRemovable = This computer’s own server cannot be removed. You can pause it
# A removed source whose items were kept cannot be pulled.
onlyKept = This source was removed; only its notifications are kept. Add it again to receive more
# The token belongs to another user.
# $newUser (string), $user (string)
otherUser = This token belongs to { $newUser }, and the source to { $user }. Add it as another source
# The kept token goes to that host only.
# $host (string)
tokenOfOtherAddress = The saved token is only sent to { $host }. Enter a token for the new address
# The token could not be stored.
# $why (string)
tokenNotStored = The token could not be saved: { $why }. Nothing was changed

## Sign-in

# The token of a removed source was taken back there.
# $host (string)
takenBack = The sign-in at { $host } was revoked
# The token of a removed source is valid until the reader takes it back on this page.
# $page (string)
takeBackByHand = Its sign-in stays valid at the service until you revoke it at { $page }
# The service has no sign-in with the browser.
# $host (string)
signInNotOffered = { $host } does not offer a browser sign-in that Tidings knows. Enter a token instead
# No client id was entered.
signInNoClient = Enter the client ID first, or enter a token instead
# The service does not take the client id.
# $host (string)
signInWrongClient = { $host } does not accept this client ID. Check it, and whether its client may sign in with a code. You can enter a token instead
# The reader did not agree on the page of the service.
# $host (string)
signInDenied = The sign-in at { $host } was denied. Nothing was changed. You can sign in again
# Nobody agreed in time.
signInExpired = The sign-in was not confirmed in time. Nothing was changed. Sign in again
# There is no port for the way back from the browser.
# $why (string)
signInNoPort = The browser cannot return to Tidings: { $why }. Close some programs, or enter a token instead
# The sign-in has ended or was replaced by another one.
signInOver = This sign-in has ended. Sign in again
# The page in the browser, after the reader agreed.
signInPageDone = You are signed in. You can close this page and go back to Tidings.
# The page in the browser, after the reader did not agree.
signInPageDenied = The sign-in was denied. You can close this page.
# The page in the browser for an address that is of no sign-in.
signInPageUnknown = Tidings is not waiting for this page. You can close it.

## Import and export of sources

# So many feeds were written.
# $count (number)
feedsWritten =
    { $count ->
        [one] { $count } feed exported
       *[other] { $count } feeds exported
    }
# The file is of no program that sources are imported from.
# $file (string)
importUnknown = { $file } is neither OPML nor the settings of Gitify, gotify-tray or ntfy. Nothing was added
# The file is too large.
# $file (string)
importLarge = { $file } is larger than 8 MiB. Nothing was added
# The file takes too much memory or time to read.
# $file (string)
importComplex = { $file } is nested too deeply, or repeats too much, to be read. Nothing was added
# The file could not be read before, and is passed by.
# $file (string)
importPassedBy = Tidings skips { $file }, because it could not be read before. Nothing was added
# No process could read the file.
# $file (string)
importBusy = { $file } can't be read at the moment. Nothing was added. Try again
# A source of a file is on this computer or its network, and was not asked.
importPrivate = Not added, because it is on this computer or its network. If you trust it, add it again
# The file could not be read.
# $file (string), $why (string)
importUnreadable = { $file } can't be read: { $why }. Nothing was added
# The title of the dialog that imports sources.
titleImport = Import sources
# The title of the dialog that exports feeds.
titleExportFeeds = Export feeds
