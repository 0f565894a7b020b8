//! Stores a file of a publication while it comes. No more of it is in memory than its beginning and what has just come.
//!
//! Everything else for which a publication may be refused is looked at before its file is read.

use std::sync::Arc;

use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use tidings_model::{Attachment, Problem, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::check_name;
use tidings_store::domain::file::UploadedFile;
use tokio::time::timeout;

use super::receive_error::ReceiveError;
use crate::files::{Admission, Media, Upload};
use crate::http::input::ByteSource;
use crate::http::public_url::public_url;
use crate::state::AppState;

/// Bytes by which the type of a file is found.
const SNIFF_BYTES: usize = 8 * 1024;

/// A file that comes with a publication.
pub struct IncomingFile<'a> {
    /// The state of the handlers.
    pub app: &'a AppState,
    /// The head of the request.
    pub parts: &'a Parts,
    /// The user of the request's token, whose room it takes; `None` for a program without a token.
    pub uploader: Option<UserKey>,
    /// Its name as the publisher gave it; empty if it has none.
    pub name: &'a str,
    /// The bytes that it has at least, as far as the head of the request says.
    pub least_bytes: u64,
}

/// A file that is stored, as soon as its publication is.
pub struct ReceivedFile {
    /// The file on the disk, which is kept once its publication is stored.
    pub upload: Upload,
    /// The attachment of the notification.
    pub attachment: Attachment,
    /// The record of the file.
    pub file: UploadedFile,
}

/// When a file that comes now is deleted: never later than its notification.
pub fn expiry(app: &AppState) -> Stamp {
    let config = &app.server.config;
    let keep = config.retain.map_or(config.files.keep, |retain| retain.min(config.files.keep));
    app.now().plus_secs(i64::try_from(keep.as_secs()).unwrap_or(i64::MAX / 1_000_000))
}

impl IncomingFile<'_> {
    /// Stores the file, within the limits of its uploader and in the configured time. A file that says that it is too
    /// large is refused before it is read.
    ///
    /// # Errors
    /// [`ReceiveError::Request`] if its name is too long, or if it is slow or incomplete; [`ReceiveError::Upload`]
    /// if there is no room for it.
    pub async fn receive(self, source: impl ByteSource) -> Result<ReceivedFile, ReceiveError> {
        let Self { app, parts, uploader, .. } = self;
        let config = &app.server.config;
        let expires_at = expiry(app);
        let name = clean_name(self.name);
        check_name("filename", &name)?;
        let admission = self.admit().await?;
        let (media, upload) = timeout(config.upload_timeout, self.write(source, admission, &name))
            .await
            .map_err(|_| Problem::invalid("file", "the file came too slowly"))??;
        let name = if name.is_empty() { format!("attachment.{}", media.extension) } else { name };
        let attachment = Attachment {
            name: name.clone(),
            url: format!("{}/file/{}", public_url(app, parts), upload.public_name()),
            media: Some(media.media_type.to_owned()),
            size: Some(upload.bytes()),
            expires: Some(expires_at.as_secs()),
        };
        let file = UploadedFile {
            name: upload.stored_name().to_owned(),
            file_name: name,
            media_type: media.media_type.to_owned(),
            bytes: upload.bytes(),
            uploader,
            expires_at,
            quota: config.files.quota(),
        };
        Ok(ReceivedFile { upload, attachment, file })
    }

    /// A place for the upload.
    async fn admit(&self) -> Result<Admission, ReceiveError> {
        let usage = self.app.store().file_usage(self.uploader).await?;
        let files = Arc::clone(&self.app.server.files);
        Ok(files.admit(&self.app.server.config.files, self.uploader, usage, self.least_bytes)?)
    }

    /// Writes all of it to a new file.
    async fn write(
        &self,
        mut source: impl ByteSource,
        admission: Admission,
        name: &str,
    ) -> Result<(Media, Upload), ReceiveError> {
        let start = self.read_start(&mut source).await?;
        let media = Media::of(start.get(..SNIFF_BYTES).unwrap_or(&start), name);
        let least_bytes = self.least_bytes.max(start.len() as u64);
        let mut upload = Upload::create(admission, media.extension, least_bytes).await?;
        upload.write(&start).await?;
        drop(start);
        while let Some(piece) = source.next_bytes(self.app).await? {
            upload.write(&piece).await?;
        }
        upload.finish().await?;
        Ok((media, upload))
    }

    /// Reads as much as is needed to know its type.
    async fn read_start(&self, source: &mut impl ByteSource) -> Result<Bytes, Problem> {
        let mut start = BytesMut::new();
        while start.len() < SNIFF_BYTES
            && let Some(piece) = source.next_bytes(self.app).await?
        {
            start.extend_from_slice(&piece);
        }
        Ok(start.freeze())
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
}
