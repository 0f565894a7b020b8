//! What can be seen on the X display: enough to tell when something is there. Refuses to read letters.

use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, Window};
use x11rb::rust_connection::RustConnection;

use crate::Result;

/// The display that the benches run on.
pub(crate) struct Screen {
    conn: RustConnection,
    root: Window,
}

/// A rectangle of it, in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) x: i16,
    pub(crate) y: i16,
    pub(crate) width: u16,
    pub(crate) height: u16,
}

impl Screen {
    /// Connects to `DISPLAY`; none where there is no display.
    pub(crate) fn open() -> Option<Self> {
        let (conn, screen) = RustConnection::connect(None).ok()?;
        let root = conn.setup().roots.get(screen)?.root;
        Some(Self { conn, root })
    }

    /// The pixels of a part, as red, green and blue.
    fn pixels(&self, part: Part) -> Result<Vec<[u8; 3]>> {
        let image = self
            .conn
            .get_image(ImageFormat::Z_PIXMAP, self.root, part.x, part.y, part.width, part.height, u32::MAX)?
            .reply()?;
        // 24 bits in 32, blue first.
        Ok(image.data.chunks_exact(4).filter_map(|p| Some([*p.get(2)?, *p.get(1)?, *p.first()?])).collect())
    }

    /// Pixels of a part for which something holds.
    pub(crate) fn count(&self, part: Part, holds: impl Fn([u8; 3]) -> bool) -> Result<usize> {
        Ok(self.pixels(part)?.into_iter().filter(|p| holds(*p)).count())
    }

    /// Waits until something can be seen, at most half a minute.
    pub(crate) fn wait(&self, what: &str, mut there: impl FnMut(&Self) -> Result<bool>) -> Result<()> {
        let started = Instant::now();
        while !there(self)? {
            if started.elapsed() > Duration::from_secs(30) {
                return Err(format!("{what} was not to be seen within 30 s").into());
            }
            std::thread::sleep(Duration::from_millis(4));
        }
        Ok(())
    }
}
