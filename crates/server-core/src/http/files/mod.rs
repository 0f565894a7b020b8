//! Receives the files of publications.

mod receive;
mod receive_error;

pub use self::receive::{IncomingFile, ReceivedFile, expiry};
pub use self::receive_error::ReceiveError;
