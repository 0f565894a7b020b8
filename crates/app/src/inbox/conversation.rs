//! One conversation, and what is written in it.

use tidings_ipc::{ErrorCode, ThreadId};
use tidings_model::{Content, MsgId, wire};
use tidings_replica::{self as replica, Item, Source, SourceId};

use crate::context::Context;
use crate::error::{Error, Result};

/// The longest message, in bytes; the protocol's limit.
const MAX_MESSAGE_BYTES: usize = 256 << 10;

/// A conversation by its source and key.
#[derive(Clone)]
pub(super) struct Conversation {
    pub(super) source: SourceId,
    pub(super) key: String,
}

/// The conversation of a thread.
pub(super) async fn conversation_of(context: &Context, thread: ThreadId) -> Result<Conversation> {
    let row = context.disk(move |r| r.threads_by_id(&[thread])).await?.pop().ok_or(Error::NotFound)?;
    if tidings_model::view::is_conversation(&row.key) {
        Ok(Conversation { source: row.source, key: row.key })
    } else {
        Err(Error::NotFound)
    }
}

/// An item of a thread, with its source.
pub(super) async fn item_of(context: &Context, thread: ThreadId, msgid: &str) -> Result<(Item, Source)> {
    let name = MsgId(msgid.to_owned());
    let found = context.disk(move |r| {
        let Some(row) = r.threads_by_id(&[thread])?.pop() else { return Ok(None) };
        let item = r.items_by_msgid(Some(row.source), &[name])?.pop();
        Ok(item.zip(Some(r.source(row.source)?)))
    });
    found.await?.ok_or(Error::NotFound)
}

pub(super) fn invalid(why: &str) -> Error {
    Error::Replica(replica::Error::Invalid(why.to_owned()))
}

/// Checks that a server accepts the text: within the limit, and without NUL.
pub(super) fn text(text: String) -> Result<String> {
    if text.len() > MAX_MESSAGE_BYTES || text.contains('\0') {
        return Err(invalid("the text is longer than a server takes"));
    }
    Ok(text)
}

pub(super) fn message(body: String) -> wire::NewMessage {
    wire::NewMessage { content: Content { body, ..Content::default() }, ..wire::NewMessage::default() }
}

/// The error for recipients whom the server does not know.
pub(super) fn not_found(text: String) -> Error {
    Error::Localized { code: ErrorCode::NotFound, text }
}
