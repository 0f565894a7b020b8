//! Strings about sources, the own server, storage and files.

mod en;
mod zh_cn;

use tidings_model::Lang;

/// The strings of one language. A function takes what the sentence is about; `host` is a server's name.
#[derive(Debug)]
pub(crate) struct AdminStrings {
    /// No address was given.
    pub(crate) no_address: &'static str,
    /// What was given is no address.
    pub(crate) bad_address: fn(&str) -> String,
    /// No token was given.
    pub(crate) no_token: &'static str,
    /// A protocol that this version does not speak.
    pub(crate) unknown_protocol: fn(&str) -> String,
    /// It answers, and speaks something else.
    pub(crate) not_tidings: fn(&str) -> String,
    /// The token is not known there.
    pub(crate) wrong_token: fn(&str) -> String,
    /// The token may not read the inbox.
    pub(crate) no_inbox: fn(&str) -> String,
    /// The certificate is not trusted.
    pub(crate) certificate: fn(&str) -> String,
    /// No route, or no such name.
    pub(crate) offline: fn(&str) -> String,
    /// Nothing answers there.
    pub(crate) unreachable: fn(&str) -> String,
    /// It took too long.
    pub(crate) slow: fn(&str) -> String,
    /// `(host, status)`: it can't answer now.
    pub(crate) unavailable: fn(&str, u16) -> String,
    /// `(host, status)`: it said no.
    pub(crate) refused: fn(&str, u16) -> String,
    /// This computer can't make secure connections.
    pub(crate) setup: &'static str,
    /// The source is there already, under this name.
    pub(crate) already: fn(&str) -> String,
    /// `(who, unread)`.
    pub(crate) signed_in: fn(Option<&str>, Option<&str>) -> String,
    /// Another source has this name.
    pub(crate) name_taken: fn(&str) -> String,
    /// A name is needed, and of this length at most.
    pub(crate) name_needed: &'static str,
    /// The own server cannot be removed.
    pub(crate) own_stays: &'static str,
    /// What was kept of a removed source cannot be pulled.
    pub(crate) only_kept: &'static str,
    /// `(the token's user, the source's user)`.
    pub(crate) other_user: fn(&str, &str) -> String,
    /// The token could not be kept, and why.
    pub(crate) token_not_kept: fn(&str) -> String,

    /// `(port, where the server goes on)`.
    pub(crate) port_taken: fn(u16, Option<&str>) -> String,
    /// `(port, where the server goes on)`: more rights are needed.
    pub(crate) port_denied: fn(u16, Option<&str>) -> String,
    /// `(why, where the server goes on)`.
    pub(crate) server_failed: fn(&str, Option<&str>) -> String,
    /// The own server does not run.
    pub(crate) no_server: &'static str,
    /// A token needs a name.
    pub(crate) label_needed: &'static str,
    /// What the first line that publishes says.
    pub(crate) first_words: &'static str,

    /// `(needed, free)`: no room to compact.
    pub(crate) no_room: fn(&str, &str) -> String,
    /// How many notifications were written.
    pub(crate) exported: fn(&str) -> String,
    /// A backup was written.
    pub(crate) backed_up: fn(&str) -> String,
    /// `(notifications)`: a backup was put in place.
    pub(crate) restored: fn(&str) -> String,
    /// A file that is no backup.
    pub(crate) not_backup: fn(&str) -> String,
    /// `(why)`: a backup could not be put in place.
    pub(crate) not_restored: fn(&str) -> String,
    /// `(why)`: a file could not be written.
    pub(crate) not_written: fn(&str) -> String,
    /// Nothing can be kept in this session.
    pub(crate) stand_in: &'static str,
    /// Settings were written.
    pub(crate) settings_written: &'static str,
    /// A file that holds no settings.
    pub(crate) not_settings: fn(&str) -> String,
    /// `(rules, searches, sources)` that were added.
    pub(crate) settings_read: fn(usize, usize, usize) -> String,
    /// A file would let other devices in.
    pub(crate) others_stay_out: &'static str,
    /// Two sentences, of which the first has no full stop.
    pub(crate) and_then: fn(&str, &str) -> String,

    /// Titles of the desktop's dialogs.
    pub(crate) title_export: &'static str,
    /// See above.
    pub(crate) title_backup: &'static str,
    /// See above.
    pub(crate) title_restore: &'static str,
    /// See above.
    pub(crate) title_settings_out: &'static str,
    /// See above.
    pub(crate) title_settings_in: &'static str,
    /// See above.
    pub(crate) title_save: &'static str,

    /// A file is not there any more.
    pub(crate) file_gone: fn(&str) -> String,
    /// `(limit)`: a file is too large.
    pub(crate) file_large: fn(&str) -> String,
    /// A file was sent on to where nobody follows.
    pub(crate) file_elsewhere: &'static str,
    /// `(why)`: a file could not be kept.
    pub(crate) file_disk: fn(&str) -> String,
    /// A file was kept where its reader wanted it.
    pub(crate) file_saved: &'static str,
    /// A file has to be fetched first.
    pub(crate) file_first: &'static str,

    /// A link names an item that is not here.
    pub(crate) link_unknown: &'static str,
    /// A link that says nothing.
    pub(crate) link_bad: &'static str,
}

/// The table of a language.
pub(crate) const fn admin_strings(lang: Lang) -> &'static AdminStrings {
    match lang {
        Lang::En => &en::STRINGS,
        Lang::ZhCn => &zh_cn::STRINGS,
    }
}

/// A size as a person reads it: `1.2 GB`.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let (mut whole, mut tenths, mut unit) = (n, 0, 0);
    while whole >= 1_000 && unit + 1 < UNITS.len() {
        tenths = whole % 1_000 / 100;
        whole /= 1_000;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if unit == 0 || whole >= 100 || tenths == 0 {
        format!("{whole} {name}")
    } else {
        format!("{whole}.{tenths} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_at_a_glance() {
        for (n, text) in
            [(0, "0 B"), (999, "999 B"), (1_000, "1 KB"), (1_234_567, "1.2 MB"), (123_456_789_000, "123 GB")]
        {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn no_sentence_about_the_house_shouts_or_begs() {
        for lang in [Lang::En, Lang::ZhCn] {
            let table = admin_strings(lang);
            let spoken = [
                (table.wrong_token)("a"),
                (table.port_taken)(1, None),
                (table.restored)("1"),
                (table.settings_read)(1, 2, 3),
                (table.file_large)("1 MB"),
            ];
            let text = format!("{table:?}{}", spoken.concat());
            for word in ["!", "！", "lease", "ops", "您", "请"] {
                assert!(!text.contains(word), "{lang:?}: {word}");
            }
        }
    }
}
