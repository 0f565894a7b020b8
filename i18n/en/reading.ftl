### The English texts of the reading pane.

## the reading pane

# $when (string)
newSince = New since { $when }
# $count (number)
earlierItems = { $count } earlier
# $count (number)
archivedItems = { $count } archived
isArchived = Archived
# $count (number)
earlierComments =
    { $count ->
        [one] { $count } earlier comment
       *[other] { $count } earlier comments
    }
# $count (number)
earlierMessages =
    { $count ->
        [one] { $count } earlier message
       *[other] { $count } earlier messages
    }
# $host (string)
calls = calls { $host }
# The note behind a link whose text names another place.
# $host (string)
leadsTo = (leads to { $host })
# $label (string), $host (string)
confirmActionTitle = Send “{ $label }” to { $host }?
# $method (string), $host (string), $from (string)
confirmActionText = This sends a { $method } request to { $host }, which may change something there. The button came with a notification from { $from }. Nothing has been sent yet.
confirmActionSend = Send
# $host (string)
imageFrom = Image from { $host }
# $who (string), $text (string)
cameIn = { $who }: { $text }
# $count (number)
showAllImages = Show all { $count }
copy = Copy
copied = Copied
copyCode = Copy code
attachment = Attachment
# $count (number)
moreTags = and { $count } more
# $found (number), $of (number), $comments (boolean)
matchOf =
    { $found } of { $of } { $comments ->
        [true] { $of ->
            [one] comment
           *[other] comments
        }
       *[false] { $of ->
            [one] item
           *[other] items
        }
    } { $found ->
        [one] matches
       *[other] match
    }
hide = Hide
saveAs = Save…
cancelFetch = Cancel
# $done (string)
fetched = { $done } so far
# $done (string), $of (string)
fetchedOf = { $done } of { $of }
beginningOnly = Only the beginning is shown. Save the file to see all of it
# $name (string)
enlarge = Enlarge { $name }
cannotBeShown = This file cannot be shown here. Save it to open it
# $host (string)
imageFailed = The image from { $host } could not be loaded
notifyMe = Notify with
notifyFrom = From priority
notifySound = Sound
soundOn = On
soundOff = Off
byDefault = Same as the source
copyText = Copy text
textCopied = Text copied
# $tag (string)
searchTag = Search for the tag “{ $tag }”
copyItemLink = Copy link to this item
unreadFrom = Mark unread from here
itemMenu = Menu of this item
deleteItem = Delete…
# $name (string)
deleteTitle = Delete “{ $name }”?
deleteText = It is deleted from this inbox on every device. This cannot be undone.
deleteNow = Delete
editItem = Edit…
editTitle = Edit what you sent
editText = Text
editHint = Everyone who has it gets the new text and sees that it was edited. Press Ctrl+Enter to save
editEmpty = Enter some text. To delete it for everyone, choose Take back
editDone = Edited
edited = edited
recallItem = Take back…
# $name (string)
recallTitle = Take back “{ $name }”?
recallText = It is deleted from every inbox that has it, with its files. This cannot be undone.
recallNow = Take back
question = Question
answers = Answers
answerText = Answer in your own words
sendAnswer = Send answer
# $count (number), $unit (choice)
timeLeft =
    { $unit ->
        [minute] { $count ->
            [one] { $count } minute left
           *[other] { $count } minutes left
        }
        [hour] { $count ->
            [one] { $count } hour left
           *[other] { $count } hours left
        }
       *[day] { $count ->
            [one] { $count } day left
           *[other] { $count } days left
        }
    }
# $answer (string)
answerDefault = If nobody answers: { $answer }
answerWaits = Your answer is sent when you are back online
# $who (string)
answerWaitsPaused = Your answer is sent when { $who } resumes
# $who (string)
answerWaitsSignIn = Your answer is sent when you have signed in to { $who }
sent = sent
# $read (number), $of (number)
readBy = Read by { $read } of { $of }
# $count (number), $of (number)
arrivedWith = Delivered to { $count } of { $of }
draftKept = Draft kept
sendsOnceRead = Will be sent once the files are attached
sendKeys = Enter to send, Shift+Enter for a new line
sending = Sending
willWait = Offline. Messages are sent when you are back online
# $why (string)
willWaitAfter = { $why }. Messages are sent when it works again
# $who (string)
willWaitPaused = { $who } is paused. Messages are sent when it resumes
# $who (string)
willWaitSignIn = { $who } needs sign-in. Messages are sent when you have signed in
# $why (string)
notSent = Not sent. { $why }
attachedFiles = Attached files
# $name (string)
detach = Remove { $name }
# $who (string)
dropToAttach = Drop to attach for { $who }
# $who (string)
takesNoFiles = { $who } does not accept files in messages. Nothing was attached
# $name (string)
cancelSend = Cancel sending { $name }
# $name (string)
sendingFile = Sending { $name }
retry = Retry
discard = Discard
# $count (number)
peopleRead = Read by { $count }
# $count (number)
peopleReached = Delivered to { $count }
# $when (string)
readAt = Read { $when }
groupOwner = owner
# $known (string)
groupOffline = { $known }. You can change the group when you are back online
groupLeft = You are no longer in this group. Earlier messages stay here.
groupEnded = This group has ended. Earlier messages stay here, but nobody can write new ones.
# $name (string)
personRemoved = { $name } is no longer on this server. Earlier messages stay here, but you cannot write new ones.
# $name (string)
groupMemberMenu = More for { $name }
groupMakeOwnerMenu = Make owner…
groupRename = Rename group
groupRenameMenu = Rename…
# $name (string)
groupRenamed = Group renamed to “{ $name }”
groupAddMenu = Add people…
# $group (string)
groupAddTitle = Add people to “{ $group }”
groupAddHint = Enter user names. New members see only new messages
# $names (list)
groupAdded = Added: { LIST($names, between: ", ") }
groupNobody = Enter at least one user name
# $name (string), $group (string)
groupRemoveTitle = Remove { $name } from “{ $group }”?
groupRemoveText = They keep earlier messages but get no new ones.
# $name (string)
groupRemoved = { $name } removed from the group
groupHandOver = Make owner
# $group (string), $name (string)
groupHandOverTitle = Make { $name } the owner of “{ $group }”?
# $name (string)
groupHandOverText = Only { $name } can then rename the group, and add or remove people. You stay a member, and only { $name } can make you the owner again.
# $name (string)
groupHandedOver = { $name } is now the owner
groupLeave = Leave
groupLeaveMenu = Leave group…
# $group (string)
groupLeaveTitle = Leave “{ $group }”?
groupLeaveText = Earlier messages stay here. You get no new ones and cannot write; only the owner can add you again.
groupLeaveOwner = The member who joined first becomes the owner.
# $group (string)
groupYouLeft = You left “{ $group }”
groupEnd = End
groupEndMenu = End group…
# $group (string)
groupEndTitle = End “{ $group }”?
groupEndText = Everyone keeps earlier messages, but nobody can write new ones. This cannot be undone.
# $group (string)
groupYouEnded = You ended “{ $group }”
composeGroup = Create a group with a name
# $count (number)
peopleIn =
    { $count ->
        [one] 1 person
       *[other] { $count } people
    }
you = You
notYet = Not yet
asking = Asking the server
# $count (number)
andMore = and { $count } more
# $when (string or null)
asKnown =
    { GIVEN($when) ->
        [no] Offline. This may be out of date
       *[yes] Offline. Last updated at { $when }
    }

## a new conversation

composeTo = To
composeToHint = Enter user names. Several people become a group
composeToOneHint = Enter one user name
composeOnePerson = This source has no groups. Enter one user name
# $name (string)
composeTyped = Use “{ $name }” as a user name
# $name (string)
composeWithout = Remove { $name }
composeName = Name of the group
composeMessage = First message
composeNoServer = To write messages, you need a server with other people. Add a Tidings server as a source
composeAlone = Nobody else is on this server yet
composeAddPeople = Add people…
composeNobody = Enter at least one user name
composeNoName = Enter a name for the group
composeNothing = Enter a first message
