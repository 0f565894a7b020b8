//! What a pull gets of a server: its description, and pages.

use std::time::Duration;

use tidings_model::Catalog;
use tidings_replica as replica;

use crate::service::Room;

/// The token's user and the catalog of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerInfo {
    /// The user's id.
    pub user: Option<String>,
    /// The user's name.
    pub name: Option<String>,
    /// The catalog; `None` if the server has none.
    pub catalog: Option<Catalog>,
    /// The largest file that the server takes with a message, in bytes; `None` if it takes none.
    pub attachment_bytes: Option<u64>,
    /// The server's clock minus this machine's, in microseconds; `None` if the server does not send the time.
    pub clock_offset: Option<i64>,
    /// The address of the document that the page at the source's address names; `None` if there is no such page.
    pub document: Option<String>,
}

/// A fetched page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fetched {
    /// The page to apply.
    pub page: replica::Page,
    /// Its size on the wire in bytes, which decides on the size of the next one.
    pub bytes: usize,
    /// The items that it lacks, because they are too large or can't be read.
    pub skipped: Vec<replica::Skipped>,
    /// The time to wait before the next pull that nobody asks for, as the service says (`X-Poll-Interval`).
    pub poll_after: Option<Duration>,
    /// The room of the large answer that its items come from. The pull drops it when they are written.
    pub room: Option<Room>,
}
