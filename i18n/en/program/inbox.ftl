### The English texts of the inbox.

## Names

# The sender of an announcement.
announcement = Announcement
# The heading of all announcements.
announcements = Announcements
# The name of the user itself.
you = You
# The default name of the own server’s source.
thisComputer = This computer
# The newest message of a group, with its sender.
# $name (string), $text (string)
senderAndText = { $name }: { $text }

## Questions

# Somebody answered a question, or the reader did.
# $by (string or null), $answer (string)
questionAnswered =
    { GIVEN($by) ->
        [no] You answered { $answer }
       *[yes] { $by } answered { $answer }
    }
# The time of a question is over; the answer that counts then, if any.
# $default (string or null)
questionUnanswered =
    { GIVEN($default) ->
        [no] Nobody answered in time
       *[yes] Nobody answered in time: { $default }
    }
# The reader’s own answer came too late.
# $answer (string)
answerLate = Your answer { $answer } came too late
# The question is answered, or its time is over.
answerClosed = This question is closed. Your answer was not sent. The item shows the answer that counts
# The question takes no such answer.
answerNotOffered = This question does not offer that answer. Nothing was sent. Choose one of its answers

## Items

# The thread’s target belongs to the reader; `kind` is the word for its type.
# $kind (string)
yours = Your { $kind }
# The number of items: "9 comments".
# $action (string or null), $count (number)
items =
    { $count } { $action ->
        [create] { $count ->
            [one] creation
           *[other] creations
        }
        [comment] { $count ->
            [one] comment
           *[other] comments
        }
        [reply] { $count ->
            [one] reply
           *[other] replies
        }
        [like] { $count ->
            [one] like
           *[other] likes
        }
        [hate] { $count ->
            [one] dislike
           *[other] dislikes
        }
        [vote] { $count ->
            [one] vote
           *[other] votes
        }
        [update] { $count ->
            [one] update
           *[other] updates
        }
        [mention] { $count ->
            [one] mention
           *[other] mentions
        }
        [follow] { $count ->
            [one] follower
           *[other] followers
        }
        [share] { $count ->
            [one] share
           *[other] shares
        }
        [assign] { $count ->
            [one] assignment
           *[other] assignments
        }
        [favourite] { $count ->
            [one] favourite
           *[other] favourites
        }
        [reblog] { $count ->
            [one] boost
           *[other] boosts
        }
        [follow_request] { $count ->
            [one] follow request
           *[other] follow requests
        }
        [announcement] { $count ->
            [one] announcement
           *[other] announcements
        }
       *[other] { $count ->
            [one] notification
           *[other] notifications
        }
    }
# The number of new items: "5 new".
# $count (number)
new = { $count } new
# The verb after a name, in a sentence without a target. Empty for an unknown action.
# $action (string)
verbs =
    { $action ->
        [create] created it
        [comment] commented
        [reply] replied
        [like] liked it
        [hate] disliked it
        [vote] voted for it
        [mention] mentioned you
        [follow] followed
        [share] shared it
        [assign] assigned it to you
        [favourite] favourited it
        [reblog] boosted it
        [reaction] reacted to it
        [quote] quoted you
        [follow_request] asked to follow you
        [status] posted
        [update] edited it
        [quoted_update] edited it
       *[other] { "" }
    }
# Why a body in Markdown is shown as plain text: its length.
plainLongMarkdown = Shown as plain text, and only its beginning, because it is very long
# Why only the beginning of a plain body is shown.
plainLong = Only its beginning is shown, because it is very long
# Why a body is shown as plain text: the depth of its parts.
plainDeep = Shown as plain text because its quotes or lists are too deeply nested
# Why a body is shown as plain text: the number of its parts.
plainManyParts = Shown as plain text because it has too many parts to lay out

## Groups and messages

# The number of members of a group: "5 people".
# $count (number)
members =
    { $count ->
        [one] { $count } person
       *[other] { $count } people
    }
# Who came into a group.
# $who (string)
joined = { $who } joined
# Who left a group, or was removed.
# $who (string)
left = { $who } left
# The new name of a group.
# $name (string)
renamed = The group was renamed “{ $name }”
# Why a server refused a message, from its HTTP status; no peer in a group.
# $status (string), $peer (string or null)
messageRefused =
    { $status ->
        [403] { GIVEN($peer) ->
            [no] You are no longer in this conversation
           *[yes] You may not write to this person
        }
        [404] { GIVEN($peer) ->
            [no] This group no longer exists
           *[yes] There is no user { $peer }
        }
        [413] The message is too long
       *[other] The server refused the message ({ $status })
    }
# Why a message with a file was refused, from the HTTP status and the largest size that the server takes. Empty if the file is not the reason.
# $status (string), $limit (string or null)
fileRefusal =
    { $status ->
        [file] The copy of the file is no longer on this computer. Discard the message and attach the file again
        [413] { GIVEN($limit) ->
            [no] The file is larger than the server accepts
           *[yes] The file is larger than the server accepts ({ $limit })
        }
        [415] The server does not accept files
        [507] The server has no room for your files now. Try again when older ones have expired
       *[other] { "" }
    }
# The text is not a valid user name.
# $name (string)
composeBadName = “{ $name }” is not a user name. User names have letters, digits, dots, _ and - only
# The source does not know these users; no names if it did not say which.
# $source (string), $names (list)
composeUnknown =
    { GIVEN($names) ->
        [no] { $source } does not know all of these users. Nothing was sent, and your message is kept here
       *[yes] { $source } has no user { LIST($names, between: " or ") }. Nothing was sent, and your message is kept here
    }
# The source has no groups of people.
# $source (string)
composeNoGroups = { $source } has no groups. Write to one person instead
# The source, which has to create the group, cannot be reached.
# $source (string)
composeGroupOffline = { $source } cannot be reached, so the group was not created. Your message is kept here; send it when you are back online
# The source, which has to create the group, is paused.
# $source (string)
composeGroupPaused = { $source } is paused, so the group was not created. Your message is kept here; resume the source, then send it
# The source refused the new conversation.
# $source (string), $status (string)
composeRefused =
    { $status ->
        [403] { $source } does not let you start a conversation. Your message is kept here
        [413] The message is too long. It is kept here; shorten it
       *[other] { $source } refused the message ({ $status }). It is kept here
    }
# The source, which has to change the group, cannot be reached.
# $source (string)
groupOffline = { $source } cannot be reached, so the group has not changed. Try again when you are back online
# The source, which has to change the group, is paused.
# $source (string)
groupPaused = { $source } is paused, so the group has not changed. Resume the source, then try again
# The source does not know this user or member; no user if the group itself is gone.
# $source (string), $user (string)
groupUnknown =
    { GIVEN($user) ->
        [no] { $source } no longer has this group
       *[yes] { $source } has no user { $user }, or they left the group. Nothing has changed
    }
# Only the owner may change the group.
groupNotOwner = Only the owner of the group can do this. Nothing has changed
# The server of the source is too old for the change.
# $source (string)
groupUnsupported = The server of { $source } is too old for this. Nothing has changed
# The source refused the change.
# $source (string), $status (string)
groupRefused = { $source } refused the change ({ $status }). Nothing has changed

## What the reader published

# The source, which has to change what the reader published, cannot be reached.
# $source (string)
publishedOffline = { $source } cannot be reached, so nothing has changed. Try again when you are back online
# The source, which has to change what the reader published, is paused.
# $source (string)
publishedPaused = { $source } is paused, so nothing has changed. Resume the source, then try again
# The source does not have it any more, or another token published it.
# $source (string)
publishedUnknown = { $source } no longer has this item, or does not let you change it. Nothing has changed
# The source refused the subscription that the reader wanted of the thread.
# $source (string), $thread (string)
subscriptionRefused = { $source } refused to change the subscription to “{ $thread }”, so nothing has changed. Check that your token may change it

## Search

# The term’s key takes a day, month or year.
# $token (string)
queryDate = “{ $token }” is not a date. Enter a day such as 2026-11-01, a month such as 2026-11 or a year such as 2026.
# The term’s key takes a state.
# $token (string)
queryState = “{ $token }” is not a state. After “is:”, enter unread, quiet, read, pinned, snoozed, done, muted, merged, closed or bot.
# The term’s key takes a kind.
# $token (string)
queryKind = “{ $token }” is not a type. After “type:”, enter announcement, activity or message.
# The term’s key takes a priority.
# $token (string)
queryPriority = “{ $token }” is not a priority. After “priority:”, enter a number from 1 to 5.
# The term’s key takes `attachment` or `link`.
# $token (string)
queryHas = “{ $token }” cannot be searched for. After “has:”, enter attachment or link.

## Errors

# The thread or item does not exist any more.
errorNotFound = It is no longer here.
# The request is invalid.
errorInvalid = That is not possible.
# The replica could not be read or written.
errorStorage = The inbox on this computer did not answer. Nothing was changed.
# The address has a scheme that is not opened.
errorLink = Tidings opens web and mail addresses only.
# No program could be started for the address.
errorOpen = No program on this computer can open it.
# The page asked too often.
errorTooOften = That was asked for too often. Try again in a minute.
