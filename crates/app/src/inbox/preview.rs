//! Previews of downloaded files, and safe names for them. A file's type follows from its first bytes, not from its name
//! or media type.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidings_model::text::{block, is_direction};

use super::ico;
use crate::ipc::Preview;

/// The largest picture that is shown, in bytes.
pub(crate) const MAX_IMAGE_BYTES: u64 = 8 << 20;
/// The most pixels of a picture that is shown; decoding more would take too much memory.
const MAX_IMAGE_PIXELS: u64 = 64 << 20;
/// The most bytes of a text that are shown.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// The most characters of a file's name.
const MAX_NAME_CHARS: usize = 120;

/// The preview of a file.
pub(crate) fn preview(path: &Path) -> io::Result<Preview> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(MAX_TEXT_BYTES as u64 + 4).read_to_end(&mut head)?;
    if let Some(media) = image_media_type(&head) {
        let shown = size <= MAX_IMAGE_BYTES
            && pixel_count(&head).is_none_or(|pixel_count| pixel_count <= MAX_IMAGE_PIXELS);
        if !shown {
            return Ok(Preview::None);
        }
        file.take(MAX_IMAGE_BYTES).read_to_end(&mut head)?;
        return Ok(image(media, &head));
    }
    Ok(text(&head, size))
}

fn image(media: &str, bytes: &[u8]) -> Preview {
    Preview::Image { src: format!("data:{media};base64,{}", STANDARD.encode(bytes)) }
}

/// The largest side of a publisher's icon, in pixels.
const MAX_ICON_SIDE: u64 = 2_048;

/// A file as a picture of limited size, whose header says how large it is; [`Preview::None`] for anything else.
pub(crate) fn icon(path: &Path) -> io::Result<Preview> {
    let file = std::fs::read(path)?;
    let bytes = match ico::picture(&file) {
        Some(ico::Picture::Icon(bytes)) => return Ok(image("image/x-icon", &bytes)),
        Some(ico::Picture::Png(bytes)) => bytes,
        None => file.as_slice(),
    };
    let is_small = size(bytes).is_some_and(|(width, height)| width.max(height) <= MAX_ICON_SIDE);
    Ok(match image_media_type(bytes).filter(|_| is_small) {
        Some(media) => image(media, bytes),
        None => Preview::None,
    })
}

/// The media type of a picture that the page can draw, by its first bytes. None of these formats can hold a script.
fn image_media_type(head: &[u8]) -> Option<&'static str> {
    let at = |from: usize, magic: &[u8]| head.get(from..from + magic.len()) == Some(magic);
    if at(0, b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if at(0, b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if at(0, b"GIF87a") || at(0, b"GIF89a") {
        Some("image/gif")
    } else if at(0, b"RIFF") && at(8, b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

/// The number of pixels that a picture's header declares; `None` where it is not within the first bytes.
fn pixel_count(head: &[u8]) -> Option<u64> {
    size(head).map(|(width, height)| width.saturating_mul(height))
}

/// Width and height that a picture's header declares, in pixels.
fn size(head: &[u8]) -> Option<(u64, u64)> {
    Some(match image_media_type(head)? {
        "image/png" => (integer(head.get(16..20)?, true), integer(head.get(20..24)?, true)),
        "image/gif" => (integer(head.get(6..8)?, false), integer(head.get(8..10)?, false)),
        "image/webp" if head.get(12..16) == Some(b"VP8X") => {
            (integer(head.get(24..27)?, false) + 1, integer(head.get(27..30)?, false) + 1)
        }
        "image/webp" if head.get(12..16) == Some(b"VP8 ") => {
            // The two upper bits of each say how to scale it.
            let side = |at| Some(integer(head.get(at..at + 2)?, false) & 0x3fff);
            (side(26)?, side(28)?)
        }
        "image/webp" if head.get(12..16) == Some(b"VP8L") => {
            let sides = integer(head.get(21..25)?, false);
            ((sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1)
        }
        "image/jpeg" => jpeg_size(head)?,
        _ => return None,
    })
}

/// Width and height of a JPEG, from its first frame segment.
fn jpeg_size(head: &[u8]) -> Option<(u64, u64)> {
    let mut at = 2;
    loop {
        let [0xff, kind] = head.get(at..at + 2)? else { return None };
        let starts = matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc);
        if starts {
            let sides = head.get(at + 5..at + 9)?;
            return Some((integer(sides.get(2..4)?, true), integer(sides.get(..2)?, true)));
        }
        at += 2 + usize::try_from(integer(head.get(at + 2..at + 4)?, true)).ok()?;
    }
}

fn integer(bytes: &[u8], big_endian: bool) -> u64 {
    let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    if big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
}

/// The beginning of a UTF-8 text, without direction controls; [`Preview::None`] for anything else.
fn text(head: &[u8], size: u64) -> Preview {
    let shown = head.get(..MAX_TEXT_BYTES).unwrap_or(head);
    let valid = match std::str::from_utf8(shown) {
        Ok(text) => text,
        // The read ended within a character.
        Err(error) if error.error_len().is_none() && shown.len() == MAX_TEXT_BYTES => {
            let valid = shown.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
        Err(_) => return Preview::None,
    };
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{c}');
    if valid.is_empty() || !valid.chars().all(plain) {
        return Preview::None;
    }
    // All line endings become `\n`; progress bars end their lines with a carriage return alone.
    let lines = valid.replace("\r\n", "\n").replace('\r', "\n");
    Preview::Text { text: block(&lines).into_owned(), cut: size > valid.len() as u64 }
}

/// A safe file name: no folder, not hidden, no characters that are special on some system.
pub(crate) fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last
        .chars()
        .filter(|c| !c.is_control() && !is_direction(*c))
        .map(|c| if "<>:\"|?*".contains(c) { '_' } else { c })
        .collect();
    let clean = clean.trim_matches([' ', '.']);
    let length = clean.chars().count();
    let clean: String = match clean.rsplit_once('.') {
        Some((stem, extension)) if length > MAX_NAME_CHARS && extension.chars().count() < 16 => {
            let room = MAX_NAME_CHARS - extension.chars().count() - 1;
            stem.chars().take(room).chain(['.']).chain(extension.chars()).collect()
        }
        _ => clean.chars().take(MAX_NAME_CHARS).collect(),
    };
    if clean.is_empty() { "file".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview_of(bytes: &[u8]) -> Preview {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        preview(file.path()).unwrap()
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    #[test]
    fn a_picture_is_known_by_its_bytes_and_a_vast_one_is_not_drawn() {
        assert!(
            matches!(preview_of(&png(10, 10)), Preview::Image { src } if src.starts_with("data:image/png;base64,iVBOR"))
        );
        assert_eq!(preview_of(&png(60_000, 60_000)), Preview::None);
        let mut jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\xff\xff\xff\xff".to_vec();
        assert_eq!(preview_of(&jpeg), Preview::None, "65,535 pixels a side");
        jpeg[13..17].copy_from_slice(&[0, 9, 0, 9]);
        assert!(matches!(preview_of(&jpeg), Preview::Image { .. }));
        let webp = |kind: &[u8], header: &[u8]| [b"RIFF....WEBP", kind, b"....", header].concat();
        for (side, drawn) in [(0xff, false), (0, true)] {
            let lossy = webp(b"VP8 ", &[0, 0, 0, 0x9d, 1, 0x2a, side, side, side, side]);
            let lossless = webp(b"VP8L", &[0x2f, side, side, side, side]);
            for bytes in [lossy, lossless] {
                assert_eq!(
                    matches!(preview_of(&bytes), Preview::Image { .. }),
                    drawn,
                    "16,384 pixels a side or 1"
                );
            }
        }
        assert!(
            !matches!(preview_of(b"<svg onload=alert(1)>"), Preview::Image { .. }),
            "it may hold a program"
        );
    }

    #[test]
    fn a_text_is_shown_from_its_beginning() {
        assert_eq!(preview_of("café\n".as_bytes()), Preview::Text { text: "café\n".into(), cut: false });
        let long = "é".repeat(MAX_TEXT_BYTES);
        let Preview::Text { text, cut } = preview_of(format!("x{long}").as_bytes()) else { panic!("a text") };
        assert!(cut && text.len() == MAX_TEXT_BYTES - 1, "{}", text.len());
        assert_eq!(preview_of(b"\x7fELF\x02\x01\x01\0"), Preview::None);
        assert_eq!(preview_of(b""), Preview::None);
    }

    #[test]
    fn a_text_is_shown_in_the_order_of_its_letters() {
        let text = "pay\u{202e}001\u{2066} to\u{200f} al\u{61c}\r\n10 %\r20 %\u{c}\n";
        let shown = "pay001 to al\n10 %\n20 %\n";
        assert_eq!(preview_of(text.as_bytes()), Preview::Text { text: shown.into(), cut: false });
    }

    #[test]
    fn a_name_has_no_path_and_hides_nothing() {
        for (name, safe) in [
            ("report.pdf", "report.pdf"),
            ("../../.bashrc", "bashrc"),
            ("C:\\Windows\\a.exe", "a.exe"),
            ("a\u{202e}fdp.exe", "afdp.exe"),
            ("a\u{61c}\u{206f}fdp\u{fff9}.exe", "afdp.exe"),
            ("..", "file"),
            ("", "file"),
            ("a\nb?.txt", "ab_.txt"),
        ] {
            assert_eq!(safe_name(name), safe, "{name:?}");
        }
        let long = safe_name(&format!("{}.tar", "x".repeat(400)));
        assert!(long.chars().count() <= MAX_NAME_CHARS && long.ends_with("tar"));
    }
}
