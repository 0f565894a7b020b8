### The English texts of the own server.

## The own server

# Another program uses the port; the address where the server goes on, if any.
# $port (code), $at (string or null)
portTaken =
    Another program uses port { $port }.{ GIVEN($at) ->
        [no] { "" }
       *[yes] { " " }The server still runs at { $at }.
    }
# The process may not use the port; the address where the server goes on, if any.
# $port (code), $at (string or null)
portDenied =
    Tidings may not listen on port { $port }.{ GIVEN($at) ->
        [no] { "" }
       *[yes] { " " }The server still runs at { $at }.
    }
# The server cannot listen there; the address where it goes on, if any.
# $why (string), $at (string or null)
serverFailed =
    This address cannot be used: { $why }.{ GIVEN($at) ->
        [no] { "" }
       *[yes] { " " }The server still runs at { $at }.
    }
# The text is not the origin of web pages.
# $text (string)
badOrigin = “{ $text }” is not an origin. Enter scheme, host and port without a path, such as https://ntfy.example
# So many origins can be allowed at most.
# $most (number)
tooManyOrigins = At most { $most } pages can be allowed. Remove one first
# The own server does not run.
noServer = This computer’s own server is not running
# A line with a new token works on this computer alone.
onlyHere = This line works on this computer only. For other devices, turn on “Allow other devices” first
# The own server is not announced in the network.
# $why (string)
notDiscovered = Other devices cannot find this computer automatically: { $why }. Its addresses still work
# The own server did not answer.
ownUnanswered = This computer’s own server did not answer. Nothing here is lost. Try again

## Users and tokens

# The id of a new user is taken, or was that of one who was removed.
# $id (string)
userTaken = { $id } is in use, or belonged to somebody who was removed. Nobody was added; choose another user name
# The id of a user is not valid.
userIdNeeded = A user name has 1 to 64 letters, digits, dots, underscores and hyphens, without accents
# The name of a user is missing or too long.
userNameNeeded = Enter a name of at most 64 characters
# The app’s own user can’t be removed.
userIsOwn = This is your own user. Without it, this inbox would have no server. Nothing has changed
# A user was exported.
# $id (string)
userExported = All data of { $id } exported
# The title of the dialog that exports a user.
titleUserExport = Export a user
# The label of a token is missing or too long.
labelNeeded = Enter a purpose of at most 64 characters
# The text can’t be a token.
tokenInvalid = This is not a token. Tokens have letters, digits, -, _ and . only

## Topics

# The name can’t be a topic; says which characters it may have.
topicInvalid = A topic has 1 to 64 characters: the letters A to Z and a to z, digits, - and _
# The name is one that the server uses itself.
# $topic (string)
topicReserved = The server itself uses “{ $topic }”. Choose another topic
# The topic to add has settings already.
# $topic (string)
topicExists = “{ $topic }” is already in the list. Edit it there
# The display name of a topic is too long or has line breaks.
topicNameWrong = The name is too long. Enter a shorter one
# The address of a topic’s icon is none, or too long.
topicIconWrong = Enter an address that begins with http:// or https://, of at most 2,048 characters
# The users who may publish on a topic, or read it, are too many, or one is no id.
topicUsersWrong = Enter at most 1,000 user names, separated by spaces
# The time within which a notification is expected is none, or out of bounds.
topicExpectWrong = Enter a time such as 26 h or 2 days, from 1 minute to 366 days
# A topic’s secret is too long.
topicSecretWrong = The secret is too long. Enter at most 1,024 characters
# The own server refused a request about topics.
# $status (code)
topicRefused = The server refused ({ $status }). Nothing was changed. Try again later
# Where a template is wrong; `why` is in English.
# $line (string), $why (string)
templateLine = line { $line }: { $why }
# The template can’t be read.
# $why (string)
templateWrong = The template can’t be read: { $why }

## Test

# The text of the message in lines that publish; without quotation marks, backslashes and dollar signs.
exampleMessage = Backup done
# The text of a test notification.
testMessage = A test notification
# The own server refused the token of a test notification.
testRefused = The server refused the token. Check that it is complete and that nobody has revoked it
# The own server refused a test notification.
# $status (code)
testFailed = The server refused ({ $status }). Nothing was published
# The own server did not answer to a test notification.
testUnanswered = The server did not answer. Try again later
