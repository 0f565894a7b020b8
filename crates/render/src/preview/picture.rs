//! The format and the size of a picture, read from its header without decoding anything. If the size is not known, or
//! decoders could take another one, there is none, and the picture is not shown.

/// The first bytes of a PNG.
pub(super) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Size {
    /// A size without a side of zero, which formats use for a height that follows later.
    fn new(width: u32, height: u32) -> Option<Self> {
        (width > 0 && height > 0).then_some(Self { width, height })
    }

    pub(super) fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    pub(super) fn longer_side(self) -> u32 {
        self.width.max(self.height)
    }
}

/// The media type of a picture that the page can draw, by its first bytes. None of these formats can hold a script.
pub(super) fn media_type(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(PNG) {
        Some("image/png")
    } else if head.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

/// The size of a picture, from all of its bytes; the work is in proportion to their number.
pub(super) fn size(picture: &[u8]) -> Option<Size> {
    match media_type(picture)? {
        "image/png" => png(picture),
        "image/jpeg" => jpeg(picture),
        "image/gif" => gif(picture),
        _ => webp(picture),
    }
}

/// The size by the header chunk, which has to come first.
fn png(bytes: &[u8]) -> Option<Size> {
    let starts_with_header = bytes.get(8..16) == Some(b"\0\0\0\x0dIHDR");
    starts_with_header.then_some(())?;
    Size::new(u32::from_be_bytes(array(bytes, 16)?), u32::from_be_bytes(array(bytes, 20)?))
}

/// The size by the first frame header. Any number of segments may stand before it, and any number of fill bytes before
/// a marker.
fn jpeg(bytes: &[u8]) -> Option<Size> {
    let mut rest = bytes.get(2..)?;
    loop {
        let [0xff, after @ ..] = rest else { return None };
        let fill = after.iter().take_while(|byte| **byte == 0xff).count();
        let (marker, segment) = after.get(fill..)?.split_first()?;
        match marker {
            // Frame headers: length, precision, height, width.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let side = |at| Some(u32::from(u16::from_be_bytes(array(segment, at)?)));
                return Size::new(side(5)?, side(3)?);
            }
            // Tables, settings, comments and what applications keep. Their length counts itself.
            0xc4 | 0xcc | 0xdb..=0xdd | 0xe0..=0xef | 0xfe => {
                let length = usize::from(u16::from_be_bytes(array(segment, 0)?));
                rest = segment.get(length..).filter(|_| length >= 2)?;
            }
            // A marker without a length, after the frame or reserved: decoders differ in how they read these.
            _ => return None,
        }
    }
}

/// The size by the screen and the first frame: WebKit enlarges the screen to hold that.
fn gif(bytes: &[u8]) -> Option<Size> {
    let short = |bytes: &[u8], at| Some(u32::from(u16::from_le_bytes(array(bytes, at)?)));
    let (width, height) = (short(bytes, 6)?, short(bytes, 8)?);
    let flags = *bytes.get(10)?;
    let colours = if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut rest = bytes.get(13 + colours..)?;
    loop {
        match rest {
            [b',', frame @ ..] => {
                let [left, top, wide, high] = [0, 2, 4, 6].map(|at| short(frame, at));
                return Size::new(width.max(left? + wide?), height.max(top? + high?));
            }
            [b'!', _, blocks @ ..] => rest = after_blocks(blocks)?,
            _ => return None,
        }
    }
}

/// What follows a GIF's blocks of data; an empty one ends them.
fn after_blocks(mut bytes: &[u8]) -> Option<&[u8]> {
    loop {
        let (length, rest) = bytes.split_first()?;
        bytes = rest.get(usize::from(*length)..)?;
        if *length == 0 {
            return Some(bytes);
        }
    }
}

/// The size by the first chunk: the canvas of an extended file, or the frame.
fn webp(bytes: &[u8]) -> Option<Size> {
    match bytes.get(12..16)? {
        b"VP8X" => {
            let side = |at| {
                let [a, b, c] = array(bytes, at)?;
                Some(u32::from_le_bytes([a, b, c, 0]) + 1)
            };
            Size::new(side(24)?, side(27)?)
        }
        b"VP8 " if bytes.get(23..26) == Some(b"\x9d\x01\x2a") => {
            // The two upper bits of each say how to scale it.
            let side = |at| Some(u32::from(u16::from_le_bytes(array(bytes, at)?) & 0x3fff));
            Size::new(side(26)?, side(28)?)
        }
        b"VP8L" if bytes.get(20) == Some(&0x2f) => {
            let sides = u32::from_le_bytes(array(bytes, 21)?);
            Size::new((sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1)
        }
        _ => None,
    }
}

/// A fixed number of bytes; `None` if fewer are there.
pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
#[path = "picture_tests.rs"]
pub(super) mod tests;
