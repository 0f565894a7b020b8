//! Where the window opens: the size and position that were kept of it, fitted to the monitors of now.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use tauri::{Monitor, PhysicalPosition, PhysicalSize};
use tidings_home::user_file;

/// The largest file of kept states that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 16;
/// Room for the frame that a window manager draws around the content, logical px: its size is known only once the window
/// is on the screen.
const FRAME_WIDTH: f64 = 4.0;
const FRAME_HEIGHT: f64 = 40.0;

/// A rectangle of the desktop, physical px.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// A monitor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MonitorArea {
    /// Everything that it shows.
    pub(crate) screen: Area,
    /// What panels and docks leave of it.
    pub(crate) work: Area,
    /// Physical px for a logical one.
    pub(crate) scale: f64,
}

impl From<&Monitor> for MonitorArea {
    fn from(monitor: &Monitor) -> Self {
        let area = |at: &PhysicalPosition<i32>, size: &PhysicalSize<u32>| Area {
            x: at.x,
            y: at.y,
            width: size.width,
            height: size.height,
        };
        Self {
            screen: area(monitor.position(), monitor.size()),
            work: area(&monitor.work_area().position, &monitor.work_area().size),
            scale: monitor.scale_factor(),
        }
    }
}

/// What is kept of a window, in the form of the toolkit's plugin, which writes it. Physical px.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct StoredPlacement {
    width: u32,
    height: u32,
    x: i32,
    y: i32,
    /// The position before the window was maximised, which put it at its monitor's corner.
    prev_x: i32,
    prev_y: i32,
    maximized: bool,
}

/// Where the window is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    /// The content's size, and the position of the frame around it.
    pub(crate) area: Area,
    /// Whether it fills its monitor; `area` is what it goes back to.
    pub(crate) maximized: bool,
}

/// What is kept of a window; `None` if there is nothing, or nothing that can be read.
pub(crate) fn kept(file: &Path, label: &str) -> Option<StoredPlacement> {
    let bytes = user_file::read(file, MAX_FILE_BYTES).ok().flatten()?;
    let mut all: HashMap<String, StoredPlacement> = serde_json::from_slice(&bytes).ok()?;
    all.remove(label).filter(|kept| kept.width > 0 && kept.height > 0)
}

/// The place for a window: on the monitor that it was on, else on the nearest one, no larger than its work area and
/// wholly inside of it. `None` if no monitor is known. If the desktop reports no positions (`positioned` is false), the
/// size alone is fitted, to the largest work area.
pub(crate) fn fitted(kept: StoredPlacement, monitors: &[MonitorArea], positioned: bool) -> Option<Placement> {
    let was = Area { x: kept.x, y: kept.y, width: kept.width, height: kept.height };
    let monitor = if positioned {
        monitors.iter().max_by_key(|monitor| (shared(was, monitor.screen), -distance(was, monitor.screen)))?
    } else {
        monitors
            .iter()
            .max_by_key(|monitor| u64::from(monitor.work.width) * u64::from(monitor.work.height))?
    };
    let (x, y) = if kept.maximized { (kept.prev_x, kept.prev_y) } else { (kept.x, kept.y) };
    Some(Placement { area: inside(Area { x, y, ..was }, monitor), maximized: kept.maximized })
}

/// The area with its frame, moved and shrunk into the work area of a monitor.
fn inside(area: Area, monitor: &MonitorArea) -> Area {
    let (frame_width, frame_height) = (scaled(FRAME_WIDTH, monitor), scaled(FRAME_HEIGHT, monitor));
    let width = area.width.min(monitor.work.width.saturating_sub(frame_width)).max(1);
    let height = area.height.min(monitor.work.height.saturating_sub(frame_height)).max(1);
    Area {
        x: within(area.x, width + frame_width, monitor.work.x, monitor.work.width),
        y: within(area.y, height + frame_height, monitor.work.y, monitor.work.height),
        width,
        height,
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a frame is a few px, whatever the scale"
)]
fn scaled(logical: f64, monitor: &MonitorArea) -> u32 {
    (logical * monitor.scale.clamp(0.5, 8.0)).ceil() as u32
}

/// The start of a stretch of `length` that lies between `from` and `from + room`, as near to `at` as possible.
fn within(at: i32, length: u32, from: i32, room: u32) -> i32 {
    let last = i64::from(from) + i64::from(room) - i64::from(length);
    let at = i64::from(at).min(last).max(i64::from(from));
    i32::try_from(at).unwrap_or(from)
}

/// The number of px that two areas share.
fn shared(a: Area, b: Area) -> i64 {
    let overlap = |a_from: i32, a_length: u32, b_from: i32, b_length: u32| {
        let end = (i64::from(a_from) + i64::from(a_length)).min(i64::from(b_from) + i64::from(b_length));
        (end - i64::from(a_from.max(b_from))).max(0)
    };
    overlap(a.x, a.width, b.x, b.width).saturating_mul(overlap(a.y, a.height, b.y, b.height))
}

/// How far the middles of two areas are apart, in px along both axes.
fn distance(a: Area, b: Area) -> i64 {
    let middle = |from: i32, length: u32| i64::from(from) + i64::from(length) / 2;
    (middle(a.x, a.width) - middle(b.x, b.width)).abs()
        + (middle(a.y, a.height) - middle(b.y, b.height)).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
        Area { x, y, width, height }
    }

    /// A laptop with a panel of 32 px at its top, and a larger monitor to the right of it.
    const LAPTOP: MonitorArea =
        MonitorArea { screen: area(0, 0, 1280, 800), work: area(0, 32, 1280, 768), scale: 1.0 };
    const DESK: MonitorArea =
        MonitorArea { screen: area(1280, 0, 2560, 1440), work: area(1280, 0, 2560, 1440), scale: 1.0 };

    fn kept_at(x: i32, y: i32, width: u32, height: u32) -> StoredPlacement {
        StoredPlacement { width, height, x, y, prev_x: x, prev_y: y, maximized: false }
    }

    fn put(kept: StoredPlacement, monitors: &[MonitorArea]) -> Area {
        let placement = fitted(kept, monitors, true).unwrap();
        let Area { x, y, width, height } = placement.area;
        let work = monitors.iter().map(|monitor| monitor.work).find(|work| shared(placement.area, *work) > 0);
        let work = work.expect("it is on a monitor");
        assert!(x >= work.x && y >= work.y, "{placement:?}");
        assert!(
            i64::from(x) + i64::from(width) <= i64::from(work.x) + i64::from(work.width),
            "{placement:?}"
        );
        assert!(i64::from(y) + i64::from(height) <= i64::from(work.y) + i64::from(work.height));
        placement.area
    }

    #[test]
    fn what_fits_stays_as_it_was() {
        assert_eq!(put(kept_at(100, 60, 1000, 640), &[LAPTOP]), area(100, 60, 1000, 640));
        assert_eq!(put(kept_at(1400, 100, 2000, 1200), &[LAPTOP, DESK]), area(1400, 100, 2000, 1200));
    }

    #[test]
    fn a_window_larger_than_the_screen_shows_all_its_edges() {
        assert_eq!(put(kept_at(0, 0, 2500, 1400), &[LAPTOP]), area(0, 32, 1276, 728));
        let doubled = MonitorArea { scale: 2.0, ..LAPTOP };
        assert_eq!(
            put(kept_at(0, 0, 2500, 1400), &[doubled]),
            area(0, 32, 1272, 688),
            "its frame is twice as high"
        );
    }

    #[test]
    fn a_window_outside_of_every_monitor_comes_to_the_nearest() {
        // It was on the larger monitor, which is gone.
        assert_eq!(put(kept_at(2000, 300, 1000, 640), &[LAPTOP]), area(276, 120, 1000, 640));
        assert_eq!(put(kept_at(-3000, -9000, 1000, 640), &[DESK, LAPTOP]), area(0, 32, 1000, 640));
        assert_eq!(put(kept_at(i32::MAX, i32::MIN, u32::MAX, u32::MAX), &[LAPTOP]), area(0, 32, 1276, 728));
    }

    #[test]
    fn a_window_between_two_monitors_goes_where_most_of_it_is() {
        assert_eq!(put(kept_at(1200, 100, 1000, 640), &[LAPTOP, DESK]), area(1280, 100, 1000, 640));
    }

    #[test]
    fn a_maximised_window_is_maximised_where_it_was_and_goes_back_to_a_size_that_fits() {
        let kept = StoredPlacement {
            maximized: true,
            x: 1280,
            y: 0,
            prev_x: 1500,
            prev_y: 90,
            width: 1600,
            height: 900,
        };
        let placement = fitted(kept, &[LAPTOP, DESK], true).unwrap();
        assert_eq!(placement, Placement { area: area(1500, 90, 1600, 900), maximized: true });
        let alone = fitted(kept, &[LAPTOP], true).unwrap();
        assert_eq!(alone, Placement { area: area(0, 32, 1276, 728), maximized: true });
    }

    #[test]
    fn without_positions_the_size_alone_is_fitted() {
        let placement = fitted(kept_at(0, 0, 2000, 1200), &[LAPTOP, DESK], false).unwrap();
        assert_eq!((placement.area.width, placement.area.height), (2000, 1200));
        assert_eq!(fitted(kept_at(0, 0, 2000, 1200), &[], true), None);
    }

    #[test]
    fn what_cannot_be_read_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("window.json");
        assert_eq!(kept(&file, "main"), None);
        let state = r#"{"main": {"width": 900, "height": 700, "x": -5, "y": 6, "prev_x": 0, "prev_y": 0,
            "maximized": false, "visible": true, "decorated": true, "fullscreen": false}}"#;
        std::fs::write(&file, state).unwrap();
        assert_eq!(
            kept(&file, "main"),
            Some(StoredPlacement { prev_x: 0, prev_y: 0, ..kept_at(-5, 6, 900, 700) })
        );
        assert_eq!(kept(&file, "other"), None);
        std::fs::write(&file, state.replace("900", "0")).unwrap();
        assert_eq!(kept(&file, "main"), None, "a window of no size");
        std::fs::write(&file, "{").unwrap();
        assert_eq!(kept(&file, "main"), None);
    }
}
