//! What the writer's files need of their crate beside the writer.
#![allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signatures are those of the crate")]

/// The moment at which a commit counts as done: for a database in memory, at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    Full,
    Normal,
}

impl Durability {
    pub(crate) fn set(self, _: &rusqlite::Connection) -> rusqlite::Result<()> {
        Ok(())
    }
}

pub(crate) mod log {
    /// A database in memory has no log.
    pub(crate) struct Marking;

    impl Marking {
        pub(crate) fn due(&mut self) -> Option<&str> {
            None
        }

        pub(crate) fn failed(&mut self) {}
    }
}

pub(crate) mod checkpoint {
    pub(crate) fn when_idle(_: &rusqlite::Connection, _: &crate::Bounds) -> rusqlite::Result<()> {
        Ok(())
    }
}
