//! Tests of sizes of pictures: they are found wherever decoders find them, and nothing hides a vast one.

use super::*;

/// A PNG as far as its header.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    [PNG, b"\0\0\0\x0dIHDR", &width.to_be_bytes(), &height.to_be_bytes()].concat()
}

/// A frame header of a JPEG.
fn frame(width: u16, height: u16) -> Vec<u8> {
    [b"\xff\xc0\0\x11\x08", height.to_be_bytes().as_slice(), &width.to_be_bytes()].concat()
}

/// A JPEG whose frame header comes after `before`.
pub(crate) fn jpeg(before: &[u8], width: u16, height: u16) -> Vec<u8> {
    [b"\xff\xd8\xff\xe0\0\x04ab", before, &frame(width, height)].concat()
}

/// Segments of 64 KiB each.
fn long_segments(count: usize) -> Vec<u8> {
    let kinds = (0xe0..=0xef).chain([0xfe]).cycle();
    kinds.take(count).flat_map(|kind| [vec![0xff, kind, 0xff, 0xff], vec![0; 0xffff - 2]].concat()).collect()
}

/// A GIF with a screen, whose first frame comes after `before`.
pub(crate) fn gif(screen: [u16; 2], before: &[u8], frame: [u16; 4]) -> Vec<u8> {
    let shorts = |all: &[u16]| all.iter().flat_map(|short| short.to_le_bytes()).collect::<Vec<_>>();
    [b"GIF89a", shorts(&screen).as_slice(), b"\x80\0\0", &[0; 6], before, b",", &shorts(&frame)].concat()
}

pub(crate) fn webp(kind: &[u8], header: &[u8]) -> Vec<u8> {
    [b"RIFF....WEBP", kind, b"....", header].concat()
}

fn sides(picture: &[u8]) -> Option<(u32, u32)> {
    size(picture).map(|size| (size.width, size.height))
}

#[test]
fn fill_bytes_and_64_kib_of_segments_hide_no_size_of_a_jpeg() {
    for before in [
        vec![],
        vec![0xff; 1],
        vec![0xff; 3 << 20],
        long_segments(1),
        long_segments(60),
        [long_segments(2), vec![0xff; 70_000], long_segments(2)].concat(),
    ] {
        let length = before.len();
        assert_eq!(sides(&jpeg(&before, 65_000, 64_000)), Some((65_000, 64_000)), "{length} bytes before it");
        assert_eq!(sides(&jpeg(&before, 9, 7)), Some((9, 7)), "{length} bytes before it");
    }
}

#[test]
fn a_jpeg_in_which_decoders_might_find_another_size_has_none() {
    for (before, why) in [
        (&b"\xff\xd0"[..], "a restart marker has no length"),
        (b"\xff\x01", "nor has this"),
        (b"\xff\xd8", "a second beginning"),
        (b"\xff\xda\0\x02", "data before the frame"),
        (b"\xff\xd9", "the end"),
        (b"\xff\x00", "a byte of data"),
        (b"\xff\xc8\0\x02", "reserved"),
        (b"\xff\xf0\0\x02", "reserved"),
        (b"\xff\xe1\0\x01", "shorter than its own length"),
        (b"x", "no marker"),
    ] {
        assert_eq!(sides(&jpeg(before, 9, 9)), None, "{why}");
    }
    assert_eq!(sides(&jpeg(b"", 9, 0)), None, "the height follows the picture");
    let whole = jpeg(&long_segments(1), 9, 7);
    for end in (0..200).chain(whole.len() - 9..whole.len()) {
        assert_eq!(sides(&whole[..end]), None, "cut at {end}");
    }
}

#[test]
fn a_frame_that_is_larger_than_its_gif_counts_as_webkit_draws_it() {
    assert_eq!(sides(&gif([9, 7], b"", [0, 0, 9, 7])), Some((9, 7)));
    assert_eq!(sides(&gif([9, 7], b"", [0, 0, 2, 2])), Some((9, 7)), "a part of it");
    assert_eq!(sides(&gif([1, 1], b"", [0, 0, 60_000, 50_000])), Some((60_000, 50_000)));
    assert_eq!(sides(&gif([1, 1], b"", [65_535, 3, 65_535, 4])), Some((131_070, 7)));
    assert_eq!(sides(&gif([0, 0], b"", [0, 0, 3, 4])), Some((3, 4)), "browsers show it");
    let blocks =
        [b"!\xf9\x04\0\0\0\0\0".to_vec(), b"!\xfe".to_vec(), b"\x02ab".repeat(40_000), vec![0]].concat();
    assert_eq!(sides(&gif([1, 1], &blocks, [0, 0, 60_000, 9])), Some((60_000, 9)));
    for before in [&b";"[..], b"x", b"!\xfe\xff"] {
        assert_eq!(sides(&gif([1, 1], before, [0, 0, 9, 9])), None, "{before:?}");
    }
}

#[test]
fn a_size_is_that_of_the_first_chunk() {
    assert_eq!(sides(&png(10, 11)), Some((10, 11)));
    let text = [PNG, b"\0\0\0\x02tEXtab....", &png(10, 11)[8..]].concat();
    assert_eq!(sides(&text), None, "something before the header");
    assert_eq!(sides(&png(0, 11)), None);
    assert_eq!(sides(&webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\xff\xff\x02\x40")), Some((16_383, 2)));
    assert_eq!(sides(&webp(b"VP8 ", b"\0\0\0xyz\xff\xff\x02\x40")), None, "no frame begins like that");
    assert_eq!(sides(&webp(b"VP8L", b"\x2f\xff\xff\xff\xff")), Some((16_384, 16_384)));
    assert_eq!(sides(&webp(b"VP8L", b"\x2e\xff\xff\xff\xff")), None);
    assert_eq!(sides(&webp(b"VP8X", b"\0\0\0\0\xff\xff\xff\0\0\0")), Some((1 << 24, 1)));
    assert_eq!(sides(&webp(b"ALPH", b"\0\0\0\0\xff\xff\xff\0\0\0")), None);
}

/// The largest picture of each shape, of as many bytes as are looked at. The test would not end if the work grew with
/// the square of the length.
#[test]
fn the_work_on_a_size_is_in_proportion_to_the_bytes() {
    let most = 8 << 20;
    for unit in [&b"\xff"[..], b"\xff\xe0\0\x02", b"\xff\xff\xfe\0\x02"] {
        assert_eq!(sides(&jpeg(&unit.repeat(most / unit.len()), 3, 4)), Some((3, 4)));
        assert_eq!(sides(&[b"\xff\xd8".to_vec(), unit.repeat(most / unit.len())].concat()), None);
    }
    for unit in [&b"!\xfe\0"[..], b"!\xfe\x01a\0"] {
        assert_eq!(sides(&gif([3, 4], &unit.repeat(most / unit.len()), [0; 4])), Some((3, 4)));
    }
    let blocks = [b"!\xfe".to_vec(), b"\x01a".repeat(most / 2)].concat();
    assert_eq!(sides(&gif([3, 4], &blocks, [0; 4])), None, "it never ends");
}

#[test]
fn whatever_a_picture_says_it_has_a_format_if_it_has_a_size_and_an_icon_alone_is_taken_as_it_is() {
    use crate::preview::ico::{self, Picture};

    tidings_testkit::fuzz::run("picture", 5_000, |input| {
        if let Some(size) = size(input) {
            assert!(media_type(input).is_some() && size.pixels() >= u64::from(size.longer_side()));
        }
        match ico::picture(input) {
            Some(Picture::Icon(alone)) => {
                // With a table of its own, even if its bytes are those of the table as well.
                assert!(alone.len() <= input.len() + 22);
                assert_eq!(ico::picture(&alone), Some(Picture::Icon(alone.clone())));
            }
            Some(Picture::Png(png)) => assert!(media_type(png) == Some("image/png")),
            None => {}
        }
    });
}
