//! The error of the server's files.

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Error(&'static str);

impl Error {
    pub(crate) fn unavailable(why: &'static str) -> Self {
        Self(why)
    }
}
