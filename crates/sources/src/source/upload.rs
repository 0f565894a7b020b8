//! Posts a message with its file: a form whose first part is the message, and whose second one is read while it is sent.

use std::io;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use reqwest::multipart::{Form, Part};
use reqwest::{RequestBuilder, Response};
use tidings_model::{Stamp, wire};
use tidings_net::{Error, Result, http};

/// A file to send with a message.
pub struct Upload {
    /// The name, without a folder.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// The content, in chunks that are read as they are sent.
    pub content: BoxStream<'static, io::Result<Bytes>>,
}

/// Sends a request with a message and its file. `now` resolves an HTTP date in `Retry-After`.
pub(crate) async fn send(
    request: RequestBuilder,
    message: &wire::NewMessage,
    file: Upload,
    now: Stamp,
) -> Result<Response> {
    let message = serde_json::to_vec(message).map_err(|_| Error::Refused(400))?;
    let (content, taken) = http::counted_body(file.content);
    let content = Part::stream_with_length(content, file.size).file_name(file.name);
    let form = Form::new()
        .part("message", typed(Part::bytes(message), "application/json")?)
        // The server determines the type from the content.
        .part("file", typed(content, "application/octet-stream")?);
    http::upload(request.multipart(form), &taken, now).await.map_err(|error| match error {
        // The room for files is used up; waiting a little does not help.
        Error::Unavailable { status: 507, .. } => Error::Refused(507),
        error => error,
    })
}

/// A part of a form with its media type.
fn typed(part: Part, media_type: &str) -> Result<Part> {
    part.mime_str(media_type).map_err(|error| Error::from_transport(&error))
}
