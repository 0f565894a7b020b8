//! Previews of downloaded files, and safe names for them. A file's type follows from its first bytes, not from its name
//! or media type.

mod ico;
mod picture;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidings_ipc::Preview;
use tidings_model::text::{block, is_direction};

use crate::turn;

/// The largest picture that is shown, in bytes.
pub const MAX_IMAGE_BYTES: u64 = 8 << 20;
/// The most pixels of a picture that is shown; the window's engine takes four bytes for each while it is on the screen.
const MAX_IMAGE_PIXELS: u64 = 64 << 20;
/// The most bytes of a text that are shown.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// The most characters of a file's name.
const MAX_NAME_CHARS: usize = 120;

/// The preview of a file: a picture or the beginning of a text, within their bounds.
///
/// # Errors
/// The file can't be read.
pub fn preview(path: &Path) -> io::Result<Preview> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    (&mut file).take(MAX_TEXT_BYTES as u64 + 4).read_to_end(&mut bytes)?;
    let Some(media) = picture::media_type(&bytes) else { return Ok(text(&bytes, size)) };
    if size > MAX_IMAGE_BYTES {
        return Ok(Preview::None);
    }
    file.take(MAX_IMAGE_BYTES).read_to_end(&mut bytes)?;
    let _turn = turn::take();
    let pixels = picture::size(&bytes).map(picture::Size::pixels);
    Ok(match pixels.filter(|pixels| *pixels <= MAX_IMAGE_PIXELS) {
        Some(pixels) => image(media, &bytes, pixels),
        None => Preview::None,
    })
}

fn image(media: &str, bytes: &[u8], pixels: u64) -> Preview {
    let mut src = format!("data:{media};base64,");
    STANDARD.encode_string(bytes, &mut src);
    Preview::Image { src, pixels: u32::try_from(pixels).unwrap_or(u32::MAX) }
}

/// The largest side of a publisher's icon, in pixels. Many of them are on the screen at once.
const MAX_ICON_SIDE: u32 = 1_024;

/// A file as a picture of limited size, whose header says how large it is; [`Preview::None`] for anything else.
pub fn icon(path: &Path) -> io::Result<Preview> {
    let file = std::fs::read(path)?;
    let bytes = match ico::picture(&file) {
        Some(ico::Picture::Icon(bytes)) => return Ok(image("image/x-icon", &bytes, ico::MAX_PIXELS)),
        Some(ico::Picture::Png(bytes)) => bytes,
        None => file.as_slice(),
    };
    let size = picture::size(bytes).filter(|size| size.longer_side() <= MAX_ICON_SIDE);
    Ok(match (picture::media_type(bytes), size) {
        (Some(media), Some(size)) => image(media, bytes, size.pixels()),
        _ => Preview::None,
    })
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
pub fn safe_name(name: &str) -> String {
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
    use super::picture::tests::{gif, jpeg, png, webp};
    use super::*;

    fn preview_of(bytes: &[u8]) -> Preview {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        preview(file.path()).unwrap()
    }

    #[test]
    fn a_picture_is_known_by_its_bytes_and_a_vast_one_is_not_drawn() {
        let shown = preview_of(&png(10, 10));
        assert!(
            matches!(&shown, Preview::Image { src, pixels: 100 } if src.starts_with("data:image/png;base64,iVBOR")),
            "{shown:?}"
        );
        let is_drawn = |bytes: &[u8]| matches!(preview_of(bytes), Preview::Image { .. });
        for (drawn, side) in [(true, 9_u16), (true, 8_192), (false, 8_193), (false, 65_535)] {
            let [low, high] = (side - 1).to_le_bytes();
            let pictures = [
                png(side.into(), side.into()),
                jpeg(b"", side, side),
                gif([side, side], b"", [0, 0, 1, 1]),
                gif([1, 1], b"", [0, 0, side, side]),
                webp(b"VP8X", &[0, 0, 0, 0, low, high, 0, low, high, 0]),
            ];
            for (nth, picture) in pictures.iter().enumerate() {
                assert_eq!(is_drawn(picture), drawn, "{nth}, {side} pixels a side");
            }
        }
        assert!(!is_drawn(b"<svg onload=alert(1)>"), "it may hold a program");
    }

    #[test]
    fn a_picture_whose_size_is_hidden_or_unknown_is_not_drawn() {
        for before in [vec![0xff], vec![0xff; 100_000], [&b"\xff\xe0\xff\xff"[..], &vec![0; 0xfffd]].concat()]
        {
            assert_eq!(preview_of(&jpeg(&before, 65_000, 65_000)), Preview::None, "{} bytes", before.len());
            let small = preview_of(&jpeg(&before, 9, 9));
            assert!(matches!(small, Preview::Image { pixels: 81, .. }), "{} bytes", before.len());
        }
        let headless = [b"\xff\xd8\xff\xe0\0\x04ab\xff\xda\0\x02".to_vec(), jpeg(b"", 9, 9)].concat();
        for unknown in [headless, b"\x89PNG\r\n\x1a\n".to_vec(), b"GIF89a".to_vec(), webp(b"NEW ", &[0; 30])]
        {
            assert_eq!(preview_of(&unknown), Preview::None, "{unknown:?}");
        }
        let mut large = jpeg(b"", 9, 9);
        large.resize(usize::try_from(MAX_IMAGE_BYTES).unwrap(), 0);
        assert!(matches!(preview_of(&large), Preview::Image { .. }));
        large.push(0);
        assert_eq!(preview_of(&large), Preview::None, "too many bytes");
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
