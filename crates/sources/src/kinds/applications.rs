//! The applications of a desktop, whose notifications a source of the protocol `desktop` keeps. Those that the reader
//! chose are the address of the source, `desktop:Mail,Calendar`; those that were seen are in its cursor.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tidings_model::text;
use tidings_net::{Error, Result};
use tidings_replica as replica;

use crate::cursors;

/// The name of the protocol.
pub(super) const PROTOCOL_NAME: &str = "desktop";
/// The beginning of every address, and the address without a chosen application.
pub(super) const SCHEME: &str = "desktop:";
/// The name by which this program sends its own notifications to the desktop. They are never kept.
pub const OWN_APPLICATION: &str = "Tidings";
/// The id of this program's desktop entry, which also names its icon.
pub const OWN_DESKTOP_ENTRY: &str = "org.tidings.desktop";
/// The most applications that are chosen, and the most that are remembered.
pub const MAX_APPLICATIONS: usize = 100;
/// The most characters of a name; the rest is left out.
const MAX_NAME_CHARS: usize = 64;

/// An application that has sent a notification to the desktop, or was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its name, as its notifications have it.
    pub name: String,
    /// Whether its notifications are kept.
    pub kept: bool,
}

/// The cursor of a source of the desktop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cursor {
    /// The queue that the numbers belong to: each start of the program has another one.
    pub(super) queue: String,
    /// The number of the last notification that was pulled from this queue.
    pub(super) number: u64,
    /// How many notifications of this queue are known to be lost.
    pub(super) lost: u64,
    /// The names of the applications that were seen, those that were seen first at the beginning.
    pub(super) seen: Vec<String>,
}

impl Cursor {
    /// Adds applications that were seen; the oldest ones go if there are too many.
    pub(super) fn see<'n>(&mut self, names: impl IntoIterator<Item = &'n String>) {
        for name in names {
            if !self.seen.contains(name) {
                self.seen.push(name.clone());
            }
        }
        self.seen.drain(..self.seen.len().saturating_sub(MAX_APPLICATIONS));
    }
}

/// The name of an application in one line and of a limited length; `None` without a visible character, and for this
/// program itself.
pub(super) fn valid_name(name: &str) -> Option<String> {
    let line = text::line(name);
    let name: String = line.trim().chars().take(MAX_NAME_CHARS).collect();
    let name = name.trim_end().to_owned();
    (!name.is_empty() && !is_own(&name)).then_some(name)
}

/// Whether a name is this program's.
pub(super) fn is_own(name: &str) -> bool {
    // The id itself ends like the name of an entry's file.
    let plain = |name: &str| name.trim().trim_end_matches(".desktop").to_ascii_lowercase();
    [OWN_APPLICATION, OWN_DESKTOP_ENTRY, "tidings-desktop"].iter().any(|own| plain(own) == plain(name))
}

/// The names in an address.
pub(super) fn chosen(address: &str) -> BTreeSet<String> {
    let names = address.strip_prefix(SCHEME).unwrap_or(address);
    let decode = |name: &str| valid_name(&name.replace("%2C", ",").replace("%25", "%"));
    names.split(',').filter_map(decode).take(MAX_APPLICATIONS).collect()
}

/// The address of these applications, each once and in order.
fn address(names: &BTreeSet<String>) -> String {
    let encoded: Vec<_> = names.iter().map(|name| name.replace('%', "%25").replace(',', "%2C")).collect();
    format!("{SCHEME}{}", encoded.join(","))
}

/// The address that a text means: names with commas between them, with or without `desktop:` before them.
///
/// # Errors
/// [`Error::Address`] if it is the address of something else.
pub(crate) fn typed_address(text: &str) -> Result<String> {
    if text.contains("://") {
        return Err(Error::Address(text.to_owned()));
    }
    let typed = text.trim();
    let is_encoded = typed.starts_with(SCHEME);
    Ok(address(&chosen(&if is_encoded { typed.to_owned() } else { typed.replace('%', "%25") })))
}

/// The applications that a source of the desktop has seen, and those that were chosen, by name; `None` for a source of
/// another protocol.
pub fn applications(row: &replica::Source) -> Option<Vec<Application>> {
    if row.protocol != PROTOCOL_NAME {
        return None;
    }
    let chosen = chosen(&row.url);
    let seen = cursors::read::<Cursor>(row.cursor.as_deref()).seen;
    let unchosen = seen.iter().filter_map(|name| valid_name(name)).filter(|name| !chosen.contains(name));
    let mut all: Vec<_> = unchosen.map(|name| Application { name, kept: false }).collect();
    all.extend(chosen.iter().map(|name| Application { name: name.clone(), kept: true }));
    all.sort_by_cached_key(|one| (one.name.to_lowercase(), one.name.clone()));
    Some(all)
}

/// The address of a source of the desktop after an application was chosen, or is not chosen any more.
///
/// # Errors
/// [`Error::Address`] if the name is none, is this program's, or there are too many.
pub fn with_application(url: &str, name: &str, kept: bool) -> Result<String> {
    let name = valid_name(name).ok_or_else(|| Error::Address(name.to_owned()))?;
    let mut names = chosen(url);
    if !kept {
        names.remove(&name);
    } else if names.len() < MAX_APPLICATIONS || names.contains(&name) {
        names.insert(name);
    } else {
        return Err(Error::Address(name));
    }
    Ok(address(&names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_the_chosen_applications_in_every_script() {
        assert_eq!(typed_address("").unwrap(), "desktop:");
        assert_eq!(typed_address(" Mail , Calendar,Mail,, ").unwrap(), "desktop:Calendar,Mail");
        assert_eq!(typed_address("desktop:Mail").unwrap(), "desktop:Mail");
        assert_eq!(typed_address("微信, 100% Sure").unwrap(), "desktop:100%25 Sure,微信");
        assert_eq!(typed_address("desktop:a%2Cb").unwrap(), "desktop:a%2Cb");
        assert_eq!(chosen("desktop:a%2Cb,50%25"), ["50%", "a,b"].map(str::to_owned).into());
        assert!(matches!(typed_address("https://mail.example"), Err(Error::Address(_))));
        assert_eq!(typed_address("tidings").unwrap(), "desktop:", "this program is none of them");
    }

    #[test]
    fn an_application_is_chosen_and_left_and_those_seen_are_listed_with_it() {
        let url = with_application("desktop:Mail", "a,b", true).unwrap();
        assert_eq!(url, "desktop:Mail,a%2Cb");
        assert_eq!(with_application(&url, "Mail", false).unwrap(), "desktop:a%2Cb");
        assert!(
            with_application(&url, "Tidings", true).is_err() && with_application(&url, " ", true).is_err()
        );
        let many: Vec<_> = (0..MAX_APPLICATIONS).map(|n| format!("app {n}")).collect();
        let full = typed_address(&many.join(",")).unwrap();
        assert!(with_application(&full, "one more", true).is_err());
        assert_eq!(with_application(&full, "app 7", true).unwrap(), full);

        let mut cursor = Cursor::default();
        cursor.see(&["mail".to_owned(), "Chat".to_owned(), "a,b".to_owned()]);
        let row = replica::Source {
            protocol: PROTOCOL_NAME.to_owned(),
            url,
            cursor: cursors::write(&cursor).ok(),
            ..replica::Source::default()
        };
        let listed: Vec<_> =
            applications(&row).unwrap().into_iter().map(|one| (one.name, one.kept)).collect();
        let expected = [("a,b", true), ("Chat", false), ("Mail", true), ("mail", false)];
        assert_eq!(listed, expected.map(|(name, kept)| (name.to_owned(), kept)));
        assert_eq!(applications(&replica::Source::default()), None);
    }

    #[test]
    fn no_more_applications_are_remembered_than_can_be_listed() {
        let mut cursor = Cursor::default();
        cursor.see(&(0..300).map(|n| format!("app {n}")).collect::<Vec<_>>());
        assert_eq!(cursor.seen.len(), MAX_APPLICATIONS);
        assert_eq!(cursor.seen.last().map(String::as_str), Some("app 299"));
        assert_eq!(cursors::read::<Cursor>(cursors::write(&cursor).ok().as_deref()), cursor);
        assert_eq!(cursors::read::<Cursor>(Some("nonsense")), Cursor::default());
    }

    #[test]
    fn a_name_is_one_safe_line_and_never_this_programs_own() {
        assert_eq!(valid_name(" Ma\u{202e}il\n").as_deref(), Some("Mail"));
        assert_eq!(valid_name(&"x".repeat(1_000)).map(|name| name.len()), Some(MAX_NAME_CHARS));
        for none in [
            "",
            " \t",
            "\u{202e}",
            "Tidings",
            "tidings",
            "tidings-desktop",
            "Tidings.desktop",
            "org.tidings.desktop",
        ] {
            assert_eq!(valid_name(none), None, "{none:?}");
        }
    }
}
