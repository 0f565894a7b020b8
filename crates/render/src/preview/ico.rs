//! Pictures in Windows' format for icons, in which many sites have theirs. A file has several sizes; one of them is taken
//! out of it, and nothing else of the file.

use super::picture::{PNG, array};

/// The beginning of such a file.
const MAGIC: &[u8] = &[0, 0, 1, 0];
/// The lengths of the file's header and of an entry in its table.
const HEADER_BYTES: usize = 6;
const ENTRY_BYTES: usize = 16;
/// The most entries that are looked at.
const MAX_ENTRIES: usize = 64;
/// The side at which an icon is sharp, in pixels; larger ones only cost memory.
const WANTED_SIDE: u32 = 32;
/// The largest side of a bitmap in such a file.
const MAX_SIDE: u32 = 256;
/// The most pixels of a bitmap.
pub(super) const MAX_PIXELS: u64 = MAX_SIDE as u64 * MAX_SIDE as u64;

/// A picture of an icon file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Picture<'f> {
    /// A PNG, which may stand in place of a bitmap, as it is. Its size is not checked.
    Png(&'f [u8]),
    /// An icon file with one bitmap alone, of at most 256 × 256 pixels.
    Icon(Vec<u8>),
}

/// The picture of an icon file whose size fits best; `None` for any other or a damaged file.
pub(super) fn picture(file: &[u8]) -> Option<Picture<'_>> {
    if !file.starts_with(MAGIC) {
        return None;
    }
    let table = file.get(HEADER_BYTES..)?.chunks_exact(ENTRY_BYTES);
    let count = usize::from(u16::from_le_bytes(array(file, 4)?)).min(MAX_ENTRIES);
    let pictures = table.take(count).filter_map(|entry| Some((side(entry)?, entry, data(file, entry)?)));
    // The smallest that is sharp, else the largest.
    let (_, entry, bytes) =
        pictures.min_by_key(|(side, ..)| (*side < WANTED_SIDE, side.abs_diff(WANTED_SIDE)))?;
    Some(if bytes.starts_with(PNG) { Picture::Png(bytes) } else { Picture::Icon(alone(entry, bytes)) })
}

/// The width that an entry names; 0 stands for 256.
fn side(entry: &[u8]) -> Option<u32> {
    let side = u32::from(*entry.first()?);
    Some(if side == 0 { MAX_SIDE } else { side })
}

/// The bytes of an entry's picture, if it is a PNG or a bitmap.
fn data<'f>(file: &'f [u8], entry: &[u8]) -> Option<&'f [u8]> {
    let number = |at| usize::try_from(u32::from_le_bytes(array(entry, at)?)).ok();
    let (length, from) = (number(8)?, number(12)?);
    let bytes = file.get(from..from.checked_add(length)?)?;
    (bytes.starts_with(PNG) || is_bitmap(bytes)).then_some(bytes)
}

/// A file with a bitmap alone.
fn alone(entry: &[u8], bitmap: &[u8]) -> Vec<u8> {
    let at = u32::try_from(HEADER_BYTES + ENTRY_BYTES).unwrap_or_default().to_le_bytes();
    [MAGIC, &1_u16.to_le_bytes(), entry.get(..12).unwrap_or_default(), &at, bitmap].concat()
}

/// Whether bytes are a plain bitmap of a size that icons have.
fn is_bitmap(bytes: &[u8]) -> bool {
    let number = |at| array(bytes, at).map(u32::from_le_bytes);
    let short = |at| array(bytes, at).map(u16::from_le_bytes);
    // Above the picture lies its mask, of the same size.
    let fits = |side: Option<u32>, most| side.is_some_and(|side| (1..=most).contains(&side));
    number(0) == Some(40)
        && fits(number(4), MAX_SIDE)
        && fits(number(8), 2 * MAX_SIDE)
        && short(12) == Some(1)
        && matches!(short(14), Some(1 | 4 | 8 | 24 | 32))
        && number(16) == Some(0)
}

#[cfg(test)]
mod tests {
    use tidings_testkit::ico::{bitmap, file};

    use super::*;

    #[test]
    fn the_size_that_fits_is_taken_out_alone() {
        let (small, good, large) = (bitmap(16), bitmap(48), bitmap(128));
        let picture_of = |pictures: &[(u8, &[u8])]| match picture(&file(pictures)) {
            Some(Picture::Icon(one)) => one,
            other => panic!("{other:?}"),
        };
        let all: [(u8, &[u8]); 3] = [(16, &small), (128, &large), (48, &good)];
        assert_eq!(picture_of(&all), file(&[(48, &good)]));
        assert_eq!(picture_of(&[(16, &small)]), file(&[(16, &small)]), "there is no other");
        assert_eq!(
            picture_of(&[(32, b"junk"), (16, &small)]),
            file(&[(16, &small)]),
            "what is damaged is none"
        );
        let png = [PNG, b"rest"].concat();
        assert_eq!(picture(&file(&[(0, &png), (16, &small)])), Some(Picture::Png(&png)));
    }

    #[test]
    fn what_is_no_icon_or_too_large_or_cut_is_none() {
        let good = file(&[(32, &bitmap(32))]);
        for end in 0..good.len() {
            assert_eq!(picture(&good[..end]), None, "cut at {end}");
        }
        let mut huge = bitmap(32);
        huge[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        let mut packed = bitmap(32);
        packed[16] = 3;
        for bad in [huge, packed, bitmap(257)] {
            assert_eq!(picture(&file(&[(32, &bad)])), None);
        }
        assert_eq!(picture(b"\0\0\x02\0\x01\0"), None, "a cursor");
        let mut far = good;
        far[18..22].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(picture(&far), None);
    }
}
