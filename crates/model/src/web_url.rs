//! Addresses of the web in texts that somebody wrote.

use percent_encoding::percent_decode_str;
use url::Url;

use crate::text;

/// The longest file name that is taken from an address, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Whether an address is `http` or `https` and has a host.
pub fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// The address in a text; `None` for anything but `http` and `https` with a host.
///
/// ```
/// use tidings_model::web_url::web_url;
///
/// assert!(web_url("https://example.org/a").is_some());
/// assert!(web_url("javascript:alert(1)").is_none());
/// ```
pub fn web_url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(is_web)
}

/// The name of the file at an address: the last segment of its path, decoded, on one line, at most 200 bytes. `None` if
/// the path ends with a slash.
pub fn file_name(url: &Url) -> Option<String> {
    let last = url.path_segments()?.next_back()?;
    let name = percent_decode_str(last).decode_utf8_lossy();
    let name = text::cut(text::line(&name).trim(), MAX_NAME_BYTES).to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_followed_and_they_name_their_file() {
        for odd in [
            "",
            "example.org",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:,x",
            "https://",
            "ftp://e.org/x",
        ] {
            assert!(web_url(odd).is_none(), "{odd}");
        }
        let name = |address: &str| file_name(&web_url(address).unwrap());
        assert_eq!(name("https://e.org/a/b%20c.png?x=1").as_deref(), Some("b c.png"));
        assert_eq!(name("https://e.org/a%0A%E2%80%AEgnp.exe").as_deref(), Some("a gnp.exe"));
        assert_eq!(name("https://e.org/a/"), None);
        assert_eq!(name(&format!("https://e.org/{}", "é".repeat(300))).unwrap().len(), 200);
    }
}
