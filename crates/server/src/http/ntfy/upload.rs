//! The body of a publication: whether it is the message or a file, as ntfy decides it, and how a file is stored while it
//! comes. No more of a file is in memory than its beginning and what has just come.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::BytesMut;
use tidings_model::{Attachment, Problem, Stamp};
use tokio::time::timeout;

use super::error::{FILE_EXPIRES_TOO_EARLY, FILES_DISALLOWED, NOT_UTF8, NtfyError, bad_request};
use super::fields::{Field, Fields};
use crate::domain::account::UserKey;
use crate::domain::draft::check_name;
use crate::domain::file::UploadedFile;
use crate::domain::limits;
use crate::files::{Admission, Media, Upload};
use crate::http::AppState;
use crate::http::input::{bytes, content_length, next_part, too_slow};
use crate::http::limits::budgets::{Principal, RequestReservations, SMALL_BODY_BYTES};
use crate::http::public_url::public_url;

/// Bytes by which the type of a file is found.
const SNIFF_BYTES: usize = 8 * 1024;

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
    /// The message; in base64 where it is none in itself and is meant for a program.
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

/// A file that is stored, as soon as its publication is.
pub(super) struct ReceivedFile {
    pub(super) upload: Upload,
    pub(super) attachment: Attachment,
    pub(super) file: UploadedFile,
}

impl PartialBody {
    fn new(body: Body) -> Self {
        Self { start: BytesMut::new(), rest: body, is_whole: false, reserved: 0 }
    }

    /// The text that it is; `None` where it is none, or longer than what was read.
    fn as_text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.start).ok().filter(|_| self.is_whole);
        text.filter(|text| !text.contains('\0'))
    }

    /// Reads more than `max_bytes` bytes, or to the end.
    async fn fill(&mut self, incoming: &Incoming<'_>, max_bytes: usize) -> Result<(), Problem> {
        let Incoming { app, parts, .. } = incoming;
        let expected = content_length(&parts.headers).unwrap_or(max_bytes).min(max_bytes);
        while !self.is_whole && self.start.len() <= max_bytes {
            let Some(part) = next_part(app, &mut self.rest).await? else {
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

impl Incoming<'_> {
    fn principal(&self) -> Principal {
        self.user.map_or(Principal::Anonymous, Principal::User)
    }

    /// Reads as much of the body as tells what it is.
    pub(super) async fn content(&self, body: Body) -> Result<BodyContent, NtfyError> {
        if self.fields.flag(Field::UnifiedPush) == Some(true) {
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

    async fn text_bytes(&self, body: Body) -> Result<Bytes, Problem> {
        bytes(self.app, self.parts, self.principal(), body, limits::TEXT_BYTES).await
    }

    /// When a file that comes now is deleted: never later than its notification.
    fn expiry(&self) -> Stamp {
        let config = &self.app.server.config;
        let keep = config.retain.map_or(config.files.keep, |retain| retain.min(config.files.keep));
        self.app.now().plus_secs(i64::try_from(keep.as_secs()).unwrap_or(i64::MAX / 1_000_000))
    }

    /// Stores a file of a publication that is due at a time, or now.
    pub(super) async fn receive(
        &self,
        mut body: PartialBody,
        due: Option<Stamp>,
    ) -> Result<ReceivedFile, NtfyError> {
        let config = &self.app.server.config;
        if config.files.file_bytes == 0 {
            return Err(FILES_DISALLOWED);
        }
        let expires_at = self.expiry();
        if due.is_some_and(|due| due > expires_at) {
            return Err(FILE_EXPIRES_TOO_EARLY);
        }
        let name = self.fields.get(Field::Filename).map(|name| clean_name(&name)).unwrap_or_default();
        check_name("filename", &name)?;
        let admission = self.admit(expected_bytes(&self.parts.headers, &body)).await?;
        let (media, upload) = timeout(config.upload_timeout, self.write(&mut body, admission, &name))
            .await
            .map_err(|_| bad_request("the file came too slowly"))??;
        let name = if name.is_empty() { format!("attachment.{}", media.extension) } else { name };
        let attachment = Attachment {
            name: name.clone(),
            url: format!("{}/file/{}", public_url(self.app, self.parts), upload.public_name()),
            media: Some(media.media_type.to_owned()),
            size: Some(upload.bytes()),
            expires: Some(expires_at.as_secs()),
        };
        let file = UploadedFile {
            name: upload.stored_name().to_owned(),
            file_name: name,
            media_type: media.media_type.to_owned(),
            bytes: upload.bytes(),
            uploader: self.user,
            expires_at,
            quota: config.files.quota(),
        };
        Ok(ReceivedFile { upload, attachment, file })
    }

    /// A place for an upload of this many bytes or more. A file that is too large is refused before it is read.
    async fn admit(&self, bytes: u64) -> Result<Admission, NtfyError> {
        let usage = self.app.store().file_usage(self.user).await?;
        Ok(Arc::clone(&self.app.server.files).admit(
            &self.app.server.config.files,
            self.user,
            usage,
            bytes,
        )?)
    }

    /// Writes the whole body to a new file.
    async fn write(
        &self,
        body: &mut PartialBody,
        admission: Admission,
        name: &str,
    ) -> Result<(Media, Upload), NtfyError> {
        body.fill(self, SNIFF_BYTES).await?;
        let media = Media::of(body.start.get(..SNIFF_BYTES).unwrap_or(&body.start), name);
        let expected = expected_bytes(&self.parts.headers, body);
        let mut upload = Upload::create(admission, media.extension, expected).await?;
        upload.write(&std::mem::take(&mut body.start)).await?;
        while !body.is_whole {
            match next_part(self.app, &mut body.rest).await? {
                Some(part) => upload.write(&part).await?,
                None => body.is_whole = true,
            }
        }
        upload.finish().await?;
        Ok((media, upload))
    }
}

/// The bytes of a body, as far as they are known.
fn expected_bytes(headers: &HeaderMap, body: &PartialBody) -> u64 {
    content_length(headers).unwrap_or(0).max(body.start.len()) as u64
}

/// A message for a program that reads bytes (`UnifiedPush`): text as it is, anything else in base64.
fn for_program(bytes: &[u8]) -> BodyContent {
    match std::str::from_utf8(bytes) {
        Ok(text) => BodyContent::Message { text: text.to_owned(), is_base64: false },
        Err(_) => BodyContent::Message { text: STANDARD.encode(bytes), is_base64: true },
    }
}

/// The last segment of a file's name, without control characters.
fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).collect();
    let clean = clean.trim();
    if matches!(clean, "." | "..") { String::new() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_has_no_folders_and_no_control_characters() {
        for (name, clean) in [
            ("flower.jpg", "flower.jpg"),
            ("a/b\\c d.txt", "c d.txt"),
            ("../..", ""),
            ("\u{7}bell\n", "bell"),
            ("\u{82b1}.jpg", "\u{82b1}.jpg"),
        ] {
            assert_eq!(clean_name(name), clean, "{name:?}");
        }
    }

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
