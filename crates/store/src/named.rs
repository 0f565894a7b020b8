//! What a name on a topic means for whom.

use tidings_model::{Code, MsgId, Stamp};

use crate::Error;
use crate::domain::posted_by::PostedBy;

/// What a publisher's name on a topic means.
///
/// Each publisher has names of its own, so that the same name may mean several publications. A name means, in this
/// order: the publisher's own publication with this sequence, with this msgid, and what waits to be published of its
/// own. Only if there is none of these, it means the newest publication with this sequence of anybody, the one with
/// this msgid, and what waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Whose it is, as it is stored.
    pub publisher: i64,
    /// The publication; `None` if it waits to be published.
    pub item: Option<(Stamp, MsgId)>,
}

/// Publications with one sequence, the newest of all publishers, of which the newest that was not deleted is looked for. If
/// that many publishers have deleted theirs, an earlier one is still found by its msgid, and by its publisher.
pub const NEWEST_NAMED: usize = 100;

impl Named {
    /// What was found, if it is to be changed by somebody; `None` if there is nothing.
    ///
    /// # Errors
    /// `forbidden` if it is somebody else's.
    pub fn for_change(found: Option<Self>, by: PostedBy) -> Result<Option<Self>, Error> {
        match found {
            Some(found) if !by.may_change(found.publisher) => Err(Error::refused(
                Code::Forbidden,
                "somebody else published this: it is changed by its publisher, or with a token that has the scope publish",
            )),
            found => Ok(found),
        }
    }
}
