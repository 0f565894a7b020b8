//! The pictures of the tray icon, embedded as pixels.

include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// A picture with its opacity reduced to a percentage.
fn faded(rgba: &[u8], percent: u16) -> Vec<u8> {
    let mut pixels = rgba.to_vec();
    for pixel in pixels.chunks_exact_mut(4) {
        if let [_, _, _, alpha] = pixel {
            *alpha = u8::try_from(u16::from(*alpha) * percent / 100).unwrap_or(u8::MAX);
        }
    }
    pixels
}

/// All sizes of a picture as `(pixels a side, RGBA)`; fainter while toasts are paused or quiet hours are in force.
pub(crate) fn sizes(name: &str, faint: bool) -> impl Iterator<Item = (u32, Vec<u8>)> {
    let percent = if faint { 55 } else { 100 };
    PICTURES
        .iter()
        .filter(move |(picture, _, _)| *picture == name)
        .map(move |(_, size, rgba)| (*size, faded(rgba, percent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_badge_has_its_picture_in_every_size() {
        for unread in [0, 1, 5, 9, 10] {
            let name = tidings_ports::Badge::of(unread).picture();
            let first_paint: Vec<u32> = sizes(&name, false).map(|(size, _)| size).collect();
            assert_eq!(first_paint, [22, 24, 32, 48], "{name}");
        }
    }

    #[test]
    fn a_pause_is_seen_in_the_picture() {
        let strongest =
            |faint| sizes("3", faint).flat_map(|(_, p)| p.chunks(4).map(|c| c[3]).collect::<Vec<_>>()).max();
        assert_eq!((strongest(false), strongest(true)), (Some(255), Some(140)));
    }
}
