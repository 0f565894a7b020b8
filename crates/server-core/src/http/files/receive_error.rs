//! Why a file is not received.

use tidings_model::{Code, Problem};
use tidings_store::Error;

use crate::files::UploadError;
use crate::http::response::error::ApiError;

/// The reason why a file is not received.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// There is no room for it, or it can't be written.
    #[error(transparent)]
    Upload(#[from] UploadError),
    /// The request is slow, incomplete or invalid.
    #[error(transparent)]
    Request(#[from] Problem),
    /// The store can't say what its uploader has.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<ReceiveError> for ApiError {
    fn from(e: ReceiveError) -> Self {
        match e {
            ReceiveError::Request(problem) => problem.into(),
            ReceiveError::Store(e) => e.into(),
            ReceiveError::Upload(UploadError::TooLarge) => {
                Self::new(Code::TooLarge, "the file is too large, or the room for files is used up")
            }
            ReceiveError::Upload(UploadError::Busy) => Self::new(
                Code::RateLimited,
                "too many files are being uploaded; try again when one of them is done",
            ),
            ReceiveError::Upload(UploadError::NoRoom) => {
                Self::new(Code::Unavailable, "the server's disk has no room for files; nothing was stored")
            }
            ReceiveError::Upload(UploadError::Io(e)) => {
                tracing::error!(error = %e, "an uploaded file can't be stored");
                Self::new(Code::Unavailable, "the server cannot do this now; try again later")
            }
        }
    }
}
