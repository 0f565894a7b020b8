//! The header in which a reverse proxy names the client of a request.

use std::str::FromStr;

use axum::http::{HeaderName, header};

/// The one header of a trusted proxy that is read for the address of its client, such as `X-Forwarded-For`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyHeader(HeaderName);

/// The error for a text that is not the name of such a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the name of a header in which a proxy writes its client's address, such as X-Forwarded-For or X-Real-IP"
)]
pub struct InvalidProxyHeader;

impl ProxyHeader {
    /// Its name, in lower case.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Those that proxies usually write.
    pub(crate) fn usual() -> [Self; 3] {
        [Self::default(), Self(header::FORWARDED), Self(HeaderName::from_static("x-real-ip"))]
    }

    /// Whether it has the form of RFC 7239: elements with parameters, of which `for` is the address.
    pub(crate) fn is_forwarded(&self) -> bool {
        self.0 == header::FORWARDED
    }
}

impl Default for ProxyHeader {
    /// `X-Forwarded-For`.
    fn default() -> Self {
        Self(HeaderName::from_static("x-forwarded-for"))
    }
}

impl FromStr for ProxyHeader {
    type Err = InvalidProxyHeader;

    /// # Errors
    /// [`InvalidProxyHeader`] if the text is no name of a header, or of one that every client sends for something else.
    fn from_str(text: &str) -> Result<Self, InvalidProxyHeader> {
        let name: HeaderName = text.parse().map_err(|_| InvalidProxyHeader)?;
        let is_of_clients =
            [header::HOST, header::AUTHORIZATION, header::COOKIE, header::ORIGIN].contains(&name);
        if is_of_clients { Err(InvalidProxyHeader) } else { Ok(Self(name)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_known_by_its_name_in_any_letters_and_nothing_else_is_one() {
        let name = |text: &str| text.parse::<ProxyHeader>().map(|header| header.as_str().to_owned());
        assert_eq!(name("X-Real-IP").unwrap(), "x-real-ip");
        assert!("FORWARDED".parse::<ProxyHeader>().unwrap().is_forwarded());
        assert!(!ProxyHeader::default().is_forwarded());
        for bad in ["", "X Real IP", "x-real-ip:", "Authorization", "host"] {
            assert_eq!(name(bad), Err(InvalidProxyHeader), "{bad}");
        }
    }
}
