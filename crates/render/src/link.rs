//! Addresses in content: those that may be opened or called, in a safe form.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tidings_model::text;
use url::{Position, Url};

use crate::host_name;
use crate::tidings_link::TidingsLink;

/// An http(s) address, and its host as it is written for people; `None` for anything else.
pub fn web_url(address: &str) -> Option<(Url, String)> {
    let url = Url::parse(address.trim()).ok()?;
    let host = host(&url)?;
    matches!(url.scheme(), "http" | "https").then_some((url, host))
}

/// The host of an address as it is shown to people, with its port unless that is the scheme's default.
pub fn host(url: &Url) -> Option<String> {
    let host = host_name::shown(url.host_str()?);
    Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
}

/// An address as it is shown to people before they follow it.
pub struct ShownAddress {
    /// The whole address.
    pub address: String,
    /// Its host with the port, or the recipients of a mail.
    pub host: String,
}

/// The form of an address that is shown to people.
pub fn shown(url: &Url) -> ShownAddress {
    if url.scheme() == "mailto" {
        let to: Vec<String> = url.path().split(',').map(recipient).collect();
        let to = to.join(",");
        return ShownAddress { address: format!("mailto:{to}{}", &url[Position::AfterPath..]), host: to };
    }
    let name = url.host_str().map(host_name::shown).unwrap_or_default();
    ShownAddress {
        address: format!("{}{name}{}", &url[..Position::BeforeHost], &url[Position::AfterHost..]),
        host: host(url).unwrap_or_default(),
    }
}

/// A recipient of a mail, its host in the form that is shown to people.
fn recipient(encoded: &str) -> String {
    let decoded = percent_decode_str(encoded).decode_utf8_lossy();
    let Some((name, domain)) = decoded.rsplit_once('@') else { return text::line(&decoded).into_owned() };
    let domain =
        idna::domain_to_ascii(domain).map_or_else(|_| encoded.to_owned(), |ascii| host_name::shown(&ascii));
    text::line(&format!("{name}@{domain}")).into_owned()
}

/// A web or mail address that may be opened in another program; `None` for anything else.
///
/// ```
/// use tidings_render::link::external_url;
///
/// assert!(external_url("https://example.org/a").is_some());
/// assert!(external_url("javascript:alert(1)").is_none());
/// ```
pub fn external_url(address: &str) -> Option<Url> {
    let url = Url::parse(address.trim()).ok()?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Some(url),
        "mailto" => mail_url(&url),
        _ => None,
    }
}

/// Like [`external_url`], or a `tidings:` link.
pub fn openable_url(address: &str) -> Option<Url> {
    external_url(address).or_else(|| {
        let url = Url::parse(address.trim()).ok()?;
        TidingsLink::parse(url.as_str()).map(|_| url)
    })
}

/// The characters that are percent-encoded in a part of a mail address.
const MAIL_ENCODE_SET: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'@').remove(b'.').remove(b'-').remove(b'_').remove(b',').remove(b'~');
/// The longest mail address that is passed to another program, in bytes.
const MAX_MAIL_URL_BYTES: usize = 16 << 10;

/// A mail address reduced to recipients, subject and body. Mail programs also know `attach`, `bcc` and header lines, by
/// which a mail could go to people, or with files, that the reader never saw.
fn mail_url(url: &Url) -> Option<Url> {
    let part = |encoded: &str, several_lines: bool| {
        let decoded = percent_decode_str(encoded).decode_utf8_lossy().into_owned();
        let safe = if several_lines {
            text::block(&decoded).replace('\n', "\r\n")
        } else {
            text::line(&decoded).into_owned()
        };
        utf8_percent_encode(&safe, MAIL_ENCODE_SET).to_string()
    };
    let mut out = format!("mailto:{}", part(url.path(), false));
    let mut separator = '?';
    for (key, value) in url.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('=')) {
        let key = key.to_ascii_lowercase();
        if matches!(key.as_str(), "to" | "cc" | "subject" | "body") {
            out.extend([separator.to_string(), key.clone(), "=".to_owned(), part(value, key == "body")]);
            separator = '&';
        }
    }
    Url::parse(&out).ok().filter(|url| url.as_str().len() <= MAX_MAIL_URL_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_and_mail_are_opened() {
        assert!(external_url("https://example.org/a").is_some());
        assert!(external_url(" mailto:a@example.org").is_some());
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "ssh://host",
            "example.org",
            "https://",
            "vbscript:x",
        ] {
            assert!(external_url(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_mail_address_keeps_recipients_subject_and_body_and_nothing_else() {
        let mail = |address: &str| external_url(address).map(String::from);
        assert_eq!(mail("mailto:a@example.org").unwrap(), "mailto:a@example.org");
        assert_eq!(
            mail("mailto:a@example.org,b@example.org?Subject=Hi%20there&attach=/etc/passwd&bcc=x@y.z&cc=c@d.e&body=1%0A2")
                .unwrap(),
            "mailto:a@example.org,b@example.org?subject=Hi%20there&cc=c@d.e&body=1%0D%0A2"
        );
        assert_eq!(
            mail("mailto:a@example.org%0D%0ABcc:x@y.z?subject=a%0D%0ABcc:%20x&In-Reply-To=1").unwrap(),
            "mailto:a@example.org%20%20Bcc%3Ax@y.z?subject=a%20%20Bcc%3A%20x"
        );
        assert_eq!(mail(&format!("mailto:a@example.org?body={}", "x".repeat(20_000))), None);
    }

    #[test]
    fn an_address_is_shown_with_its_host_as_it_can_be_trusted() {
        let both = |address: &str| {
            let shown = shown(&openable_url(address).unwrap());
            (shown.address, shown.host)
        };
        for (address, shown, host) in [
            ("https://bücher.example:8080/a?b#c", "https://bücher.example:8080/a?b#c", "bücher.example:8080"),
            ("https://u:p@аpple.example/", "https://u:p@xn--pple-43d.example/", "xn--pple-43d.example"),
            ("http://[::1]:80/", "http://[::1]/", "[::1]"),
            (
                "mailto:bob@bücher.example?subject=a%20b",
                "mailto:bob@bücher.example?subject=a%20b",
                "bob@bücher.example",
            ),
            ("mailto:bob@аpple.example", "mailto:bob@xn--pple-43d.example", "bob@xn--pple-43d.example"),
            ("tidings://open/1", "tidings://open/1", "open"),
        ] {
            assert_eq!(both(address), (shown.to_owned(), host.to_owned()));
        }
    }

    #[test]
    fn a_link_of_ours_opens_here_and_no_other_scheme_does() {
        assert!(openable_url("tidings://open/0a1b").is_some());
        for bad in ["tidings://run/rm", "smb://host/share", "file:///etc/passwd", "javascript:1", "x-help:a"]
        {
            assert!(openable_url(bad).is_none(), "{bad}");
        }
    }
}
