//! Reads the pixels of the X display, and sends keys to it.

use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Window};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use crate::Result;

/// The X display that the benchmarks run on.
pub(crate) struct Screen {
    conn: RustConnection,
    root: Window,
}

/// A rectangle of the screen, in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Rect {
    pub(crate) x: i16,
    pub(crate) y: i16,
    pub(crate) width: u16,
    pub(crate) height: u16,
}

impl Screen {
    /// Connects to `DISPLAY`; none if there is no display.
    pub(crate) fn open() -> Option<Self> {
        let (conn, screen) = RustConnection::connect(None).ok()?;
        let root = conn.setup().roots.get(screen)?.root;
        Some(Self { conn, root })
    }

    /// The pixels of a part, as red, green and blue.
    fn pixels(&self, rect: Rect) -> Result<Vec<[u8; 3]>> {
        let image = self
            .conn
            .get_image(ImageFormat::Z_PIXMAP, self.root, rect.x, rect.y, rect.width, rect.height, u32::MAX)?
            .reply()?;
        // Four bytes for each pixel: blue, green, red, and one unused.
        Ok(image.data.chunks_exact(4).filter_map(|p| Some([*p.get(2)?, *p.get(1)?, *p.first()?])).collect())
    }

    /// Presses and releases a key. `keysym` is its X keysym, which for letters and digits is their ASCII code.
    pub(crate) fn press_key(&self, keysym: u32) -> Result<()> {
        let setup = self.conn.setup();
        let (min_keycode, max_keycode) = (setup.min_keycode, setup.max_keycode);
        let table = self.conn.get_keyboard_mapping(min_keycode, max_keycode - min_keycode + 1)?.reply()?;
        let row = usize::from(table.keysyms_per_keycode.max(1));
        let at = table.keysyms.chunks(row).position(|syms| syms.first() == Some(&keysym));
        let code =
            at.and_then(|at| u8::try_from(at).ok()).ok_or("no such key on this keyboard")? + min_keycode;
        for event in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.conn.xtest_fake_input(event, code, 0, self.root, 0, 0, 0)?;
        }
        Ok(self.conn.flush()?)
    }

    /// Moves the pointer to a place of the screen.
    pub(crate) fn move_pointer(&self, x: i16, y: i16) -> Result<()> {
        self.conn.warp_pointer(x11rb::NONE, self.root, 0, 0, 0, 0, x, y)?;
        Ok(self.conn.flush()?)
    }

    /// The time from a key press until the pixels of a part change.
    pub(crate) fn key_to_paint(&self, keysym: u32, rect: Rect) -> Result<Duration> {
        self.change_to_paint(rect, || self.press_key(keysym))
    }

    /// The time from the start of `change` until the pixels of a part change. The part has to be unchanged for 200 ms
    /// before, so that only the work of this change is measured.
    pub(crate) fn change_to_paint(
        &self,
        rect: Rect,
        change: impl FnOnce() -> Result<()>,
    ) -> Result<Duration> {
        let before = self.stable_pixels(rect)?;
        let started = Instant::now();
        change()?;
        let timeout = Duration::from_secs(10);
        while self.pixels(rect)? == before {
            if started.elapsed() > timeout {
                return Err("nothing changed on the screen within 10 s".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(started.elapsed())
    }

    /// The pixels of a part once they have not changed for a fifth of a second.
    fn stable_pixels(&self, rect: Rect) -> Result<Vec<[u8; 3]>> {
        let started = Instant::now();
        let mut last = self.pixels(rect)?;
        let mut since = Instant::now();
        while since.elapsed() < Duration::from_millis(200) {
            if started.elapsed() > Duration::from_secs(30) {
                return Err("the screen does not come to rest".into());
            }
            std::thread::sleep(Duration::from_millis(10));
            let now = self.pixels(rect)?;
            if now != last {
                (last, since) = (now, Instant::now());
            }
        }
        Ok(last)
    }

    /// For each predicate, the number of the part's pixels for which it is true; all from one read of the screen.
    pub(crate) fn count<const N: usize>(
        &self,
        rect: Rect,
        predicates: [&dyn Fn([u8; 3]) -> bool; N],
    ) -> Result<[usize; N]> {
        let pixels = self.pixels(rect)?;
        Ok(predicates.map(|predicate| pixels.iter().filter(|p| predicate(**p)).count()))
    }

    /// Waits until `condition` is true of the screen; an error that names `what` after 30 s.
    pub(crate) fn wait_until(
        &self,
        what: &str,
        mut condition: impl FnMut(&Self) -> Result<bool>,
    ) -> Result<()> {
        let started = Instant::now();
        while !condition(self)? {
            if started.elapsed() > Duration::from_secs(30) {
                return Err(format!("{what} was not to be seen within 30 s").into());
            }
            std::thread::sleep(Duration::from_millis(4));
        }
        Ok(())
    }
}
