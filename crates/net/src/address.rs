//! The address of a server as people type it. Without a scheme it means https, and http only if what is sent stays on
//! this computer or in its network.

use std::time::Duration;

use tidings_model::web_url::web_url;
use url::{Host, Url};

use super::hosts::{is_loopback, is_public};
use crate::{Error, Result};

/// What the address of a source names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// A server, or a path below one, such as topics. A query in it has no meaning and is not kept.
    Server,
    /// One document, whose address is kept with its query.
    Document,
    /// Applications of this desktop, by their names. There is one such source.
    Applications,
}

/// The ends of names that only a local network knows.
const LOCAL_SUFFIXES: [&str; 5] = [".local", ".lan", ".home", ".internal", ".home.arpa"];
/// The longest wait for https if http is tried after it: a server without TLS may wait for the rest of a request.
const HTTPS_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a text names a scheme.
pub fn has_scheme(text: &str) -> bool {
    text.contains("://")
}

/// The addresses that a text may mean, in the order in which they are tried. That is the text itself if it names a
/// scheme. Else it is the text with https, and with http if the host is this computer, a private address or a name of a
/// local network.
///
/// ```
/// use tidings_net::address::candidates;
///
/// assert_eq!(candidates("nas.local:7878").unwrap(), ["https://nas.local:7878", "http://nas.local:7878"]);
/// assert_eq!(candidates("tidings.example.org").unwrap(), ["https://tidings.example.org"]);
/// ```
///
/// # Errors
/// [`Error::Address`] if it is no http or https address.
pub fn candidates(text: &str) -> Result<Vec<String>> {
    let text = text.trim();
    if has_scheme(text) {
        parse(text, text)?;
        return Ok(vec![text.to_owned()]);
    }
    let secure = format!("https://{text}");
    let is_near = is_near(&parse(&secure, text)?);
    Ok([secure].into_iter().chain(is_near.then(|| format!("http://{text}"))).collect())
}

/// An address as it is stored: without user and password and without fragment. That of a server is also without its
/// query, slashes at its end and the path of API v1.
pub fn normalized(mut url: Url, kind: AddressKind) -> String {
    // They fail only for addresses without a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    if kind == AddressKind::Document {
        return url.into();
    }
    url.set_query(None);
    let path = url.path().trim_end_matches('/').trim_end_matches("/api/v1").trim_end_matches('/').to_owned();
    url.set_path(&path);
    url.as_str().trim_end_matches('/').to_owned()
}

fn parse(address: &str, text: &str) -> Result<Url> {
    web_url(address).ok_or_else(|| Error::Address(text.to_owned()))
}

/// Whether an address is this computer's, a private one, or a name that only a local network knows.
fn is_near(url: &Url) -> bool {
    let is_local_name = |name: &str| {
        let name = name.trim_end_matches('.');
        !name.contains('.') || LOCAL_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
    };
    is_loopback(url)
        || match url.host() {
            Some(Host::Domain(name)) => is_local_name(name),
            Some(Host::Ipv4(ip)) => !is_public(ip.into()),
            Some(Host::Ipv6(ip)) => !is_public(ip.into()),
            None => false,
        }
}

/// Asks the first address, and the next one only if nothing at the one before speaks TLS. It returns the address with
/// its answer. A certificate that is not trusted ends it, since somebody may stand in between.
///
/// # Errors
/// The error of the last address that was asked.
pub async fn first_answering<T, F: Future<Output = Result<T>>>(
    addresses: &[String],
    ask: impl Fn(String) -> F,
) -> Result<(String, T)> {
    let mut failed = Error::Address(String::new());
    for (nth, address) in addresses.iter().enumerate() {
        let is_last = nth + 1 == addresses.len();
        let asking = ask(address.clone());
        let answer = if is_last {
            asking.await
        } else {
            tokio::time::timeout(HTTPS_TIMEOUT, asking).await.unwrap_or(Err(Error::Slow))
        };
        match answer {
            Ok(answer) => return Ok((address.clone(), answer)),
            Err(error @ (Error::Unreachable | Error::Slow)) => failed = error,
            Err(error) => return Err(error),
        }
    }
    Err(failed)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::CertificateFault;

    #[test]
    fn http_is_tried_only_on_this_computer_and_in_its_network() {
        for near in [
            "127.0.0.1:21300",
            "localhost",
            "a.localhost:1",
            "[::1]:7878",
            "192.168.1.2",
            "10.0.0.1:80/x",
            "[fd12:3456::1]",
            "nas",
            "nas.local.",
            "tidings.home.arpa",
        ] {
            assert_eq!(candidates(near).unwrap(), [format!("https://{near}"), format!("http://{near}")]);
        }
        for far in
            ["tidings.example.org", "1.1.1.1", "[2606:4700::1111]", "local.example.org", "127.0.0.1.nip.io"]
        {
            assert_eq!(candidates(far).unwrap(), [format!("https://{far}")]);
        }
        assert_eq!(candidates(" http://1.1.1.1 ").unwrap(), ["http://1.1.1.1"], "who writes it means it");
        for wrong in ["", "a b", "ftp://nas", "http://"] {
            assert!(matches!(candidates(wrong), Err(Error::Address(_))), "{wrong}");
        }
    }

    #[test]
    fn an_address_is_stored_without_secrets_and_a_document_s_as_it_is_otherwise() {
        let stored = |text: &str, kind| normalized(text.parse().unwrap(), kind);
        for (text, server, document) in [
            ("https://a.example/api/v1/", "https://a.example", "https://a.example/api/v1/"),
            ("https://a.example/api/v3", "https://a.example/api/v3", "https://a.example/api/v3"),
            ("https://me:pw@a.example/x/?q=1#f", "https://a.example/x", "https://a.example/x/?q=1"),
            ("https://a.example", "https://a.example", "https://a.example/"),
        ] {
            assert_eq!(stored(text, AddressKind::Server), server);
            assert_eq!(stored(text, AddressKind::Document), document);
        }
    }

    #[tokio::test]
    async fn the_next_address_is_asked_only_where_nothing_speaks_tls() {
        let both = candidates("nas").unwrap();
        for (error, reached) in [
            (Error::Unreachable, true),
            (Error::Slow, true),
            (Error::Certificate(CertificateFault::UnknownAuthority), false),
            (Error::SignIn, false),
        ] {
            let (said, error) = (format!("{error:?}"), Mutex::new(Some(error)));
            let ask = |at: String| {
                let failed = error.lock().unwrap().take();
                async move { failed.map_or(Ok(at), Err) }
            };
            let answer = first_answering(&both, ask).await.ok();
            assert_eq!(answer.is_some_and(|(at, _)| at == "http://nas"), reached, "{said}");
        }
    }
}
