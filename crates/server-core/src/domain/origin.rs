//! Origins of web pages, as browsers name them.

use std::str::FromStr;

use url::{Host, Url};

/// The origin of web pages: scheme, host and port, such as `https://ntfy.example`, written as browsers send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// The error for a text that is not the origin of web pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an origin is a scheme, a host and a port where it is not the usual one, such as https://ntfy.example"
)]
pub struct InvalidOrigin;

impl Origin {
    /// The origin as browsers send it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Origin {
    type Err = InvalidOrigin;

    /// # Errors
    /// [`InvalidOrigin`] if the text has more than an origin, or is a pattern.
    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        let url = Url::parse(text).map_err(|_| InvalidOrigin)?;
        let is_page = matches!(url.scheme(), "http" | "https");
        let has_more = url.path() != "/"
            || url.query().is_some()
            || url.fragment().is_some()
            || !url.username().is_empty()
            || url.password().is_some();
        let is_pattern = matches!(url.host(), Some(Host::Domain(name)) if name.contains('*'));
        if !is_page || has_more || is_pattern {
            return Err(InvalidOrigin);
        }
        Ok(Self(url.origin().ascii_serialization()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        let sent = |text: &str| text.parse::<Origin>().map(|origin| origin.0).ok();
        for (text, origin) in [
            ("https://Ntfy.Example/", "https://ntfy.example"),
            ("https://ntfy.example:443", "https://ntfy.example"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
            ("http://[::1]:3000", "http://[::1]:3000"),
        ] {
            assert_eq!(sent(text).as_deref(), Some(origin));
        }
    }

    #[test]
    fn what_is_more_or_less_than_an_origin_is_refused() {
        for text in [
            "*",
            "https://*.example",
            "ntfy.example",
            "file:///",
            "null",
            "https://a/b",
            "https://me@a",
            "https://a?b",
        ] {
            assert_eq!(text.parse::<Origin>(), Err(InvalidOrigin), "{text}");
        }
    }
}
