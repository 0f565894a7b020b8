//! The app's errors, and how each is worded for the page.

use tidings_ipc::{ErrorCode, IpcError};
use tidings_model::{Lang, text};
use tidings_strings::strings;

/// The longest sentence of an error, in bytes. It may quote what was typed.
const MAX_SENTENCE_BYTES: usize = 4 << 10;

/// A sentence that may quote text from elsewhere, as it is safe to show.
fn shown(sentence: &str) -> String {
    text::cut(&text::block(sentence), MAX_SENTENCE_BYTES).to_owned()
}

/// The reason why the app could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The replica could not be read or written.
    #[error(transparent)]
    Replica(#[from] tidings_replica::Error),
    /// The thread, item, button or undo does not exist any more.
    #[error("it is no longer here")]
    NotFound,
    /// The query cannot be parsed.
    #[error(transparent)]
    Query(#[from] tidings_query::QueryError),
    /// The address has a scheme other than web or mail.
    #[error("only web and mail addresses are opened")]
    Link,
    /// No program could be started for the address.
    #[error("no program opened it")]
    Opener,
    /// Blocking work was cancelled because the program is ending.
    #[error("the program is ending")]
    Ending,
    /// An error whose sentence is already in the page's language.
    #[error("{text}")]
    Localized {
        /// The category that the page decides by.
        code: ErrorCode,
        /// A sentence: what happened, what is safe, what to do.
        text: String,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
    /// No folder can be written, not even a temporary one.
    #[error("no folder can be written: {0}")]
    NoFolder(std::io::Error),
}

/// A result of the app.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The request was invalid; `text` is the sentence for the page.
    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::Localized { code: ErrorCode::Invalid, text: text.into() }
    }

    /// The disk failed; `text` is the sentence for the page.
    pub(crate) fn storage(text: impl Into<String>) -> Self {
        Self::Localized { code: ErrorCode::Storage, text: text.into() }
    }

    /// What is outside of the program was not asked; `text` is the sentence for the page.
    pub(crate) fn outside(text: impl Into<String>) -> Self {
        Self::Localized { code: ErrorCode::Outside, text: text.into() }
    }

    /// Whether a retry of the same request cannot succeed.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Replica(error) => error.is_permanent(),
            Self::NotFound | Self::Query(_) | Self::Link | Self::Ending => true,
            Self::Localized { code, .. } => *code == ErrorCode::Invalid,
            Self::Opener | Self::NoFolder(_) | Self::Write(_) => false,
        }
    }

    /// The error as the page gets it, worded in `lang`.
    pub fn to_ipc(&self, lang: Lang) -> IpcError {
        use tidings_replica::Error as Replica;
        let table = strings(lang);
        let (code, text) = match self {
            Self::Query(error) => {
                return IpcError { code: ErrorCode::Invalid, text: shown(&error.text(lang)) };
            }
            Self::Localized { code, text } => {
                return IpcError { code: *code, text: shown(text) };
            }
            Self::NotFound
            | Self::Replica(
                Replica::NoThread(_) | Replica::NoItem(_) | Replica::NoSource(_) | Replica::NoRule(_),
            ) => (ErrorCode::NotFound, table.error_not_found),
            Self::Replica(Replica::Invalid(_) | Replica::NameTaken(_) | Replica::OwnTaken) => {
                (ErrorCode::Invalid, table.error_invalid)
            }
            Self::Replica(error) if error.is_full() => (ErrorCode::Storage, table.notice_disk_full),
            Self::Replica(error) if error.is_disk_failure() => (ErrorCode::Storage, table.notice_disk_fails),
            Self::Replica(_) | Self::Ending | Self::NoFolder(_) | Self::Write(_) => {
                (ErrorCode::Storage, table.error_storage)
            }
            Self::Link => (ErrorCode::Invalid, table.error_link),
            Self::Opener => (ErrorCode::Outside, table.error_open),
        };
        IpcError { code, text: text.to_owned() }
    }
}
