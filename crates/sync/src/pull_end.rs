//! The bound at which a pull ended before it had everything.

/// What is safe after a pull that brought the most that one brings, and what to do.
const KEPT: &str =
    "What came is kept, and the next pull goes on from there. If you expect less, pause the source";

/// The bound at which a pull ended. It says in English what happened, what is safe and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PullEnd {
    /// It brought at least so many bytes.
    #[error("The pull ended after {} MiB, the most that one brings. {}", .0 >> 20, KEPT)]
    Bytes(u64),
    /// It brought so many pages.
    #[error("The pull ended after {} pages, the most that one brings. {}", .0, KEPT)]
    Pages(u32),
    /// No more than so many bytes of the disk are free.
    #[error(
        "The pull ended, because {} MiB of the disk stay free. What came is kept. Make room, and the next pull \
         goes on from there",
        .0 >> 20
    )]
    Disk(u64),
}
