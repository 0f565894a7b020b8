//! `tidings:` links. Any web page may contain one, so following it never changes anything.

use std::fmt;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tidings_model::MsgId;
use tidings_replica::ThreadId;

/// The longest msgid that a link may name, in bytes.
const MAX_MSGID_BYTES: usize = 512;

/// The target of a `tidings:` link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TidingsLink {
    /// `tidings://open/<msgid>`
    Item(MsgId),
    /// `tidings://thread/<id>`
    Thread(ThreadId),
}

impl TidingsLink {
    /// Parses a link; one slash or none after the colon is accepted too. `None` for anything that is not such a link.
    pub fn parse(link: &str) -> Option<Self> {
        let scheme = link.get(.."tidings:".len())?;
        let path = link.get("tidings:".len()..)?.trim_start_matches('/');
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let (kind, name) = path.split_once('/')?;
        if !scheme.eq_ignore_ascii_case("tidings:") {
            return None;
        }
        match kind.to_ascii_lowercase().as_str() {
            "thread" => name.parse().ok().map(Self::Thread),
            "open" => {
                let name = percent_decode_str(name).decode_utf8().ok()?;
                let fits =
                    !name.is_empty() && name.len() <= MAX_MSGID_BYTES && !name.chars().any(char::is_control);
                fits.then(|| Self::Item(MsgId(name.into_owned())))
            }
            _ => None,
        }
    }
}

impl fmt::Display for TidingsLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item(MsgId(name)) => {
                write!(f, "tidings://open/{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
            }
            Self::Thread(id) => write!(f, "tidings://thread/{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_an_item_or_a_thread_or_nothing() {
        let item = |name: &str| Some(TidingsLink::Item(MsgId(name.into())));
        assert_eq!(TidingsLink::parse("tidings:thread/7"), Some(TidingsLink::Thread(7)));
        assert_eq!(TidingsLink::parse("tidings://thread/7/"), Some(TidingsLink::Thread(7)));
        assert_eq!(TidingsLink::parse("tidings://open/0a1b"), item("0a1b"));
        assert_eq!(TidingsLink::parse("TIDINGS://open/a%2Fb%20c?x"), item("a/b c"));
        for other in [
            "tidings:thread/x",
            "https://thread/7",
            "tidings:",
            "thread/7",
            "tidings://open/",
            "tidings://run/a",
            "é",
        ] {
            assert_eq!(TidingsLink::parse(other), None, "{other}");
        }
    }

    #[test]
    fn whatever_a_page_links_to_names_the_same_when_it_is_written_again() {
        use crate::link::{external_url, openable_url};

        tidings_testkit::fuzz::run("link", 4_000, |input| {
            let text = String::from_utf8_lossy(input);
            let link = TidingsLink::parse(&text);
            if let Some(TidingsLink::Item(MsgId(name))) = &link {
                assert!((1..=MAX_MSGID_BYTES).contains(&name.len()) && !name.contains(char::is_control));
            }
            let written = link.as_ref().map(ToString::to_string);
            assert_eq!(written.and_then(|written| TidingsLink::parse(&written)), link);
            if let Some(url) = external_url(&text) {
                assert!(matches!(url.scheme(), "http" | "https" | "mailto"), "{url}");
                assert_eq!(external_url(url.as_str()), Some(url));
            } else if let Some(url) = openable_url(&text) {
                assert_eq!(url.scheme(), "tidings");
            }
        });
    }
}
