//! What a server answered to a message of the outbox.

use tidings_model::MsgId;
use tidings_net::Error as NetError;
use tidings_replica::{Outgoing, Replica};

use crate::blocking::with_replica;
use crate::{Error, Result};

/// Stores the server's answer to a message.
///
/// # Errors
/// The error of a request that is to be sent again.
pub(super) async fn settle(replica: &Replica, message: String, answer: Result<MsgId>) -> Result<()> {
    // Only the status is stored; the app has the strings for it.
    let refusal = match answer {
        Ok(msgid) => return with_replica(replica, move |r| r.message_posted(&message, &msgid)).await,
        Err(Error::Net(NetError::Refused(status))) => status.to_string(),
        Err(Error::Net(NetError::Forbidden)) => "403".to_owned(),
        Err(Error::Net(NetError::Disk(error))) => {
            tracing::warn!(%error, "the file of a message can't be read");
            Outgoing::FILE_MISSING.to_owned()
        }
        Err(error) => return Err(error),
    };
    with_replica(replica, move |r| r.message_refused(&message, &refusal)).await
}
