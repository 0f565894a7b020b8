//! English strings.

use tidings_sync::{CertificateFault, PullEnd, Trouble};

use super::{NotPublished, OverBudget, Strings, UnreadCount, grouped};

pub(super) static STRINGS: Strings = Strings {
    announcement: "Announcement",
    announcements: "Announcements",
    you: "You",
    this_computer: "This computer",
    sender_and_text: |name, text| format!("{name}: {text}"),

    yours: |kind| format!("Your {kind}"),
    question_answered: |by, answer| match by {
        Some(by) => format!("{by} answered {answer}"),
        None => format!("You answered {answer}"),
    },
    question_unanswered: |default| match default {
        Some(default) => format!("Nobody answered in time: {default}"),
        None => "Nobody answered in time".to_owned(),
    },
    answer_late: |answer| format!("Your answer {answer} came too late"),
    answer_closed: "This question is closed. Your answer was not sent; the item shows what counts",
    answer_not_offered: "This question doesn’t take that answer. Nothing was sent; choose one of its answers",
    items: |action, n| {
        let (singular, plural) = match action {
            Some("create") => ("creation", "creations"),
            Some("comment") => ("comment", "comments"),
            Some("reply") => ("reply", "replies"),
            Some("like") => ("like", "likes"),
            Some("hate") => ("dislike", "dislikes"),
            Some("vote") => ("vote", "votes"),
            Some("update") => ("update", "updates"),
            Some("mention") => ("mention", "mentions"),
            Some("follow") => ("follower", "followers"),
            Some("share") => ("share", "shares"),
            Some("assign") => ("assignment", "assignments"),
            Some("favourite") => ("favourite", "favourites"),
            Some("reblog") => ("boost", "boosts"),
            Some("follow_request") => ("follow request", "follow requests"),
            Some("announcement") => ("announcement", "announcements"),
            _ => ("notification", "notifications"),
        };
        format!("{} {}", grouped(n), if n == 1 { singular } else { plural })
    },
    members: |n| format!("{} {}", grouped(n), if n == 1 { "person" } else { "people" }),
    message_refused: |status, peer| match (status, peer) {
        ("403", None) => "You are not in this conversation any more".to_owned(),
        ("403", Some(_)) => "You may not write there".to_owned(),
        ("404", None) => "This group is not there any more".to_owned(),
        ("404", Some(peer)) => format!("Nobody is called {peer} there"),
        ("413", _) => "It is too long".to_owned(),
        (other, _) => format!("The server refused it ({other})"),
    },
    file_refused: |status, limit| {
        Some(match (status, limit) {
            ("file", _) => {
                "The file’s copy is not on this computer any more. Discard the message and attach it again"
                    .to_owned()
            }
            ("413", Some(limit)) => format!("The file is larger than the server takes ({limit})"),
            ("413", None) => "The file is larger than the server takes".to_owned(),
            ("415", _) => "The server takes no files".to_owned(),
            ("507", _) => {
                "The server has no room for your files now. Try again when older ones have expired".to_owned()
            }
            _ => return None,
        })
    },
    subscription_refused: |source, thread| {
        format!(
            "{source} refused to change the subscription of “{thread}”. It is as it was before; check that your token \
             may change it"
        )
    },
    compose_bad_name: |name| format!("“{name}” is no user name. It has letters, digits, dots, _ and - only"),
    compose_unknown: |source, names| match names {
        [] => format!("{source} does not know all of them. Nothing was sent, and your message is kept here"),
        names => format!(
            "Nobody is called {} at {source}. Nothing was sent, and your message is kept here",
            names.join(" or ")
        ),
    },
    compose_no_groups: |source| format!("{source} has no groups. Write to one person"),
    compose_group_offline: |source| {
        format!(
            "{source} cannot be reached, and only it can make the group. Your message is kept here; send it when there is a connection"
        )
    },
    compose_group_paused: |source| {
        format!(
            "{source} is paused, and only it can make the group. Your message is kept here; send it when the source goes on"
        )
    },
    group_offline: |source| {
        format!(
            "{source} cannot be reached, and only it can change the group. Nothing has changed; try again with a connection"
        )
    },
    group_paused: |source| {
        format!("{source} is paused, and only it can change the group. Nothing has changed")
    },
    group_unknown: |source, user| {
        if user.is_empty() {
            format!("{source} does not have this group any more")
        } else {
            format!("Nobody is called {user} at {source}, or they left. Nothing has changed")
        }
    },
    group_not_owner: "Only the owner of the group can do this. Nothing has changed",
    group_unsupported: |source| format!("The server of {source} is too old for this. Nothing has changed"),
    group_refused: |source, status| format!("{source} refused it ({status}). Nothing has changed"),
    published_offline: |source| {
        format!(
            "{source} cannot be reached, and only it can change what was sent. Nothing has changed; try again with a connection"
        )
    },
    published_paused: |source| {
        format!("{source} is paused, and only it can change what was sent. Nothing has changed")
    },
    published_unknown: |source| {
        format!("{source} does not have this any more, or does not let you change it. Nothing has changed")
    },
    compose_refused: |source, status| match status {
        "403" => format!("{source} does not let you begin a conversation. Your message is kept here"),
        "413" => "It is too long. Your message is kept here".to_owned(),
        other => format!("{source} refused it ({other}). Your message is kept here"),
    },
    not_published: |why, source, topic| match why {
        NotPublished::Paused => {
            format!(
                "{source} is paused. Nothing was published, and what you wrote is kept here until it goes on"
            )
        }
        NotPublished::Unreachable => {
            format!("{source} cannot be reached. Nothing was published, and what you wrote is kept here")
        }
        NotPublished::SignIn => format!(
            "{source} refused the token. Nothing was published, and what you wrote is kept here. Sign in again in Settings, \
             Sources"
        ),
        NotPublished::Forbidden => format!(
            "You may not write to “{topic}” at {source}. What you wrote is kept here: choose another topic, or a token that \
             may write to this one"
        ),
        NotPublished::TooLong => format!(
            "{source} takes no notification of this length. Nothing was published, and what you wrote is kept here: \
             shorten it"
        ),
        NotPublished::TooMany(minutes) => {
            let when =
                minutes.map_or_else(|| "later".to_owned(), |minutes| format!("in {} min", grouped(minutes)));
            format!(
                "{source} takes no more for now. Nothing was published, and what you wrote is kept here: try again {when}"
            )
        }
        NotPublished::Refused(status) => {
            format!("{source} refused it ({status}). Nothing was published, and what you wrote is kept here")
        }
        NotPublished::Unanswered => format!(
            "{source} gave no answer, so this may be on “{topic}” or not. What you wrote is kept here. Publishing it again \
             takes the place of the first one; a server before ntfy 2.16 would have both"
        ),
    },
    new: |n| format!("{} new", grouped(n)),
    verb: |action| {
        Some(match action {
            "create" => "created it",
            "comment" => "commented",
            "reply" => "replied",
            "like" => "liked it",
            "hate" => "disliked it",
            "vote" => "voted for it",
            "mention" => "mentioned you",
            "follow" => "followed",
            "share" => "shared it",
            "assign" => "assigned it to you",
            "favourite" => "favourited it",
            "reblog" => "boosted it",
            "reaction" => "reacted to it",
            "quote" => "quoted you",
            "follow_request" => "asked to follow you",
            "status" => "posted",
            "update" | "quoted_update" => "edited it",
            "publish" | "poll" => "",
            _ => return None,
        })
    },

    unread: |UnreadCount { unread, counted }| match unread {
        0 => "All read".to_owned(),
        n if n == counted => format!("{} unread", grouped(n)),
        n => format!("{} unread, {} counted", grouped(n), grouped(counted)),
    },
    quiet_until: |time| format!("Quiet until {time}"),
    paused: "Notifications are paused",
    menu_open: "Open Tidings",
    menu_mark_all_read: "Mark all read",
    menu_pause: "Pause notifications",
    menu_pause_hour: "Pause notifications for an hour",
    menu_pause_tomorrow: "Pause notifications until tomorrow",
    menu_resume: "Resume notifications",
    menu_quit: "Quit",

    toast_open: "Open",
    toast_read: "Mark read",
    toast_archive: "Archive",
    toast_several: |heading, n| format!("{} new in {heading}", grouped(n)),
    toast_several_from: |who, n| format!("{} new from {who}", grouped(n)),
    toast_gap: |source, n| format!("{source}: {} new while you were away", grouped(n)),
    toast_storm: |source, n| format!("{source}: {} new", grouped(n)),

    button_changed: "This button is no longer what it was when it was shown, so nothing was done. Look at the notification as it \
        is now, and press its button there",
    toast_calls: |label, host| format!("{label} ({host})"),
    plain_reason: |why, markdown| match (why, markdown) {
        (OverBudget::Length, true) => "Shown as plain text, and only its beginning, because it is very long",
        (OverBudget::Length, false) => "Only its beginning is shown, because it is very long",
        (OverBudget::Depth, _) => "Shown as plain text because its quotes or lists are too deeply nested",
        (OverBudget::Elements, _) => "Shown as plain text because it has too many parts to lay out",
    },

    private_host: |host| {
        format!(
            "{host} is on this computer or its network. Nothing was sent: only a source at that address may call it"
        )
    },
    done: "Done",
    answered: |host, status| format!("{host} answered {status}"),
    no_answer: |host| format!("{host} did not answer"),

    trouble: |trouble| match trouble {
        Trouble::Address => "The address cannot be used".to_owned(),
        Trouble::Setup => "This computer cannot make secure connections".to_owned(),
        Trouble::Certificate(fault) => match fault {
            CertificateFault::UnknownAuthority => "Its certificate is signed by an unknown authority",
            CertificateFault::NotValidNow => "Its certificate has expired or is not valid yet",
            CertificateFault::OtherName => "Its certificate is for another name",
            CertificateFault::Untrusted => "Its certificate is not trusted",
            CertificateFault::ClientWanted => "It wants a client certificate that it knows",
            CertificateFault::ClientKey => "The key of the client certificate cannot be read",
        }
        .to_owned(),
        Trouble::Offline => "No network".to_owned(),
        Trouble::Unreachable => "No answer".to_owned(),
        Trouble::Slow => "The answer took too long".to_owned(),
        Trouble::Unavailable(status) => format!("No answer ({status})"),
        Trouble::Waiting(_) => "It asked for a pause".to_owned(),
        Trouble::SignIn => "Needs sign-in".to_owned(),
        Trouble::Refused(status) => format!("Refused ({status})"),
        Trouble::Malformed => "The answer could not be read".to_owned(),
        Trouble::TooLarge => "The answer was too large".to_owned(),
        Trouble::TooComplex => "The answer is nested too deeply, or repeats too much, to be read".to_owned(),
        Trouble::PassedBy => "The answer could not be read before, and is passed by".to_owned(),
        Trouble::NoProgress => "It says that there is more, and brings nothing".to_owned(),
        Trouble::PullEnded(PullEnd::Bytes(bytes)) => format!(
            "The pull ended after {} MiB, the most that one brings. What came is kept, and the next one goes on. If you expect less, pause this source",
            grouped(bytes >> 20)
        ),
        Trouble::PullEnded(PullEnd::Pages(pages)) => format!(
            "The pull ended after {} pages, the most that one brings. What came is kept, and the next one goes on. If you expect less, pause this source",
            grouped(pages.into())
        ),
        Trouble::PullEnded(PullEnd::Disk(bytes)) => format!(
            "The pull ended, because {} MiB of the disk stay free. What came is kept. Make room, and the next one goes on",
            grouped(bytes >> 20)
        ),
        Trouble::RedirectRefused => {
            "The address leads to another one, which is not followed: enter that one".to_owned()
        }
        Trouble::Fault => "A fault in Tidings. What is here is safe".to_owned(),
        Trouble::DiskFull => "The disk is full".to_owned(),
        Trouble::ReadOnly => "The data folder cannot be written".to_owned(),
        Trouble::Replica => "What came could not be kept".to_owned(),
        Trouble::Damaged => "The inbox on this computer is damaged".to_owned(),
        Trouble::NoSessionBus => "There is no session bus, over which programs send notifications".to_owned(),
        Trouble::MonitorRefused => {
            "The session bus lets no program read along, as in a sandbox or before dbus-daemon 1.10"
                .to_owned()
        }
    },

    notice_no_tray: "This desktop has no place for a tray icon. Closing the window quits Tidings.",
    notice_no_tray_goes_on: "This desktop has no place for a tray icon. Closing the window leaves Tidings running; starting it again brings the window back.",
    notice_no_toasts: "This desktop shows no notifications. What arrives waits in the list; Tidings tries again by itself.",
    notice_no_keyring: "This desktop has no keyring. The token is kept in a file that only you can read.",
    notice_port_taken: |usual, now| {
        format!(
            "Another program uses port {usual}. Tidings listens on port {now}; what publishes to {usual} does not arrive."
        )
    },
    notice_no_server: |why| {
        format!("This computer’s own server did not start: {why}. What is here stays; other sources go on.")
    },
    notice_read_only: |folder| {
        format!(
            "The folder {folder} cannot be written. Nothing new can be kept until it can; what is here stays."
        )
    },
    notice_disk_full: "The disk is full. Nothing new can be kept until there is room; what is here stays.",
    notice_passed_by: |of| {
        let of = of.join(", ");
        format!("Tidings skips what {of} sent, because it could not be read before. What is here is safe.")
    },
    notice_no_replica: |why| {
        format!("The inbox on this computer could not be opened: {why}. It was left as it is.")
    },
    notice_damaged: "The inbox on this computer is damaged. It is a copy: repairing pulls it again from its sources and keeps what can be read of drafts, marks, pins, rules and settings.",
    notice_clock_ahead: "The clock of this computer was ahead for a while, so its server gives new notifications times in the future. Nothing is lost. If the clock is right now, mend them: they keep their order, and marks and drafts stay.",
    notice_repaired: "The inbox on this computer is repaired. Quit Tidings and start it again to use it.",
    repaired: |items, lost| {
        let kept = format!(
            "The inbox is repaired. {} notifications were kept, and every source is pulled again",
            grouped(items)
        );
        match lost {
            [] => kept,
            lost => format!("{kept}. These sources could not be read; add them again: {}", lost.join(", ")),
        }
    },
    not_repaired: |why| {
        format!(
            "The inbox was not repaired: {why}. It is as it was. Quit Tidings and run `tidings repair` in a terminal"
        )
    },

    query_date: |token| {
        format!(
            "“{token}” names no day. Write a date like 2026-11-01, a month like 2026-11 or a year like 2026."
        )
    },
    query_state: |token| {
        format!("“{token}” names no state. Write unread, read, pinned, snoozed, done or muted after “is:”.")
    },
    query_kind: |token| {
        format!("“{token}” names no kind. Write announcement, reminder or message after “kind:”.")
    },
    query_priority: |token| {
        format!("“{token}” names no priority. Write a number from 1 to 5 after “priority:”.")
    },
    query_has: |token| format!("“{token}” cannot be looked for. Write attachment or link after “has:”."),

    error_not_found: "It is not here any more.",
    error_invalid: "That is not possible.",
    error_storage: "The inbox on this computer did not answer. Nothing was changed.",
    error_link: "Only web and mail addresses are opened.",
    error_open: "No program on this computer opened it.",
};
