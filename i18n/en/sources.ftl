### The English texts about kinds of sources, by protocol, and about how much sources send. A protocol without texts of
### its own has the general ones.

# $name (string), $label (string)
kindName =
    { $name ->
        [tidings] Tidings server
        [feed] Feed (RSS, Atom, JSON)
        [desktop] Other programs
       *[other] { $label }
    }
# The type in a line beside an address.
# $name (string), $label (string)
kindShort =
    { $name ->
        [tidings] Tidings server
        [feed] Feed
        [desktop] Other programs
       *[other] { $label }
    }
# $kinds (list)
kindList = { LIST($kinds, between: ", ", last: " or ") }
# The type within a list that begins a sentence.
# $name (string), $label (string)
kindListed =
    { $name ->
        [tidings] A Tidings server
        [feed] a feed (RSS, Atom, JSON)
       *[other] { $label }
    }
# $protocol (string)
kindAddress =
    { $protocol ->
        [ntfy] The server, without topics
        [gotify] The address of the server, as you open it in a browser
        [github] Keep this for github.com. For GitHub Enterprise, enter an address such as https://github.example.org/api/v3
        [forgejo] The address of the server, as you open it in a browser. Gitea works too
        [gitlab] The address of the server, as you open it in a browser
        [mastodon] The server that your account is on. Servers that are compatible with Mastodon work too
        [feed] The address of a feed (RSS, Atom, JSON Feed), or of a page that links to its feed
       *[other] { "" }
    }
sourceTopicsHint = Separated by commas: alerts,backups. A topic may contain letters A to Z, digits, - and _
# $protocol (string)
kindToken =
    { $protocol ->
        [tidings] Ask the server’s administrator for a token that may read the inbox
        [ntfy] A token, or user:password. Leave empty for topics that everyone may read
        [gotify] The token of a client, created under Clients in Gotify. The token of an application cannot read notifications
        [github] Create a classic token under Settings › Developer settings on GitHub, and select “notifications”. Select “repo” too to show content from private repositories. Fine-grained tokens cannot read notifications
        [forgejo] Create it under Settings › Applications. It needs to read the user, issues and repositories, and to read and write notifications
        [gitlab] Create a personal access token under Preferences, and select “api”. With “read_api”, nothing is marked as done there
        [mastodon] Create it under Preferences › Development › New application, and allow “read:accounts” and “read:notifications”
       *[other] { "" }
    }
# $protocol (string)
kindClient =
    { $protocol ->
        [github] The ID of your own OAuth app: open Settings › Developer settings › OAuth Apps › New OAuth app, and select “Enable Device Flow”. Its web addresses can be anything. The client secret is not needed
        [gitlab] The ID of your own application: open Preferences › Applications › Add new application, and clear “Confidential”. Select “read_api”, or “api” to mark to-dos as done there. Its redirect address can be anything
       *[other] The ID of an application that you created at the service
    }
# $read (choice)
kindKeeps =
    { $read ->
        [here] What you read or archive is saved on this computer only
        [sent] Reading an item here marks it read there
       *[both] Reading an item here marks it read there, and vice versa
    }
kindBadge = New items count on the badge. Toasts are off at first
# $source (string)
sourceReasons = Show toasts from { $source } for
# $action (string), $otherwise (string)
reasonName =
    { $action ->
        [added_approver] You became an approver
        [approval_requested] Your approval is requested
        [approval_required] Your approval is requested
        [assign] You are assigned
        [assigned] You are assigned
        [author] Updates to what you opened
        [build_failed] Failed pipelines
        [ci_activity] Checks and workflows
        [comment] Comments
        [directly_addressed] You are mentioned directly
        [invitation] Invitations
        [manual] Items you follow
        [marked] Items you added yourself
        [member_access_requested] Requests for access
        [member_feature_requested] Requests of members
        [mention] You are mentioned
        [mentioned] You are mentioned
        [merge_train_removed] Removed from the merge train
        [okr_checkin_requested] Requests for a check-in
        [release] Releases
        [review_requested] Your review is requested
        [review_submitted] Reviews
        [security_advisory_credit] Credits for advisories
        [security_alert] Security alerts
        [ssh_key_expired] Expired SSH keys
        [ssh_key_expiring_soon] SSH keys that expire soon
        [state_change] Items you closed or merged
        [subscribed] Repositories that you watch
        [team_mention] Your team is mentioned
        [transfer] Repositories transferred to you
        [unmergeable] Merge conflicts
        [update] Other news
        [your_activity] Items you took part in
       *[other] { $otherwise }
    }
# The name of a switch: whether a reason makes toasts.
# $reason (string)
reasonToast = Toasts: { $reason }
sourcesAdvanced = Proxy and certificates
# $name (string)
sourceNotify = Notifications from { $name }
sourceNotifyMenu = Its notifications
otherProgramsHint = Keep their notifications, import their sources
desktopKeep = Keep notifications from other programs
desktopKeepHint = Keeps the text of notifications that other programs show on this desktop, so that you can read last night’s in the morning. The text stays on this computer. Nothing is sent or downloaded
desktopOff = No new notifications are kept. Earlier ones are still in the inbox; to delete them, remove the source above
desktopNobody = No program has shown a notification since you turned this on. Programs that show one are listed here. Turn on those whose notifications you want to keep
desktopApps = Programs whose notifications are kept
desktopAppsHint = If a program is off, only its name is stored. Volume, progress and other brief notices are never kept, and neither are those of Tidings
# $name (string)
desktopApp = Keep notifications of { $name }
desktopRemove = Tidings stops keeping notifications of other programs and forgets which ones you chose.
# $programs (number)
desktopKept =
    { $programs ->
        [0] No programs yet
       *[other] { $programs ->
            [one] 1 program
           *[other] { $programs } programs
        }
    }
signInBrowser = Sign in with the browser
signInMay = If you sign in with the browser, Tidings may:
# $host (string)
signInEnter = Open the page of { $host } and enter this code. Before you agree, check that the page shows the same code
# $host (string)
signInAgree = Agree on the page of { $host } in the browser
signInCode = Code
signInOpen = Open the page
signInStop = Stop
signInWaiting = Waiting until you agree on the page
client = Client ID
clientMissing = Enter the client ID first, or a token below
orToken = Or with a token
noiseLead = How much each source sends, and how much of it you read
noNoise = Nothing has arrived in the last 30 days
# $items (number), $percent (number)
noiseTold =
    { $items ->
        [one] { $items } notification, { $percent ->
            [0] not read
            [100] read
           *[other] { $percent }% read
        }
       *[other] { $items } notifications, { $percent ->
            [0] none read
            [100] all read
           *[other] { $percent }% read
        }
    }
# $origin (string), $source (string)
noiseOf = { $origin } of { $source }
# $name (string)
noiseMute = Mute { $name }
# $name (string)
noiseUnmute = Unmute { $name }
# $since (string)
noiseHint = Since { $since }. Archived notifications count as read
proxyHint = For connections to other computers. Not used for this computer or for links in notifications
proxyDesktop = Same as the desktop
proxyNone = None
proxyThis = Custom
proxyAddress = Address of the proxy
proxyAddressMissing = Enter the address of a proxy, such as http://proxy.example:3128 or socks5://127.0.0.1:1080
proxyUser = User name
proxyPassword = Password
proxyPasswordKept = Leave empty to keep the saved password
proxySave = Use this proxy
# $choice (choice), $address (string)
proxySet =
    { $choice ->
        [desktop] The desktop’s proxy is used from now on
        [none] No proxy is used from now on
       *[this] { $address } is used from now on
    }
certificateAddress = Certificate for
certificateHint = Enter the address of a server that this computer does not trust, such as one at work or at home, or that asks for a client certificate. A certificate is used for that address only. The key of a client certificate is kept in the keyring
certificateAddressMissing = Enter the address of a server, such as https://git.example:8443
certificateAuthority = Certificate authority…
certificateClient = Client certificate…
# $client (boolean), $issuer (string or null), $until (string), $valid (boolean)
certificateAbout =
    { $client ->
        [true] Client certificate
       *[false] Certificate authority
    }, { GIVEN($issuer) ->
        [no] self-signed
       *[yes] signed by { $issuer }
    }. { $valid ->
        [true] Valid until { $until }
       *[false] Expired or not valid yet. Its last day is { $until }
    }
# $subject (string), $origin (string)
certificateRemove = Remove { $subject } for { $origin }
# $subject (string), $origin (string)
certificateRemoved = { $subject } removed for { $origin }
importAndExport = Import and export
importOnly = Import
importRow = Import sources
importHint = From Gitify, gotify-tray, ntfy’s client.yml, or a list of feeds (OPML)
importMenu = Import…
# $file (string)
importFrom = Import from { $file }
importEmpty = This file has no sources
importIntro = Each source is tested before it is added
# $count (number)
importAll = All { $count }
importPrivate = On this computer or its network: tested only if you select it
# $name (string)
importKnown = Already added, as “{ $name }”
# $name (string)
importToken = Token for { $name }
importTokenMissing = The file has no readable token
importAsking = Testing
# $name (string)
importAdded = Added as “{ $name }”
# $count (number)
importAdd =
    { $count ->
        [0] Add
       *[other] Add { $count }
    }
# $added (number), $refused (number)
importDone =
    { $refused ->
        [0] { $added } added
       *[other] { $added } added, { $refused } not added
    }
# $names (list), $more (number)
importLeftOut =
    { $more ->
        [0] Skipped (not a source): { LIST($names, between: ", ", last: " and ") }
       *[other] { GIVEN($names) ->
            [no] Skipped (not a source): { $more } more
           *[yes] Skipped (not a source): { LIST($names, between: ", ") } and { $more } more
        }
    }
exportFeeds = Export feeds
exportFeedsHint = A list (OPML) for other feed readers
# $all (list)
sentences = { LIST($all, between: ". ") }
