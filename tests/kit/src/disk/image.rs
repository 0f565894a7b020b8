//! Images of a disk: what a loss of power at some moment would have left of it.

use std::fmt;
use std::path::Path;

use tempfile::TempDir;

use super::record::Event;
use super::volume::{Left, Volume};
use crate::lot::Lot;

/// What a loss of power left. It is removed when this value is dropped, unless the test fails.
pub struct Image {
    dir: Option<TempDir>,
    /// The position in the record: what was acknowledged up to here is in the image.
    pub position: u64,
    /// Where it comes from, for messages.
    from: String,
}

impl Image {
    /// The folder with the files.
    pub fn folder(&self) -> &Path {
        self.dir.as_ref().expect("it is there until it is dropped").path()
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.from)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(dir) = self.dir.take()
        {
            eprintln!("{self}; it stays in {}", dir.keep().display());
        }
    }
}

/// The images of one record, in the order of its moments.
pub struct PowerCuts {
    volume: Volume,
    events: Vec<(u64, Event)>,
    /// How many events the volume has seen.
    applied: usize,
    /// The numbers of events before each image, the last one first.
    moments: Vec<usize>,
    seed: u64,
}

impl PowerCuts {
    pub(super) fn new(
        volume: Volume,
        events: Vec<(u64, Event)>,
        seed: u64,
        count: usize,
        after: u64,
    ) -> Self {
        let first = events.iter().take_while(|(position, _)| *position <= after).count();
        let all: Vec<usize> = (first..=events.len()).collect();
        // Half of them before or after an event that orders others.
        let turns = (first..events.len()).filter(|nth| events[*nth].1.is_turning_point());
        let turns: Vec<usize> = turns.flat_map(|nth| [nth, nth + 1]).collect();
        let mut lot = Lot::new(seed);
        let mut moments: Vec<usize> = (0..count)
            .map(|nth| if nth % 2 == 0 || turns.is_empty() { &all } else { &turns })
            .map(|from| from[lot.index(from.len())])
            .collect();
        moments.sort_unstable_by(|a, b| b.cmp(a));
        Self { volume, events, applied: 0, moments, seed }
    }
}

impl Iterator for PowerCuts {
    type Item = Image;

    fn next(&mut self) -> Option<Image> {
        let moment = self.moments.pop()?;
        for (_, event) in &self.events[self.applied..moment] {
            self.volume.apply(event);
        }
        self.applied = moment;
        let mut lot = Lot::new(self.seed ^ ((self.moments.len() as u64 + 1) << 32));
        let names = Left::by(&mut lot);
        let files = if lot.one_in(3) { None } else { Some(Left::by(&mut lot)) };
        let dir = TempDir::with_prefix("tidings-image.").expect("a temporary folder");
        self.volume.write(dir.path(), names, files, &mut lot);
        let from = format!(
            "seed {}, event {moment} of {}, names {names:?}, files {files:?}",
            self.seed,
            self.events.len()
        );
        let position = moment.checked_sub(1).map_or(0, |last| self.events[last].0);
        Some(Image { dir: Some(dir), position, from })
    }
}
