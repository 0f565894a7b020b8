//! Attachments of items: downloaded on request, previewed, and saved to a file of the reader's choice. None is ever
//! executed, and a source's token is sent to that source's server alone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidings_home::user_file::Access;
use tidings_ipc::{ErrorCode, FileResult, FileState, Preview, ThreadId};
use tidings_model::Attachment;
use tidings_net::Error as NetError;
use tidings_net::download::{Download, fetch};
use tidings_net::hosts::is_loopback;
use tidings_render::item::offers_image;
use tidings_render::link::web_url;
use tidings_render::preview;
use tidings_replica::Source;
use tidings_strings::settings::{SettingsStrings, bytes};
use tidings_sync::Tokens as _;
use url::Url;

use super::conversation::item_of;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::events::FileKey;
use crate::saved_files::SavedFiles;
use crate::sources::tokens::Tokens;
use crate::state::downloads::Downloads;
use crate::state::fetches::Fetches;

/// The most attachments, and the most images, that are downloaded at once.
const MAX_FETCHES: usize = 4;
/// The largest file that is downloaded, in bytes.
const MAX_DOWNLOAD_BYTES: u64 = 256 << 20;
/// The longest msgid whose attachment can be stored, in bytes.
const MAX_MSGID_BYTES: usize = 100;

/// An attachment of an item, with its address and the path of its local copy.
struct RemoteFile {
    source: Source,
    attachment: Attachment,
    url: Url,
    host: String,
    path: PathBuf,
}

part! {
    /// The attachments of items, and those that are downloaded now.
    pub(crate) struct Attachments {
        context: Arc<Context>,
        saved_files: Arc<SavedFiles>,
        tokens: Arc<Tokens>;
        downloads: Downloads = Downloads::default(),
        file_turns: Fetches = Fetches::at_once(MAX_FETCHES),
        image_turns: Fetches = Fetches::at_once(MAX_FETCHES),
    }
}

impl Attachments {
    /// Starts to download a file, or returns the state of a file that is here or on its way.
    pub(crate) async fn fetch_file(self: &Arc<Self>, thread: ThreadId, msgid: String) -> Result<FileState> {
        let file = self.locate(thread, &msgid).await?;
        if let Some(size) = size_of(&file.path) {
            return Ok(FileState::Here { size });
        }
        let (key, total) = ((thread, msgid), file.attachment.size);
        let download = Arc::clone(self).run_download(key.clone(), file);
        let spawn = || tidings_net::supervise::once("fetching a file", download).abort_handle();
        Ok(self.downloads.start(key, total, spawn))
    }

    /// Cancels a download.
    pub(crate) fn cancel_file(&self, thread: ThreadId, msgid: String) {
        self.downloads.cancel(&(thread, msgid));
    }

    /// Whether nothing is downloaded now.
    #[cfg(test)]
    pub(crate) fn is_idle(&self) -> bool {
        self.downloads.is_empty()
    }

    /// A preview of a downloaded file.
    pub(crate) async fn preview_file(&self, thread: ThreadId, msgid: String) -> Result<Preview> {
        let file = self.locate(thread, &msgid).await?;
        let result = tokio::task::spawn_blocking(move || preview::preview(&file.path)).await;
        result
            .map_err(|_| Error::Ending)?
            .map_err(|_| Error::invalid(self.context.settings_strings().file_not_downloaded))
    }

    /// Copies a downloaded file to a path that the reader chooses; `None` if the dialog was cancelled.
    pub(crate) async fn save_file(&self, thread: ThreadId, msgid: String) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        let file = self.locate(thread, &msgid).await?;
        if size_of(&file.path).is_none() {
            return Err(Error::invalid(table.file_not_downloaded));
        }
        let name = preview::safe_name(&file.attachment.name);
        let Some(to) = self.context.ports.files.save_dialog(table.title_save, &name).await else {
            return Ok(None);
        };
        let from = file.path;
        self.saved_files
            .write_file(&to, Access::Default, move |temp| {
                // The content alone; the mode of the copy in the data folder is private.
                std::io::copy(&mut std::fs::File::open(from)?, temp)?;
                Ok(())
            })
            .await?;
        Ok(Some(FileResult { path: to.display().to_string(), text: table.file_saved.to_owned() }))
    }

    /// A remote image in an item of a thread, downloaded because the reader asked for it. The page cannot load images
    /// itself: here the address is checked, redirects stay on one origin, and bytes and pixels have a limit.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the body of the item has no image at this address, so that the page can't choose whom the
    /// program asks.
    pub(crate) async fn show_image(&self, thread: ThreadId, msgid: &str, address: &str) -> Result<Preview> {
        let (url, host) = web_url(address).ok_or(Error::Link)?;
        let (item, source) = item_of(&self.context, thread, msgid).await?;
        let wanted = url.clone();
        let is_offered = move || offers_image(&item.notification, &wanted);
        if !tokio::task::spawn_blocking(is_offered).await.map_err(|_| Error::Ending)? {
            return Err(Error::NotFound);
        }
        let _turn = self.image_turns.turn().await;
        let request =
            Download { url, home: source.url.parse().ok(), token: None, max_bytes: preview::MAX_IMAGE_BYTES };
        let staging = tempfile::tempdir()?;
        let file = staging.path().join("image");
        match fetch(&request, &file, |_, _| {}).await {
            Ok(_) => {
                let result = tokio::task::spawn_blocking(move || preview::preview(&file)).await;
                Ok(result.map_err(|_| Error::Ending)??)
            }
            Err(error) => Err(Error::Localized {
                code: ErrorCode::Outside,
                text: download_error_text(&self.context, &error, &host),
            }),
        }
    }

    async fn locate(&self, thread: ThreadId, msgid: &str) -> Result<RemoteFile> {
        let (item, source) = item_of(&self.context, thread, msgid).await?;
        let attachment = item.notification.content.attachment.ok_or(Error::NotFound)?;
        let (url, host) = address(&source, &attachment.url).ok_or(Error::Link)?;
        let path =
            self.context.data.home().attachments().join(source.id.to_string()).join(file_name(msgid, &url)?);
        Ok(RemoteFile { source, attachment, url, host, path })
    }

    async fn run_download(self: Arc<Self>, key: FileKey, file: RemoteFile) {
        let result = self.download(&key, &file).await;
        if !self.downloads.finish(&key) {
            // It was cancelled after the download had ended.
            return;
        }
        let file = match result {
            Ok(size) => FileState::Here { size },
            Err(error) => {
                tracing::info!(%error, "a file could not be fetched");
                FileState::Failed { why: download_error_text(&self.context, &error, &file.host) }
            }
        };
        self.context.events.update(|dirty| drop(dirty.files.insert(key, file)));
    }

    async fn download(&self, key: &FileKey, file: &RemoteFile) -> Result<u64, NetError> {
        let _turn = self.file_turns.turn().await;
        if let Some(folder) = file.path.parent() {
            tokio::fs::create_dir_all(folder).await.map_err(NetError::Disk)?;
        }
        let home = file.source.url.parse::<Url>().ok();
        // Other services take their tokens in other forms, and offer files without.
        let is_own = home.as_ref().is_some_and(|home| home.origin() == file.url.origin());
        let token = if is_own && file.source.protocol == "tidings" {
            let (tokens, row) = (self.tokens.stored(), file.source.clone());
            tokio::task::spawn_blocking(move || tokens.token(&row)).await.ok().and_then(Result::ok)
        } else {
            None
        };
        let request = Download { url: file.url.clone(), home, token, max_bytes: MAX_DOWNLOAD_BYTES };
        fetch(&request, &file.path, |done, total| {
            if let Some(file) = self.downloads.progress(key, done, total) {
                self.context.events.update(|dirty| drop(dirty.files.insert(key.clone(), file)));
            }
        })
        .await
    }
}

/// A sentence: why a file could not be downloaded from a host.
pub(super) fn download_error_text(context: &Context, error: &NetError, host: &str) -> String {
    let table: &SettingsStrings = context.settings_strings();
    match error {
        NetError::Refused(404 | 410) | NetError::Resync => (table.file_gone)(host),
        NetError::SignIn => (table.refused)(host, 401),
        NetError::Forbidden => (table.refused)(host, 403),
        NetError::Refused(status) => (table.refused)(host, *status),
        NetError::Unavailable { status, .. } => (table.unavailable)(host, *status),
        NetError::Offline => (table.offline)(host),
        NetError::NameNotFound => (table.name_not_found)(host),
        NetError::Slow => (table.slow)(host),
        NetError::Certificate(fault) => table.certificate(*fault, host),
        NetError::Setup(_) => table.no_tls.to_owned(),
        NetError::TooLarge(limit) => (table.file_large)(&bytes(*limit)),
        NetError::Private => (tidings_strings::strings(context.lang()).private_host)(host),
        NetError::RedirectRefused | NetError::Address(_) => table.file_redirected.to_owned(),
        NetError::Disk(error) => (table.file_disk)(&error.to_string()),
        _ => (table.unreachable)(host),
    }
}

/// The address of an attachment, with its host. An uploaded file whose address names the machine of the server itself
/// is requested at the address of its source. The own server may have moved to another port since, and on another
/// device such an address leads nowhere.
pub(super) fn address(source: &Source, address: &str) -> Option<(Url, String)> {
    let (url, host) = web_url(address)?;
    let is_uploaded = source.protocol == "tidings" && is_loopback(&url) && is_uploaded_path(url.path());
    match web_url(&source.url) {
        Some((mut home, host)) if is_uploaded => {
            home.set_path(url.path());
            home.set_query(None);
            Some((home, host))
        }
        _ => Some((url, host)),
    }
}

/// Whether a path is one under which servers offer uploaded files: `/file/`, 128 bits in base64url, and an extension.
fn is_uploaded_path(path: &str) -> bool {
    let name = path.strip_prefix("/file/").and_then(|name| name.split_once('.'));
    let is_secret = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    name.is_some_and(|(secret, extension)| {
        secret.len() == 22 && is_secret(secret) && extension.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// The name of the local file: the msgid in hex, and a hash of the address, since a revised item may have another one.
fn file_name(msgid: &str, url: &Url) -> Result<String> {
    use std::fmt::Write as _;
    if msgid.len() > MAX_MSGID_BYTES {
        return Err(Error::NotFound);
    }
    let mut name = String::new();
    for byte in msgid.bytes() {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    let mut hasher = DefaultHasher::new();
    url.as_str().hash(&mut hasher);
    let _ = write!(name, "-{:016x}", hasher.finish());
    Ok(name)
}

fn size_of(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
}
