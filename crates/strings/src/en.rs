//! English strings.

mod troubles;

use crate::{OverBudget, Strings, UnreadCount, grouped};

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
    answer_closed: "This question is closed. Your answer was not sent. The item shows the answer that counts",
    answer_not_offered: "This question does not offer that answer. Nothing was sent. Choose one of its answers",
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
    joined: |who| format!("{who} joined"),
    left: |who| format!("{who} left"),
    renamed: |name| format!("The group was renamed “{name}”"),
    message_refused: |status, peer| match (status, peer) {
        ("403", None) => "You are no longer in this conversation".to_owned(),
        ("403", Some(_)) => "You may not write to this person".to_owned(),
        ("404", None) => "This group no longer exists".to_owned(),
        ("404", Some(peer)) => format!("There is no user {peer}"),
        ("413", _) => "The message is too long".to_owned(),
        (other, _) => format!("The server refused the message ({other})"),
    },
    file_refused: |status, limit| {
        Some(match (status, limit) {
            ("file", _) => {
                "The copy of the file is no longer on this computer. Discard the message and attach the file again"
                    .to_owned()
            }
            ("413", Some(limit)) => format!("The file is larger than the server accepts ({limit})"),
            ("413", None) => "The file is larger than the server accepts".to_owned(),
            ("415", _) => "The server does not accept files".to_owned(),
            ("507", _) => {
                "The server has no room for your files now. Try again when older ones have expired".to_owned()
            }
            _ => return None,
        })
    },
    subscription_refused: |source, thread| {
        format!(
            "{source} refused to change the subscription to “{thread}”, so nothing has changed. Check that your \
             token may change it"
        )
    },
    compose_bad_name: |name| {
        format!("“{name}” is not a user name. User names have letters, digits, dots, _ and - only")
    },
    compose_unknown: |source, names| match names {
        [] => format!(
            "{source} does not know all of these users. Nothing was sent, and your message is kept here"
        ),
        names => format!(
            "{source} has no user {}. Nothing was sent, and your message is kept here",
            names.join(" or ")
        ),
    },
    compose_no_groups: |source| format!("{source} has no groups. Write to one person instead"),
    compose_group_offline: |source| {
        format!(
            "{source} cannot be reached, so the group was not created. Your message is kept here; send it when you are back online"
        )
    },
    compose_group_paused: |source| {
        format!(
            "{source} is paused, so the group was not created. Your message is kept here; resume the source, then send it"
        )
    },
    group_offline: |source| {
        format!(
            "{source} cannot be reached, so the group has not changed. Try again when you are back online"
        )
    },
    group_paused: |source| {
        format!("{source} is paused, so the group has not changed. Resume the source, then try again")
    },
    group_unknown: |source, user| {
        if user.is_empty() {
            format!("{source} no longer has this group")
        } else {
            format!("{source} has no user {user}, or they left the group. Nothing has changed")
        }
    },
    group_not_owner: "Only the owner of the group can do this. Nothing has changed",
    group_unsupported: |source| format!("The server of {source} is too old for this. Nothing has changed"),
    group_refused: |source, status| format!("{source} refused the change ({status}). Nothing has changed"),
    published_offline: |source| {
        format!("{source} cannot be reached, so nothing has changed. Try again when you are back online")
    },
    published_paused: |source| {
        format!("{source} is paused, so nothing has changed. Resume the source, then try again")
    },
    published_unknown: |source| {
        format!("{source} no longer has this item, or does not let you change it. Nothing has changed")
    },
    compose_refused: |source, status| match status {
        "403" => format!("{source} does not let you start a conversation. Your message is kept here"),
        "413" => "The message is too long. It is kept here; shorten it".to_owned(),
        other => format!("{source} refused the message ({other}). It is kept here"),
    },
    not_published: troubles::not_published,
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
        n if counted == 0 => format!("{} quiet", grouped(n)),
        n => format!("{} unread, {} quiet", grouped(counted), grouped(n.saturating_sub(counted))),
    },
    quiet_until: |time| format!("Quiet until {time}"),
    paused: "Toasts are paused",
    menu_open: "Open Tidings",
    menu_mark_all_read: "Mark all read",
    menu_pause: "Pause toasts",
    menu_pause_hour: "Pause toasts for an hour",
    menu_pause_tomorrow: "Pause toasts until tomorrow",
    menu_resume: "Resume toasts",
    menu_quit: "Quit",

    toast_open: "Open",
    toast_read: "Mark read",
    toast_archive: "Archive",
    toast_reply: "Reply",
    toast_answer: "Answer",
    toast_several: |heading, n| format!("{} new in {heading}", grouped(n)),
    toast_several_from: |who, n| format!("{} new from {who}", grouped(n)),
    toast_gap: |source, n| format!("{source}: {} new while you were away", grouped(n)),
    toast_storm: |source, n| format!("{source}: {} new", grouped(n)),

    button_changed: "This button has changed since it was shown, so nothing was done. Open the notification and press its \
        button there",
    reply_changed: "This toast has changed since it was shown, so nothing was sent. Open the notification and answer \
        there",
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
    copied: "Copied",
    answered: |host, status| format!("{host} answered {status}"),
    no_answer: |host| format!("{host} did not answer"),

    trouble: troubles::trouble,

    notice_no_tray: "This desktop has no place for a tray icon. Closing the window quits Tidings.",
    notice_no_tray_goes_on: "This desktop has no place for a tray icon. If you close the window, Tidings keeps running. Start it again to open the window.",
    notice_no_toasts: "This desktop shows no notifications. New notifications are in the list. Tidings tries again automatically.",
    notice_no_keyring: "This desktop has no keyring. The token is kept in a file that only you can read.",
    notice_port_taken: |usual, now| {
        format!(
            "Another program uses port {usual}. Tidings listens on port {now}; what is published to {usual} does not arrive."
        )
    },
    notice_no_server: |why| {
        format!(
            "This computer’s own server did not start: {why}. What is here stays, and other sources keep working."
        )
    },
    notice_read_only: |folder| {
        format!(
            "Tidings cannot write to the folder {folder}. Nothing new can be kept until it can; what is here stays."
        )
    },
    notice_disk_full: "The disk is full. Nothing new can be kept until there is room; what is here stays.",
    notice_disk_fails: "The disk has errors. Nothing new can be kept until it works again; what can still be read is shown.",
    notice_passed_by: |of| {
        let of = of.join(", ");
        format!("Tidings skips what {of} sent, because it could not be read before. What is here is safe.")
    },
    notice_no_replica: |why| {
        format!("The inbox on this computer could not be opened: {why}. Its file has not changed.")
    },
    notice_damaged: "The inbox on this computer is damaged. It is a copy. If you repair it, Tidings fetches it again from its sources and keeps all drafts, marks, pins, rules and settings that can be read.",
    notice_clock_ahead: "The clock of this computer was ahead for a while, so its server gives new notifications times in the future. Nothing is lost. If the clock is right now, correct the times: notifications keep their order, and marks and drafts stay.",
    notice_repaired: "The inbox on this computer is repaired. Quit Tidings and start it again to use it.",
    notice_newer_version: |version| format!("Tidings {version} is available."),
    repaired: |items, lost, parts| {
        let mut kept = format!(
            "The inbox is repaired. {} notifications were kept, and all sources are fetched again",
            grouped(items)
        );
        if parts > 0 {
            let parts = if parts == 1 { "One part".to_owned() } else { format!("{} parts", grouped(parts)) };
            kept = format!("{kept}. {parts} of the damaged inbox could not be read");
        }
        match lost {
            [] => kept,
            lost => format!("{kept}. These sources could not be read; add them again: {}", lost.join(", ")),
        }
    },
    not_repaired: |why| {
        format!(
            "The inbox was not repaired: {why}. It has not changed. Quit Tidings and run `tidings repair` in a terminal"
        )
    },

    query_date: |token| {
        format!(
            "“{token}” is not a date. Enter a day such as 2026-11-01, a month such as 2026-11 or a year such as 2026."
        )
    },
    query_state: |token| {
        format!(
            "“{token}” is not a state. After “is:”, enter unread, quiet, read, pinned, snoozed, done, muted, merged, closed or bot."
        )
    },
    query_kind: |token| {
        format!("“{token}” is not a type. After “type:”, enter announcement, activity or message.")
    },
    query_priority: |token| {
        format!("“{token}” is not a priority. After “priority:”, enter a number from 1 to 5.")
    },
    query_has: |token| format!("“{token}” cannot be searched for. After “has:”, enter attachment or link."),

    error_not_found: "It is no longer here.",
    error_invalid: "That is not possible.",
    error_storage: "The inbox on this computer did not answer. Nothing was changed.",
    error_link: "Tidings opens web and mail addresses only.",
    error_open: "No program on this computer can open it.",
    error_too_often: "That was asked for too often. Try again in a minute.",
};
