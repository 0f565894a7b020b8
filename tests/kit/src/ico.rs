//! Makes pictures in Windows' format for icons.

/// A file with these pictures, each with the side in pixels that the table names.
pub fn file(pictures: &[(u8, &[u8])]) -> Vec<u8> {
    let mut file = [&[0, 0, 1, 0], u16::try_from(pictures.len()).unwrap().to_le_bytes().as_slice()].concat();
    let mut from = file.len() + 16 * pictures.len();
    for (side, bytes) in pictures {
        file.extend([*side, *side, 0, 0, 1, 0, 32, 0]);
        file.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
        file.extend(u32::try_from(from).unwrap().to_le_bytes());
        from += bytes.len();
    }
    for (_, bytes) in pictures {
        file.extend_from_slice(bytes);
    }
    file
}

/// The header of a bitmap of 32 bits a pixel, and its pixels.
pub fn bitmap(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [40, side, 2 * side] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([1, 0, 32, 0]);
    bytes.extend([0; 24]);
    bytes.resize(bytes.len() + usize::try_from(side * side * 4).unwrap(), 0x7f);
    bytes
}
