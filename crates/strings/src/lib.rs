//! Every text that Rust shows to the reader, in each language. The tables have one type, so none can lack a string.

pub mod desktop;
mod en;
pub mod settings;
mod zh_cn;

use tidings_ipc::{NotPublished, OverBudget, UnreadCount};
use tidings_model::Lang;
use tidings_sync::Trouble;

/// The strings of one language. A function's parameters are named in its comment.
#[derive(Debug)]
pub struct Strings {
    /// The sender of an announcement.
    pub announcement: &'static str,
    /// The heading of all announcements.
    pub announcements: &'static str,
    /// The name of the user itself.
    pub you: &'static str,
    /// The default name of the own server's source.
    pub this_computer: &'static str,
    /// `(name, text)`: the newest message of a group, with its sender.
    pub sender_and_text: fn(&str, &str) -> String,

    /// `(type)`: the thread's target belongs to the reader; the word for its type.
    pub yours: fn(&str) -> String,
    /// `(by, answer)`: somebody answered a question; nobody named if it was the reader.
    pub question_answered: fn(Option<&str>, &str) -> String,
    /// `(default)`: the time of a question is over without an answer; the answer that counts then, if any.
    pub question_unanswered: fn(Option<&str>) -> String,
    /// `(answer)`: the reader's own answer came too late.
    pub answer_late: fn(&str) -> String,
    /// The question is answered, or its time is over.
    pub answer_closed: &'static str,
    /// The question takes no such answer.
    pub answer_not_offered: &'static str,
    /// `(action, count)`: the number of items: "9 comments".
    pub items: fn(Option<&str>, u64) -> String,
    /// `(count)`: the number of members of a group: "5 people".
    pub members: fn(u64) -> String,
    /// Who came into a group.
    pub joined: fn(&str) -> String,
    /// Who left a group, or was removed.
    pub left: fn(&str) -> String,
    /// The new name of a group.
    pub renamed: fn(&str) -> String,
    /// `(status, peer)`: the reason why a server refused a message, from its HTTP status; no peer in a group.
    pub message_refused: fn(&str, Option<&str>) -> String,
    /// `(status, limit)`: the reason why a message with a file was refused, from the HTTP status and the largest size
    /// that the server takes. None if the file is not the reason.
    pub file_refused: fn(&str, Option<&str>) -> Option<String>,
    /// `(source, thread)`: the source refused the subscription that the reader wanted of the thread.
    pub subscription_refused: fn(&str, &str) -> String,
    /// `(text)`: the text is not a valid user name.
    pub compose_bad_name: fn(&str) -> String,
    /// `(source, names)`: the source does not know these users; `names` is empty if it did not say which.
    pub compose_unknown: fn(&str, &[&str]) -> String,
    /// `(source)`: it has no groups of people.
    pub compose_no_groups: fn(&str) -> String,
    /// `(source)`: the source, which has to create the group, cannot be reached.
    pub compose_group_offline: fn(&str) -> String,
    /// `(source)`: the source, which has to create the group, is paused.
    pub compose_group_paused: fn(&str) -> String,
    /// `(source, status)`: the source refused the new conversation.
    pub compose_refused: fn(&str, &str) -> String,
    /// `(source)`: the source, which has to change the group, cannot be reached.
    pub group_offline: fn(&str) -> String,
    /// `(source)`: the source, which has to change the group, is paused.
    pub group_paused: fn(&str) -> String,
    /// `(source, user)`: the source does not know this user or member; empty if the group itself is gone.
    pub group_unknown: fn(&str, &str) -> String,
    /// Only the owner may change the group.
    pub group_not_owner: &'static str,
    /// `(source)`: the server of the source is too old for the change.
    pub group_unsupported: fn(&str) -> String,
    /// `(source, status)`: the source refused the change.
    pub group_refused: fn(&str, &str) -> String,
    /// `(source)`: the source, which has to change what the reader published, cannot be reached.
    pub published_offline: fn(&str) -> String,
    /// `(source)`: the source, which has to change what the reader published, is paused.
    pub published_paused: fn(&str) -> String,
    /// `(source)`: the source does not have it any more, or another token published it.
    pub published_unknown: fn(&str) -> String,
    /// `(why, source, topic)`: what the reader wrote was not published, or may not have been.
    pub not_published: fn(NotPublished, &str, &str) -> String,
    /// `(count)`: the number of new items: "5 new".
    pub new: fn(u64) -> String,
    /// `(action)`: the verb after a name, in a sentence without a target; `None` for an unknown action.
    pub verb: fn(&str) -> Option<&'static str>,

    /// The numbers of unread items.
    pub unread: fn(UnreadCount) -> String,
    /// `(time)`: added to the tooltip during quiet hours.
    pub quiet_until: fn(&str) -> String,
    /// Added to the tooltip while toasts are paused.
    pub paused: &'static str,
    /// Tray menu: show the window.
    pub menu_open: &'static str,
    /// Tray menu: mark everything as read.
    pub menu_mark_all_read: &'static str,
    /// Tray menu: pause toasts.
    pub menu_pause: &'static str,
    /// Tray menu: pause toasts for an hour.
    pub menu_pause_hour: &'static str,
    /// Tray menu: pause toasts until the next morning.
    pub menu_pause_tomorrow: &'static str,
    /// Tray menu: end the pause.
    pub menu_resume: &'static str,
    /// Tray menu: end the program.
    pub menu_quit: &'static str,

    /// The toast's button that opens the window.
    pub toast_open: &'static str,
    /// The toast's button that marks its items as read.
    pub toast_read: &'static str,
    /// The toast's button that archives its items.
    pub toast_archive: &'static str,
    /// The toast's button that opens its field for a message.
    pub toast_reply: &'static str,
    /// The toast's button that opens its field for the answer to a question.
    pub toast_answer: &'static str,
    /// `(heading, count)`: a toast that stands for several items of a thread.
    pub toast_several: fn(&str, u64) -> String,
    /// `(name, count)`: a toast that stands for several messages of one person.
    pub toast_several_from: fn(&str, u64) -> String,
    /// `(source, count)`: the summary after a gap or a silence.
    pub toast_gap: fn(&str, u64) -> String,
    /// `(source, count)`: the summary in a storm.
    pub toast_storm: fn(&str, u64) -> String,

    /// The pressed button differs from the one that was shown.
    pub button_changed: &'static str,
    /// The answer in words of a toast whose field has changed since it was shown.
    pub reply_changed: &'static str,
    /// `(label, host)`: the label of a toast's button that sends a request.
    pub toast_calls: fn(&str, &str) -> String,
    /// `(reason, is Markdown)`: why a body is shown as plain text, or only its beginning.
    pub plain_reason: fn(OverBudget, bool) -> &'static str,

    /// `(host)`: the address is on this computer or its network, and content may not call it.
    pub private_host: fn(&str) -> String,
    /// A button's request succeeded.
    pub done: &'static str,
    /// The sentence after a button copied a text.
    pub copied: &'static str,
    /// `(host, status)`: a button's request was answered with another status than success.
    pub answered: fn(&str, u16) -> String,
    /// `(host)`: a button's request got no answer.
    pub no_answer: fn(&str) -> String,

    /// `(trouble)`: the reason why a source is not up to date.
    pub trouble: fn(Trouble) -> String,

    /// Notice: there is no tray host.
    pub notice_no_tray: &'static str,
    /// Notice: no tray host, and the program goes on without its window.
    pub notice_no_tray_goes_on: &'static str,
    /// Notice: there is no notification daemon or no session bus.
    pub notice_no_toasts: &'static str,
    /// Notice: there is no keyring, so tokens are in a file.
    pub notice_no_keyring: &'static str,
    /// `(usual port, port in use instead)`: notice that the usual port is in use.
    pub notice_port_taken: fn(u16, u16) -> String,
    /// `(reason)`: notice that the own server did not start.
    pub notice_no_server: fn(&str) -> String,
    /// `(folder)`: notice that the data folder cannot be written.
    pub notice_read_only: fn(&str) -> String,
    /// Notice: the disk is full.
    pub notice_disk_full: &'static str,
    /// Notice: the disk fails.
    pub notice_disk_fails: &'static str,
    /// `(reason)`: notice that the replica can't be opened, for example because it is from a newer version.
    pub notice_no_replica: fn(&str) -> String,
    /// `(names)`: notice that what these sources sent is passed by.
    pub notice_passed_by: fn(&[String]) -> String,
    /// Notice that the replica is damaged.
    pub notice_damaged: &'static str,
    /// Notice that a wrong clock left stamps of the own server in the future.
    pub notice_clock_ahead: &'static str,
    /// Notice that the replica was repaired and is used from the next start on.
    pub notice_repaired: &'static str,
    /// `(version)`: notice that there is a newer version of the program.
    pub notice_newer_version: fn(&str) -> String,
    /// `(items, sources that could not be read, other parts that could not be read)`: the replica was repaired.
    pub repaired: fn(u64, &[String], u64) -> String,
    /// `(reason)`: the replica could not be repaired.
    pub not_repaired: fn(&str) -> String,

    /// The thread or item does not exist any more.
    pub error_not_found: &'static str,
    /// `(term)`: the term's key takes a day, month or year.
    pub query_date: fn(&str) -> String,
    /// `(term)`: the term's key takes a state.
    pub query_state: fn(&str) -> String,
    /// `(term)`: the term's key takes a kind.
    pub query_kind: fn(&str) -> String,
    /// `(term)`: the term's key takes a priority.
    pub query_priority: fn(&str) -> String,
    /// `(term)`: the term's key takes `attachment` or `link`.
    pub query_has: fn(&str) -> String,

    /// The request is invalid.
    pub error_invalid: &'static str,
    /// The replica could not be read or written.
    pub error_storage: &'static str,
    /// The address has a scheme that is not opened.
    pub error_link: &'static str,
    /// No program could be started for the address.
    pub error_open: &'static str,
    /// The page asked too often.
    pub error_too_often: &'static str,
}

/// The strings of a language.
pub const fn strings(lang: Lang) -> &'static Strings {
    match lang {
        Lang::En => &en::STRINGS,
        Lang::ZhCn => &zh_cn::STRINGS,
    }
}

/// A number with thousands separators, never rounded.
///
/// ```
/// assert_eq!(tidings_strings::grouped(12_400), "12,400");
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
mod tests;
