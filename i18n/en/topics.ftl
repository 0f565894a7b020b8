### The English texts of the settings of topics.

topicsLead = A name, an icon and a priority for each topic
topicAdvanced = Who may publish and read, template, secrets
addTopic = Add topic…
noTopics = No topics with settings
noTopicsHint = You can publish to any topic. Settings give a topic a name, an icon or a template, or limit who may publish and read
# $name (string)
topicMenu = More for { $name }
# $parts (list)
topicParts = { LIST($parts, between: " · ") }
# $priority (string)
topicFloor = At least { $priority }
topicHasTemplate = Template
# $users (list)
topicLimited =
    { GIVEN($users) ->
        [no] Published by nobody
       *[yes] Published by { LIST($users, between: ", ") } only
    }
# $users (list)
topicReaders =
    { GIVEN($users) ->
        [no] Read by nobody
       *[yes] Read by { LIST($users, between: ", ") } only
    }
# $names (list)
topicSigned = Signed by { LIST($names, between: ", ") }
newTopic = New topic
# $name (string)
editTopic = Edit { $name }
topicInvalid = A topic has 1 to 64 characters: the letters A to Z and a to z, digits, - and _
topicNameHint = Leave empty to use the name of the topic
topicIcon = Address of an icon
topicIconHint = For notifications without an icon
priorityFloor = Lowest priority
noFloor = Unchanged
topicExpect = Expect a notification at least every
topicExpectHint = If none comes in that time, a notification says so. Leave empty to expect none
# $time (string)
topicExpects = Expected every { $time }
# $n (number), $unit (choice)
shortTime =
    { $unit ->
        [86400] { $n ->
            [one] { $n } day
           *[other] { $n } days
        }
        [3600] { $n } h
        [60] { $n } min
       *[1] { $n } s
    }
whoPublishes = Who may publish
anybodyPublishes = Everyone who may publish
namedPublish = Only these users
publishers = User names of publishers
# $owner (string or null)
publishersHint =
    { GIVEN($owner) ->
        [no] Separate user names with spaces. Programs without a token are refused
       *[yes] Separate user names with spaces. Tokens created in these settings belong to “{ $owner }”; programs without one are refused
    }
whoReads = Who may read
allUsersRead = All users of the server
readers = User names of readers
# $owner (string or null)
readersHint =
    { GIVEN($owner) ->
        [no] Separate user names with spaces. New notifications reach nobody else; earlier ones stay where they are
       *[yes] Separate user names with spaces. New notifications reach nobody else; your inbox here belongs to “{ $owner }”
    }
publishersMissing = Enter at least one user name
# $name (string)
topicSaved = { $name } saved
# $name (string)
topicRemoveTitle = Remove the settings of { $name }?
topicRemoveText = Its name, template and secrets are deleted, and the requests that are kept for it. What was published stays, and you can still publish to the topic.
# $name (string)
topicRemoved = Settings of { $name } removed

## the template

template = Template
templateHint = Write it in Jinja, for webhooks of unknown senders. The fields of a request are its variables. It can set title, url, priority, tags, thread and resolved of the notification
templateTrial = With the last requests
tryAgain = Check for new requests
# $count (number)
triedCount =
    { $count ->
        [one] 1 request tried
       *[other] { $count } requests tried
    }
noPayloads = No request has arrived yet. Send one with this line:
payloadsOf = Enter the topic above to try the template with its requests
staleTrial = This is the result from before the error
unknownSender = Unknown sender
# $by (choice)
triedBy =
    { $by ->
        [sender] Known sender: the template is not used
        [template] By the template
       *[json] As it arrived: no template fits
    }
# $why (string)
triedError = The template failed: { $why }
triedResolves = Marks it as read
# $count (number)
triedMore =
    { $count ->
        [one] and 1 more
       *[other] and { $count } more
    }
triedPayloads = How the last requests would look

## secrets

secrets = Secrets of webhooks
secretsHint = If a secret is set, the topic accepts only webhooks that are signed with it. A secret is never shown again
# $sender (choice)
signingSender =
    { $sender ->
        [forgejo] Forgejo or Gitea
        [github] GitHub
        [gitlab] GitLab
        [grafana] Grafana
       *[sentry] Sentry
    }
# $sender (choice)
secretOf = Secret of { signingSender }
secretSet = Set
secretGoes = Removed when you save
secretReplaced = Replaces the current secret
addSecret = Add a secret for
addSecretNone = Choose a sender
replaceSecret = Replace
# $sender (choice)
replaceSecretOf = Replace the secret of { signingSender }
# $sender (choice)
removeSecretOf = Remove the secret of { signingSender }
keepSecret = Keep
# $sender (choice)
keepSecretOf = Keep the secret of { signingSender }
secretMissing = Enter the secret, or keep the current one
