//! `tidings:` links: parses one, and shows the thread or item that it names in the window. Any web page may contain
//! such a link, so following one never changes anything.

use percent_encoding::percent_decode_str;
use tidings_model::MsgId;

use crate::app::App;
use crate::error::{Error, Result};
use crate::ipc::ThreadId;
use crate::ipc::events::OpenTarget;

/// The longest msgid that a link may name, in bytes.
const MAX_MSGID_BYTES: usize = 512;

/// The target of a `tidings:` link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Link {
    /// `tidings://open/<msgid>`
    Item(MsgId),
    /// `tidings://thread/<id>`
    Thread(ThreadId),
}

impl Link {
    /// Parses a link; one slash or none after the colon is accepted too. `None` for anything that is not such a link.
    pub(crate) fn parse(link: &str) -> Option<Self> {
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

impl App {
    /// Shows the target of a link in the window.
    ///
    /// # Errors
    /// The link cannot be parsed, or its target is not in the inbox. The page announces the error as well.
    pub(crate) async fn follow_link(&self, link: &str) -> Result<()> {
        let found = match Link::parse(link) {
            Some(link) => self.resolve_link(link).await,
            None => Err(Error::invalid(self.admin_strings().link_bad)),
        };
        self.inner.events.update(|dirty| match &found {
            Ok(target) => dirty.open = Some(target.clone()),
            Err(error) => dirty.announcement = Some(error.to_ipc(self.lang()).text),
        });
        self.inner.ports.window.show(None);
        found.map(drop)
    }

    async fn resolve_link(&self, link: Link) -> Result<OpenTarget> {
        let target = self
            .disk(move |r| {
                Ok(match link {
                    Link::Thread(id) => r.threads_by_id(&[id])?.first().map(|thread| OpenTarget {
                        thread: thread.id,
                        item: None,
                        action: None,
                    }),
                    Link::Item(name) => r
                        .items_by_msgid(None, std::slice::from_ref(&name))?
                        .pop()
                        .map(|item| OpenTarget { thread: item.thread, item: Some(name), action: None }),
                })
            })
            .await?;
        target.ok_or_else(|| Error::invalid(self.admin_strings().link_unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_an_item_or_a_thread_or_nothing() {
        let item = |name: &str| Some(Link::Item(MsgId(name.into())));
        assert_eq!(Link::parse("tidings:thread/7"), Some(Link::Thread(7)));
        assert_eq!(Link::parse("tidings://thread/7/"), Some(Link::Thread(7)));
        assert_eq!(Link::parse("tidings://open/0a1b"), item("0a1b"));
        assert_eq!(Link::parse("TIDINGS://open/a%2Fb%20c?x"), item("a/b c"));
        for other in [
            "tidings:thread/x",
            "https://thread/7",
            "tidings:",
            "thread/7",
            "tidings://open/",
            "tidings://run/a",
            "é",
        ] {
            assert_eq!(Link::parse(other), None, "{other}");
        }
    }
}
