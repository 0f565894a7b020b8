//! The body of a publication: whether it is the message or a file, as ntfy decides it.

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::BytesMut;
use tidings_model::{Problem, Stamp};
use tidings_server_core::budgets::{Principal, RequestReservations, SMALL_BODY_BYTES};
use tidings_server_core::domain::limits;
use tidings_server_core::http::files::{IncomingFile, ReceivedFile, expiry};
use tidings_server_core::http::input::{ByteSource, bytes, content_length, too_slow};
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tokio::time::timeout;

use super::error::{FILE_EXPIRES_TOO_EARLY, FILES_DISALLOWED, NOT_UTF8, NtfyError};
use super::fields::{Field, Fields};

/// A request of which the body was not read, or only in part.
pub(super) struct Incoming<'a> {
    pub(super) app: &'a AppState,
    pub(super) parts: &'a Parts,
    pub(super) fields: &'a Fields<'a>,
    /// The user of its token.
    pub(super) user: Option<UserKey>,
}

/// What the body of a publication is.
pub(super) enum BodyContent {
    /// The message; in base64 if it is none in itself and is meant for a program.
    Message { text: String, is_base64: bool },
    /// A file.
    File(PartialBody),
}

/// A body of which the beginning was read.
pub(super) struct PartialBody {
    start: BytesMut,
    rest: Body,
    /// Whether `start` is all of it.
    is_whole: bool,
    /// Bytes of the budget that are reserved for `start`.
    reserved: usize,
}

impl PartialBody {
    pub(super) fn new(body: Body) -> Self {
        Self { start: BytesMut::new(), rest: body, is_whole: false, reserved: 0 }
    }

    /// A body that was read elsewhere.
    pub(super) fn whole(bytes: &[u8]) -> Self {
        Self { start: bytes.into(), is_whole: true, ..Self::new(Body::empty()) }
    }

    /// The bytes that it has at least, if the head of the request says how many there are.
    fn least_bytes(&self, headers: &HeaderMap) -> u64 {
        let read = self.start.len();
        (if self.is_whole { read } else { content_length(headers).unwrap_or(0).max(read) }) as u64
    }

    /// The text that it is; `None` if it is none, or longer than what was read.
    fn as_text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.start).ok().filter(|_| self.is_whole);
        text.filter(|text| !text.contains('\0'))
    }

    /// Reads more than `max_bytes` bytes, or to the end.
    async fn fill(&mut self, incoming: &Incoming<'_>, max_bytes: usize) -> Result<(), Problem> {
        let Incoming { app, parts, .. } = incoming;
        let expected = content_length(&parts.headers).unwrap_or(max_bytes).min(max_bytes);
        while !self.is_whole && self.start.len() <= max_bytes {
            let Some(part) = self.rest.next_bytes(app).await? else {
                self.is_whole = true;
                return Ok(());
            };
            let size = self.start.len().saturating_add(part.len());
            if size > self.reserved {
                // A small beginning does not wait for the large ones of others.
                let step = if size > SMALL_BODY_BYTES { expected } else { expected.min(SMALL_BODY_BYTES) };
                self.reserved = step.max(size);
                let room = app.load_limits.reserve_body(incoming.principal(), self.reserved).await?;
                RequestReservations::add(&parts.extensions, room);
            }
            self.start.extend_from_slice(&part);
        }
        Ok(())
    }
}

/// The bytes of a body of which the beginning was read, from that beginning on.
impl ByteSource for PartialBody {
    async fn next_bytes(&mut self, app: &AppState) -> Result<Option<Bytes>, Problem> {
        if !self.start.is_empty() {
            return Ok(Some(std::mem::take(&mut self.start).freeze()));
        }
        if self.is_whole { Ok(None) } else { self.rest.next_bytes(app).await }
    }
}

impl Incoming<'_> {
    fn principal(&self) -> Principal {
        self.user.map_or(Principal::Anonymous, Principal::User)
    }

    /// Reads as much of the body as is needed to know its type.
    pub(super) async fn content(&self, body: Body) -> Result<BodyContent, NtfyError> {
        if self.fields.is_for_program() {
            return Ok(for_program(&self.text_bytes(body).await?));
        }
        if self.fields.get(Field::Attach).is_some() {
            let text = String::from_utf8(self.text_bytes(body).await?.to_vec()).map_err(|_| NOT_UTF8)?;
            return Ok(BodyContent::Message { text, is_base64: false });
        }
        let mut body = PartialBody::new(body);
        let is_long = content_length(&self.parts.headers).is_some_and(|bytes| bytes > limits::TEXT_BYTES);
        if is_long || self.fields.get(Field::Filename).is_some() {
            return Ok(BodyContent::File(body));
        }
        let filled = timeout(self.app.server.config.body_timeout, body.fill(self, limits::TEXT_BYTES));
        filled.await.map_err(|_| too_slow())??;
        Ok(match body.as_text().map(str::to_owned) {
            Some(text) => BodyContent::Message { text, is_base64: false },
            None => BodyContent::File(body),
        })
    }

    /// Reads the body as the JSON that templates are filled in from.
    ///
    /// # Errors
    /// `too_large` for more than [`limits::TEMPLATE_SOURCE_BYTES`].
    pub(super) async fn template_source(&self, body: Body) -> Result<Bytes, Problem> {
        bytes(self.app, self.parts, self.principal(), body, limits::TEMPLATE_SOURCE_BYTES).await
    }

    async fn text_bytes(&self, body: Body) -> Result<Bytes, Problem> {
        bytes(self.app, self.parts, self.principal(), body, limits::TEXT_BYTES).await
    }

    /// Stores a file of a publication that is due at a time, or now. Its name is empty if it has none.
    pub(super) async fn receive(
        &self,
        body: PartialBody,
        name: &str,
        due: Option<Stamp>,
    ) -> Result<ReceivedFile, NtfyError> {
        if self.app.server.config.files.file_bytes == 0 {
            return Err(FILES_DISALLOWED);
        }
        if due.is_some_and(|due| due > expiry(self.app)) {
            return Err(FILE_EXPIRES_TOO_EARLY);
        }
        let file = IncomingFile {
            app: self.app,
            parts: self.parts,
            uploader: self.user,
            name,
            least_bytes: body.least_bytes(&self.parts.headers),
        };
        Ok(file.receive(body).await?)
    }
}

/// A message for a program that reads bytes (`UnifiedPush`): text as it is, anything else in base64.
fn for_program(bytes: &[u8]) -> BodyContent {
    match std::str::from_utf8(bytes) {
        Ok(text) => BodyContent::Message { text: text.to_owned(), is_base64: false },
        Err(_) => BodyContent::Message { text: STANDARD.encode(bytes), is_base64: true },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_for_a_program_are_text_or_base64() {
        let read = |bytes: &[u8]| match for_program(bytes) {
            BodyContent::Message { text, is_base64 } => (text, is_base64),
            BodyContent::File(_) => panic!("it is a message"),
        };
        assert_eq!(read(b"text"), ("text".to_owned(), false));
        assert_eq!(read(b"\xff\x00"), ("/wA=".to_owned(), true));
    }
}
