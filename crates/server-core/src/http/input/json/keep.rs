//! What a door keeps of the JSON that it reads.

/// What is kept of a member of a body. The rest of it is within the same bounds, and is read and left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All of it.
    All,
    /// All of it, which goes into this field of a notification. Reading stops at more bytes than that may have as JSON.
    Within(&'static str, usize),
    /// So many elements of a list, nothing of an object, and the whole of any other value.
    Elements(usize),
    /// Nothing.
    Nothing,
}

impl Keep {
    /// What is kept of the element of a list at an index.
    pub(super) fn of_element(self, index: usize) -> Self {
        match self {
            Self::Elements(most) if index < most => Self::All,
            _ => self.of_member(),
        }
    }

    /// What is kept of each member of an object.
    pub(super) const fn of_member(self) -> Self {
        match self {
            Self::All | Self::Within(..) => Self::All,
            Self::Elements(_) | Self::Nothing => Self::Nothing,
        }
    }
}
