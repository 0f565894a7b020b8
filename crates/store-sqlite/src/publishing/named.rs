//! Finds what a name on a topic means for a publisher.

use rusqlite::Connection;
use tidings_store::Error;
use tidings_store::domain::posted_by::PostedBy;
use tidings_store::named::Named;

use crate::tables::{notifications, scheduled, sequences};

/// What a name means for a publisher; with `others`, even if it is somebody else's.
pub(crate) fn find(
    conn: &Connection,
    topic: &str,
    name: &str,
    by: PostedBy,
    others: bool,
) -> Result<Option<Named>, Error> {
    let own = by.key();
    if let Some(found) = sequences::get(conn, topic, name, own)? {
        return Ok(Some(found));
    }
    let by_msgid = notifications::on_topic(conn, topic, name)?;
    if let Some(found) = by_msgid.as_ref().filter(|found| found.publisher == own) {
        return Ok(Some(found.clone()));
    }
    if scheduled::waits(conn, topic, name, own)? {
        return Ok(Some(Named { publisher: own, item: None }));
    }
    if !others {
        return Ok(None);
    }
    if let Some(found) = sequences::newest(conn, topic, name)?.or(by_msgid) {
        return Ok(Some(found));
    }
    let waiting = scheduled::publisher_of_waiting(conn, topic, name)?;
    Ok(waiting.map(|publisher| Named { publisher, item: None }))
}

/// What a publication under a name revises or replaces; `None` if it is a new one.
pub(crate) fn find_to_revise(
    conn: &Connection,
    topic: &str,
    name: &str,
    by: PostedBy,
) -> Result<Option<Named>, Error> {
    find(conn, topic, name, by, by.changes_others)
}

/// What is changed under a name; `None` if there is nothing.
///
/// # Errors
/// `forbidden` if it is somebody else's.
pub(crate) fn find_to_change(
    conn: &Connection,
    topic: &str,
    name: &str,
    by: PostedBy,
) -> Result<Option<Named>, Error> {
    Named::for_change(find(conn, topic, name, by, true)?, by)
}
