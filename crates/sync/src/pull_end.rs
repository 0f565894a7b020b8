//! The bound at which a pull ended before it had everything.

use std::fmt;

/// The bound at which a pull ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PullEnd {
    /// It brought at least so many bytes.
    Bytes(u64),
    /// It brought so many pages.
    Pages(u32),
    /// No more than so many bytes of the disk are free.
    Disk(u64),
}

impl fmt::Display for PullEnd {
    /// Writes in English what happened, what is safe and what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => {
                write!(f, "The pull ended after {} MiB, the most that one brings", bytes >> 20)?;
            }
            Self::Pages(pages) => write!(f, "The pull ended after {pages} pages, the most that one brings")?,
            Self::Disk(bytes) => {
                return write!(
                    f,
                    "The pull ended, because {} MiB of the disk stay free. What came is kept. Make room, and the next \
                     pull goes on from there",
                    bytes >> 20
                );
            }
        }
        f.write_str(
            ". What came is kept, and the next pull goes on from there. If you expect less, pause the source",
        )
    }
}
