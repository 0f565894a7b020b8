//! What a desktop's screen shows, read from its X server.

use std::collections::HashSet;
use std::error::Error;

use x11rb::protocol::xproto::{ConnectionExt, ImageFormat};
use x11rb::{connection::Connection, rust_connection::RustConnection};

/// A blank page has one or two colours; rendered text and icons have many, from antialiasing.
const BLANK: usize = 100;

/// Whether a page is drawn on the part of the screen on which a window stands. It fails if the window is gone, or if it
/// stands outside of the screen.
pub(crate) fn is_drawn(display: &str, window: u32) -> Result<bool, Box<dyn Error>> {
    let (server, screen) = RustConnection::connect(Some(display))?;
    let screen = &server.setup().roots[screen];
    let size = server.get_geometry(window)?.reply()?;
    let corner = server.translate_coordinates(window, screen.root, 0, 0)?.reply()?;
    // The server gives no image of parts outside of the screen.
    let (left, width) = visible(corner.dst_x, size.width, screen.width_in_pixels)?;
    let (top, height) = visible(corner.dst_y, size.height, screen.height_in_pixels)?;
    let image =
        server.get_image(ImageFormat::Z_PIXMAP, screen.root, left, top, width, height, u32::MAX)?.reply()?;
    let (mut colours, mut last): (HashSet<&[u8]>, &[u8]) = (HashSet::new(), &[]);
    // Most pixels are as the one before them, and a page is known to be drawn by its first lines.
    Ok(image.data.chunks_exact(4).any(|pixel| {
        if pixel != last {
            colours.insert(pixel);
            last = pixel;
        }
        colours.len() > BLANK
    }))
}

/// The start and length of the part of one side of a window that is on the screen, px.
fn visible(start: i16, length: u16, screen: u16) -> Result<(i16, u16), &'static str> {
    let end = (i32::from(start) + i32::from(length)).min(i32::from(screen));
    let start = start.max(0);
    let length = u16::try_from(end - i32::from(start)).ok().filter(|length| *length > 0);
    Ok((start, length.ok_or("outside of the screen")?))
}
