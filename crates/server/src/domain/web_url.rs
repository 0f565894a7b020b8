//! Addresses in publications.

use url::Url;

/// The address in a text; `None` for anything but `http` and `https` with a host.
pub fn web_url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// The last segment of an address's path, decoded; `None` where it is empty.
pub fn file_name(url: &Url) -> Option<String> {
    let last = url.path_segments().and_then(|mut segments| segments.next_back()).filter(|s| !s.is_empty())?;
    Some(percent_encoding::percent_decode_str(last).decode_utf8_lossy().into_owned())
}
