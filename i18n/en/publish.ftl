### The English texts of the settings for publishers.

publishLead = Commands for your tools, and QR codes for phones
topic = Topic
topicHint = Use letters A to Z, digits, - and _. All notifications of a topic form one thread
runsOn = The program runs on
runsHere = This computer
runsElsewhere = Another device
runsAddress = Address that the device can reach
tool = Tool
# $tool (choice)
toolName =
    { $tool ->
        [curl] curl
        [apprise] Apprise
        [ntfy] ntfy
        [gotify] Gotify
        [systemd] systemd
        [cron] cron
        [shell] Shell function
        [powershell] PowerShell
        [github_actions] GitHub Actions
        [home_assistant] Home Assistant
        [node_red] Node-RED
        [alertmanager] Alertmanager
       *[grafana] Grafana
    }
# $tool (choice)
toolHint =
    { $tool ->
        [curl] For a terminal or a script
        [apprise] Its address works in every program that uses Apprise
        [ntfy] The ntfy command
        [gotify] The Gotify command. It uses the token of an application
        [systemd] A unit that other units name in OnFailure=
        [cron] A line for crontab -e
        [shell] For .bashrc or .zshrc. Notifies you when a long command ends
        [powershell] For a terminal or a script
        [github_actions] A workflow step. GitHub must be able to reach the address. Save the token as the secret TIDINGS
        [home_assistant] For configuration.yaml
        [node_red] A flow to import from the clipboard
        [alertmanager] A receiver, for alertmanager.yml
       *[grafana] A contact point, for a file in provisioning/alerting
    }
applicationToken = Token of the application
tokenNeeded = Create or enter a token. It is forgotten when you leave this page
tokenNotNeeded = Not needed on this computer
makePublisherToken = Create token…
makeApplication = Create application…
newApplication = New application
applicationNameHint = Its notifications show this name
# $name (string)
publisherMade = The line contains the token for { $name }. It is shown only once
# $tool (string)
lineOf = Line for { $tool }
showToken = Show token
hideToken = Hide token
sendTest = Send a test
testSent = Test sent. It appears in the inbox in a moment
testNeedsToken = Create a token first
othersShutOut = Other devices are not allowed
othersShutOutMenu = Allow…
othersShutOutHint = If you allow them, they can publish and read with a token
phoneApps = Phone apps
# $app (choice)
phoneApp =
    { $app ->
        [ntfy] ntfy
       *[gotify] Gotify
    }
# $app (choice)
phoneHint =
    { $app ->
        [ntfy] Scan it with an Android phone to open the topic
       *[gotify] Enter this address in the app
    }
# $app (choice), $link (string)
phoneCode = QR code for { phoneApp }: { $link }
phoneSignIn = To sign in to an app, enter any user name. The password is a token that may also read the inbox
phonesNone = No address for phones yet
tokensMenu = Tokens…

## a notification on a topic of a source

# $topic (string), $source (string)
topicAt = { $topic } ({ $source })
publicationTitle = Title
publicationTitleHint = Leave empty to use the name of the topic
# $most (number)
publicationTitleLong = A title has at most { $most } characters
publicationText = Text
# $keys (string)
publicationKeys = Press { $keys } to publish
# $left (number)
publicationLeft =
    { $left ->
        [one] { $left } byte left
       *[other] { $left } bytes left
    }
# $over (number)
publicationLong =
    { $over ->
        [one] { $over } byte too long. Shorten the text, or the server turns it into a file
       *[other] { $over } bytes too long. Shorten the text, or the server turns it into a file
    }
publicationEmpty = Enter some text
publicationMarkdown = The text is Markdown
publicationPriority = Priority
publicationTags = Tags
publicationTagsHint = A tag such as “warning” is shown as an emoji
# $most (number), $chars (number)
publicationTagsMany = At most { $most } tags, each of at most { $chars } characters
publicationClick = Address to open when clicked
publicationClickWrong = Enter an address that begins with https://, http:// or mailto:
publishing = Publishing
# $topic (string)
published = Published to { $topic }
