//! The media type of a file, by its first bytes, and which types a browser may show.

/// The type of files that are nothing known.
const UNKNOWN: Media = Media { media_type: "application/octet-stream", extension: "bin" };
/// The type of text.
const TEXT: Media = Media { media_type: "text/plain; charset=utf-8", extension: "txt" };
const SVG: Media = Media { media_type: "image/svg+xml", extension: "svg" };
const APK: Media = Media { media_type: "application/vnd.android.package-archive", extension: "apk" };

/// Types that a browser shows and that can't run scripts, besides audio and video.
const INLINE: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp", TEXT.media_type];

/// A media type, with the extension of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Media {
    pub(crate) media_type: &'static str,
    pub(crate) extension: &'static str,
}

impl Media {
    /// The type of a file that begins with these bytes. As with ntfy, the name counts only for Android's packages, which
    /// are archives.
    pub(crate) fn of(start: &[u8], file_name: &str) -> Self {
        if file_name.to_ascii_lowercase().ends_with(".apk") {
            return APK;
        }
        if is_svg(start) {
            return SVG;
        }
        let is_text = is_text(start);
        match infer::get(start) {
            // Two letters are enough for some formats; a text may begin with them.
            Some(found) if is_text && is_binary(found.mime_type()) => TEXT,
            Some(found) => Self { media_type: found.mime_type(), extension: extension(found.extension()) },
            None if is_text => TEXT,
            None => UNKNOWN,
        }
    }
}

/// The extension, if a public name may end with it.
fn extension(extension: &'static str) -> &'static str {
    if super::is_extension(extension) { extension } else { UNKNOWN.extension }
}

/// Whether files of a type are never text.
fn is_binary(media_type: &str) -> bool {
    ["image/", "audio/", "video/", "font/"].iter().any(|prefix| media_type.starts_with(prefix))
}

/// Whether bytes are the beginning of a text in UTF-8; a character may be cut off at the end.
fn is_text(start: &[u8]) -> bool {
    let valid = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none(),
    };
    valid && !start.contains(&0)
}

/// Whether bytes are the beginning of a document with the element `svg`.
fn is_svg(start: &[u8]) -> bool {
    let is_markup = start.trim_ascii_start().starts_with(b"<");
    is_markup && start.windows(4).any(|bytes| bytes.eq_ignore_ascii_case(b"<svg"))
}

/// Whether a browser may show a file of this type instead of saving it.
pub fn is_inline(media_type: &str) -> bool {
    INLINE.contains(&media_type) || media_type.starts_with("audio/") || media_type.starts_with("video/")
}

/// Whether a browser might run something in a file of this type, so that the browser never gets the type.
pub fn is_scriptable(media_type: &str) -> bool {
    let is_text = media_type.starts_with("text/") && media_type != TEXT.media_type;
    is_text || ["xml", "html", "pdf", "javascript"].iter().any(|part| media_type.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_found_by_the_first_bytes() {
        let media_type = |start: &[u8]| Media::of(start, "x.png").media_type;
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "image/png");
        assert_eq!(media_type(b"\xff\xd8\xff\xe0"), "image/jpeg");
        assert_eq!(media_type(b"%PDF-1.7"), "application/pdf");
        assert_eq!(media_type(b"PK\x03\x04"), "application/zip");
        assert_eq!(media_type("gr\u{fc}\u{df}e".as_bytes()), "text/plain; charset=utf-8");
        assert_eq!(media_type(b"cut \xe2\x82"), "text/plain; charset=utf-8");
        assert_eq!(media_type(b""), "text/plain; charset=utf-8");
        assert_eq!(media_type(b"BMW, and other makes"), "text/plain; charset=utf-8");
        assert_eq!(media_type(b"\xff\x00\xfe"), "application/octet-stream");
        assert_eq!(media_type(b"\0\0\0\0"), "application/octet-stream");
        assert_eq!(Media::of(b"PK\x03\x04", "App.APK").extension, "apk");
    }

    #[test]
    fn nothing_that_can_script_is_shown() {
        for start in [
            &b"<!DOCTYPE html><script>"[..],
            b"<html >",
            b"  <SVG onload='x'>",
            b"<?xml version='1.0'?>",
            b"<?xml version='1.0'?><!-- --><svg>",
            b"%PDF-1.7",
        ] {
            let Media { media_type, .. } = Media::of(start, "picture.png");
            assert!(!is_inline(media_type) && is_scriptable(media_type), "{media_type}");
        }
        assert!(is_inline("video/mp4") && is_inline("image/webp") && is_inline(TEXT.media_type));
        assert!(!is_inline(UNKNOWN.media_type) && !is_scriptable(UNKNOWN.media_type));
    }
}
