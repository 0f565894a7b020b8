//! What publishers change in what they published.

use tidings_model::{Kind, Stamp};

/// The last change of a notification after it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// It got new content.
    Content = 1,
    /// It was marked as read for everyone.
    Clear = 2,
    /// It was deleted for everyone.
    Delete = 3,
    /// Its question was answered, or expired.
    Close = 4,
}

impl Revision {
    /// The revision with this number in a database row; 0 stands for none. The numbers never change.
    pub fn from_row(row: i64) -> Option<Self> {
        match row {
            1 => Some(Self::Content),
            2 => Some(Self::Clear),
            3 => Some(Self::Delete),
            4 => Some(Self::Close),
            _ => None,
        }
    }
}

/// The changes of a publication: new content is remembered apart from the changes after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Revisions {
    /// The stamp of the last new content.
    pub content_at: Option<Stamp>,
    /// What was done last of all.
    pub last: Option<Revision>,
    /// Whether its question is answered or expired.
    pub is_closed: bool,
}

impl Revisions {
    /// Whether it was marked as read for everyone, after its last new content.
    pub fn is_cleared(self) -> bool {
        self.last == Some(Revision::Clear)
    }

    /// Whether it was deleted for everyone.
    pub fn is_deleted(self) -> bool {
        self.last == Some(Revision::Delete)
    }

    /// `revised_at` and `edited_at` of an item with the last content.
    pub fn of_item(self, kind: Kind) -> (Option<Stamp>, Option<Stamp>) {
        if kind == Kind::Message { (None, self.content_at) } else { (self.content_at, None) }
    }
}
