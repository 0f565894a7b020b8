//! Asks a source that is about to be added, or gets another token: whether it answers at its address, takes the
//! credential, and whose it is. Stores nothing.

use std::sync::Arc;
use std::time::Duration;

use tidings_model::Clock;
use tidings_net::address::{self, AddressKind};
use tidings_net::{Error, Result};
use tidings_replica::Source as Row;
use url::Url;

use crate::kinds::feed::document_of;
use crate::kinds::{self, applications};
use crate::source::{PreviewPage, Protocol, ServerInfo, Since};

/// The longest wait for all answers of one source.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// What a source that is not stored answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// The address that answered, as it is stored.
    pub url: String,
    /// Whose inbox it is.
    pub info: ServerInfo,
    /// Its unread counts and newest items, if the protocol has such a request.
    pub preview: Option<PreviewPage>,
}

/// The addresses that a text may mean for a protocol, as they are stored, in the order in which they are tried. For an
/// empty text it is the protocol's default one.
///
/// # Errors
/// [`Error::Address`] if the text is no http or https address, or is empty and the protocol has no default.
pub fn addresses(protocol: &Protocol, typed: &str) -> Result<Vec<String>> {
    if protocol.address == AddressKind::Applications {
        return Ok(vec![applications::typed_address(typed)?]);
    }
    let typed = match typed.trim() {
        "" => protocol.default_url.unwrap_or_default(),
        typed => typed,
    };
    let stored = |url: String| match url.parse::<Url>() {
        Ok(url) => Ok(address::normalized(url, protocol.address)),
        Err(_) => Err(Error::Address(typed.to_owned())),
    };
    address::candidates(typed)?.into_iter().map(stored).collect()
}

/// Finds the source at one of the [`addresses`] that a text may mean. An empty `token` stands for none.
///
/// # Errors
/// Like [`ask`], for the last address that was asked.
pub async fn find(
    protocol: &Protocol,
    addresses: &[String],
    token: &str,
    clock: &Arc<dyn Clock>,
) -> Result<Probed> {
    let at = |url: String| {
        let row = Row { protocol: protocol.name.to_owned(), url, ..Row::default() };
        async move { ask(&row, token.to_owned(), clock.clone()).await }
    };
    let (url, (info, preview)) = address::first_answering(addresses, at).await?;
    Ok(Probed { url, info, preview })
}

/// Asks a source for its user and for the beginning of its inbox, which not every token that names a user may read.
///
/// # Errors
/// [`Error::Slow`] if all of it takes longer than 30 s, else the error of the request that failed.
pub async fn ask(
    row: &Row,
    token: String,
    clock: Arc<dyn Clock>,
) -> Result<(ServerInfo, Option<PreviewPage>)> {
    let source = kinds::open(row, token, clock)?;
    let requests = async {
        source.check_access().await?;
        let info = source.server_info().await?;
        let preview = source.preview_page().await?;
        if preview.is_none() {
            source.page(Since::default(), 1).await?;
        }
        Ok((info, preview))
    };
    tokio::time::timeout(ANSWER_TIMEOUT, requests).await.map_err(|_| Error::Slow)?
}

/// The source among `known` that pulls the same inbox: that of the same user, or of an unknown one, at the address.
/// There is one source for all applications of this desktop. A feed is at its own address and at that of a page that names
/// it.
pub fn same_inbox<'a>(known: &'a [Row], protocol: &Protocol, probed: &Probed) -> Option<&'a Row> {
    let trimmed = |url: &str| url.trim_end_matches('/').to_owned();
    let probed_at = [Some(trimmed(&probed.url)), probed.info.document.as_deref().map(trimmed)];
    let is_probed = |url: &str| probed_at.iter().flatten().any(|at| *at == trimmed(url));
    known.iter().find(|row| {
        let is_same_user = match (&row.user, &probed.info.user) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        let is_at = protocol.address == AddressKind::Applications
            || is_probed(&row.url)
            || (row.protocol == "feed" && document_of(row).is_some_and(|at| is_probed(&at)));
        row.protocol == protocol.name && is_at && is_same_user
    })
}

/// A name that no source has: the given one, else with a number.
pub fn unused_name(name: &str, known: &[Row]) -> String {
    (1..=known.len() + 1)
        .map(|n| if n == 1 { name.to_owned() } else { format!("{name} {n}") })
        .find(|name| known.iter().all(|row| row.name != *name))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tidings_replica::NotifyLevel;

    use super::*;
    use crate::source::{Abilities, Credential, SignIn};

    const FEED: Protocol = Protocol {
        name: "feed",
        label: "Feed",
        default_url: None,
        example: "example.org/feed.xml",
        address: AddressKind::Document,
        credential: Credential::None,
        sign_in: SignIn::None,
        abilities: Abilities { history: true, ..Abilities::NONE },
        notify: NotifyLevel::Badge,
        reasons: &[],
        open: |_, _, _, _| Err(Error::Stopped),
    };
    const FORGE: Protocol = Protocol {
        name: "forge",
        default_url: Some("https://api.forge.example"),
        address: AddressKind::Server,
        credential: Credential::Token,
        ..FEED
    };

    fn row(url: &str, user: Option<&str>) -> Row {
        let (url, user) = (url.to_owned(), user.map(str::to_owned));
        Row { protocol: "forge".to_owned(), url, user, ..Row::default() }
    }

    fn probed(url: &str, user: Option<&str>) -> Probed {
        let info = ServerInfo { user: user.map(str::to_owned), ..ServerInfo::default() };
        Probed { url: url.to_owned(), info, preview: None }
    }

    #[test]
    fn an_empty_address_is_the_default_one_where_the_protocol_has_it() {
        assert_eq!(addresses(&FORGE, " ").unwrap(), ["https://api.forge.example"]);
        assert_eq!(
            addresses(&FORGE, "https://git.example/api/v3/?x").unwrap(),
            ["https://git.example/api/v3"]
        );
        assert!(matches!(addresses(&FEED, ""), Err(Error::Address(_))));
        assert_eq!(addresses(&FEED, "a.example/f?n=1").unwrap(), ["https://a.example/f?n=1"]);
    }

    #[test]
    fn several_accounts_at_one_address_are_several_inboxes() {
        let known = [row("https://git.example/", Some("ana")), row("https://old.example", None)];
        let same = |url: &str, user| same_inbox(&known, &FORGE, &probed(url, user)).is_some();
        assert!(same("https://git.example", Some("ana")));
        assert!(!same("https://git.example", Some("bo")));
        assert!(same("https://git.example", None), "it may be the same one");
        assert!(same("https://old.example", Some("bo")));
        assert!(same_inbox(&known, &FEED, &probed("https://git.example", None)).is_none());
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let named = |name: &str| Row { name: name.to_owned(), ..Row::default() };
        let known = [named("ntfy.sh"), named("ntfy.sh 2")];
        assert_eq!(unused_name("ntfy.sh", &known), "ntfy.sh 3");
        assert_eq!(unused_name("other", &known), "other");
    }
}
