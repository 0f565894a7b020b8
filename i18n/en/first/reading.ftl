### The English texts of a thread that the list and the commands have, too.

## the reading pane

readingPane = Reading pane

# $what (string)
recalled = { $what } taken back

# $answer (string)
answerWith = Answer { $answer }

# What a row asks, for a screen reader; no answers if a text is asked for.
# $answers (list)
asks =
    { GIVEN($answers) ->
        [no] asks for an answer
       *[yes] asks: { LIST($answers, between: ", ") }
    }

waits = Waits to be sent

# The text in place of the preview in a row.
# $text (string)
draftOf = Draft: { $text }

# $who (string)
writeTo = Write to { $who }

send = Send
attachFile = Attach a file

# $name (string)
attached = { $name } attached

# $name (string)
unreadable = { $name } cannot be read. Only files can be attached; pack a folder into one file first

## a new conversation

newConversation = New conversation
composeConversation = New conversation…
