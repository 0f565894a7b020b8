//! Every text that Rust puts before a reader, in each language. The tables have one type, so that none lacks a string.

pub(crate) mod admin;
mod en;
mod zh_cn;

use tidings_model::Lang;
use tidings_sync::Trouble;

use crate::render::budget::OverBudget;

/// The strings of one language. A function takes what the sentence is about.
#[derive(Debug)]
pub struct Strings {
    /// Who an announcement is from.
    pub announcement: &'static str,
    /// The heading of all announcements.
    pub announcements: &'static str,
    /// The user itself, in a conversation.
    pub you: &'static str,
    /// The source that the app runs itself.
    pub this_computer: &'static str,
    /// `(name, text)` of the newest message of a group.
    pub said: fn(&str, &str) -> String,

    /// A thread about something that the reader owns: its type.
    pub yours: fn(&str) -> String,
    /// `(action, items)`: "9 comments".
    pub items: fn(Option<&str>, u64) -> String,
    /// How many are in a group: "5 people".
    pub members: fn(u64) -> String,
    /// `(status, peer)`: why a server refuses a message, from its HTTP status; no peer in a group.
    pub message_refused: fn(&str, Option<&str>) -> String,
    /// What was given is no name of a user.
    pub compose_bad_name: fn(&str) -> String,
    /// `(source, names)`: it does not know these users; none are named where it did not say which.
    pub compose_unknown: fn(&str, &[&str]) -> String,
    /// The source, which would have to make the group, can't be reached.
    pub compose_group_offline: fn(&str) -> String,
    /// The source, which would have to make the group, is paused.
    pub compose_group_paused: fn(&str) -> String,
    /// `(source, status)`: it refuses a new conversation.
    pub compose_refused: fn(&str, &str) -> String,
    /// How many of them are new: "5 new".
    pub new: fn(u64) -> String,
    /// The verb after a name where the sentence needs no target.
    pub verb: fn(&str) -> Option<&'static str>,

    /// The number as the tray's tooltip says it.
    pub unread: fn(u64) -> String,
    /// `(time)`: added to the tooltip in quiet hours.
    pub quiet_until: fn(&str) -> String,
    /// Added to the tooltip while toasts are paused.
    pub paused: &'static str,
    /// Tray menu: show the window.
    pub menu_open: &'static str,
    /// Tray menu.
    pub menu_mark_all_read: &'static str,
    /// Tray menu.
    pub menu_pause: &'static str,
    /// Tray menu.
    pub menu_pause_hour: &'static str,
    /// Tray menu.
    pub menu_pause_tomorrow: &'static str,
    /// Tray menu, while paused.
    pub menu_resume: &'static str,
    /// Tray menu.
    pub menu_quit: &'static str,

    /// A toast's button.
    pub toast_open: &'static str,
    /// A toast's button.
    pub toast_read: &'static str,
    /// A toast's button.
    pub toast_archive: &'static str,
    /// `(heading, new)`: a toast that stands for several items of a thread.
    pub toast_several: fn(&str, u64) -> String,
    /// `(who, new)`: the same in a conversation with one person.
    pub toast_several_from: fn(&str, u64) -> String,
    /// `(source, new)`: the one toast after a gap.
    pub toast_gap: fn(&str, u64) -> String,
    /// `(source, new)`: the one toast in a storm.
    pub toast_storm: fn(&str, u64) -> String,

    /// A button is another than the one that was read as it was pressed.
    pub button_changed: &'static str,
    /// `(label, host)`: a toast's button that calls out.
    pub toast_calls: fn(&str, &str) -> String,
    /// `(why, Markdown)`: a body is shown as plain text, or only its beginning.
    pub plain_reason: fn(OverBudget, bool) -> &'static str,

    /// `(host)`: an address of this computer or its network, which content from elsewhere may not call.
    pub private_host: fn(&str) -> String,
    /// Called, and it answered well.
    pub done: &'static str,
    /// `(host, status)`.
    pub answered: fn(&str, u16) -> String,
    /// `(host)`.
    pub no_answer: fn(&str) -> String,

    /// What keeps a source from being up to date.
    pub trouble: fn(Trouble) -> String,

    /// No tray host.
    pub notice_no_tray: &'static str,
    /// No notification daemon or no session bus.
    pub notice_no_toasts: &'static str,
    /// Tokens are in a file.
    pub notice_no_keyring: &'static str,
    /// `(usual, taken instead)`.
    pub notice_port_taken: fn(u16, u16) -> String,
    /// `(reason)`.
    pub notice_no_server: fn(&str) -> String,
    /// `(folder)`.
    pub notice_read_only: fn(&str) -> String,
    /// No room.
    pub notice_disk_full: &'static str,
    /// `(reason)`: the inbox is broken or from a newer version.
    pub notice_no_replica: fn(&str) -> String,

    /// No such thread or item.
    pub error_not_found: &'static str,
    /// `(token)`: its key takes a day, month or year.
    pub query_date: fn(&str) -> String,
    /// `(token)`: its key takes a state.
    pub query_state: fn(&str) -> String,
    /// `(token)`: its key takes a kind.
    pub query_kind: fn(&str) -> String,
    /// `(token)`: its key takes a priority.
    pub query_priority: fn(&str) -> String,
    /// `(token)`: its key takes `attachment` or `link`.
    pub query_has: fn(&str) -> String,

    /// Makes no sense.
    pub error_invalid: &'static str,
    /// The replica could not be read or written.
    pub error_storage: &'static str,
    /// An address that is not opened.
    pub error_link: &'static str,
    /// The outside program did not start.
    pub error_open: &'static str,
}

/// The table of a language.
pub const fn strings(lang: Lang) -> &'static Strings {
    match lang {
        Lang::En => &en::STRINGS,
        Lang::ZhCn => &zh_cn::STRINGS,
    }
}

/// A number with its thousands apart, never rounded.
///
/// ```
/// assert_eq!(tidings_app::strings::grouped(12_400), "12,400");
/// ```
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_never_rounded() {
        for (n, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (12_400, "12,400"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(n), text);
        }
    }

    #[test]
    fn a_gap_is_told_in_one_sentence() {
        assert_eq!((strings(Lang::En).toast_gap)("Work", 214), "Work: 214 new while you were away");
        assert_eq!((strings(Lang::ZhCn).toast_gap)("工作", 214), "工作：离开期间有 214 条新通知");
    }

    #[test]
    fn one_is_not_several() {
        assert_eq!((strings(Lang::En).items)(Some("comment"), 1), "1 comment");
        assert_eq!((strings(Lang::En).items)(Some("reply"), 2), "2 replies");
        assert_eq!((strings(Lang::ZhCn).items)(Some("comment"), 9), "9 条评论");
    }

    #[test]
    fn no_sentence_shouts_or_begs() {
        for lang in [Lang::En, Lang::ZhCn] {
            let text = format!("{:?}", strings(lang)) + &(strings(lang).notice_port_taken)(7878, 1);
            for word in ["!", "！", "lease", "ops", "您", "请"] {
                assert!(!text.contains(word), "{lang:?}: {word}");
            }
        }
    }
}
