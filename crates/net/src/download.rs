//! Downloads of attachments and pictures: complete or not at all, within the [`egress`] policy and a size limit. The
//! source's token is sent only to its own origin.
//!
//! What came with an item is fetched only on request, up to 256 MiB.

use std::path::{Path, PathBuf};

use reqwest::header::CONTENT_LENGTH;
use reqwest::{Response, StatusCode};
use tidings_model::web_url::is_web;
use tokio::io::AsyncWriteExt;
use url::Url;

use crate::http::{self, STALL_TIMEOUT};
use crate::{Error, Result, egress};

/// The parameters of a download.
#[derive(Clone)]
pub struct Download {
    /// The address of the file.
    pub url: Url,
    /// The address of the source that named the file, for the egress policy.
    pub home: Option<Url>,
    /// The source's token; sent only to the origin of `home`.
    pub token: Option<String>,
    /// The most bytes that are accepted.
    pub max_bytes: u64,
}

impl std::fmt::Debug for Download {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Download").field("max_bytes", &self.max_bytes).finish_non_exhaustive()
    }
}

/// Downloads to `to`, and returns the size in bytes. `progress` is called with the bytes so far and the total, if it
/// is known. Dropping the future leaves no file behind.
///
/// ```no_run
/// # async fn save(url: url::Url, to: &std::path::Path) -> tidings_net::Result<()> {
/// use tidings_net::download::{Download, fetch};
///
/// let download = Download { url, home: None, token: None, max_bytes: 1 << 20 };
/// fetch(&download, to, |bytes, of| println!("{bytes} of {of:?}")).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::TooLarge`] beyond `max_bytes`, [`Error::Private`] if the egress policy forbids the address,
/// [`Error::Disk`] if the file can't be written, else the error of the request.
pub async fn fetch(
    download: &Download,
    to: &Path,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<u64> {
    let mut answer = request_file(download).await?;
    let total = length(&answer);
    if total.is_some_and(|total| total > download.max_bytes) {
        return Err(Error::TooLarge(download.max_bytes));
    }
    let part = PartFile(part_path(to));
    let mut file = tokio::fs::File::create(&part.0).await.map_err(Error::Disk)?;
    let mut received = 0_u64;
    progress(0, total);
    while let Some(chunk) = next(&mut answer).await? {
        received += chunk.len() as u64;
        if received > download.max_bytes {
            return Err(Error::TooLarge(download.max_bytes));
        }
        file.write_all(&chunk).await.map_err(Error::Disk)?;
        progress(received, total);
    }
    file.sync_all().await.map_err(Error::Disk)?;
    drop(file);
    tokio::fs::rename(&part.0, to).await.map_err(Error::Disk)?;
    Ok(received)
}

/// An unfinished file; removed when dropped.
struct PartFile(PathBuf);

impl Drop for PartFile {
    fn drop(&mut self) {
        // A finished file was renamed, so nothing is removed.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn part_path(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Requests the file.
async fn request_file(download: &Download) -> Result<Response> {
    let url = &download.url;
    if !is_web(url) {
        return Err(Error::RedirectRefused);
    }
    let mut request = egress::client(url, download.home.as_ref()).await?.get(url.clone());
    if let (Some(home), Some(token)) = (&download.home, &download.token)
        && home.origin() == url.origin()
    {
        request = request.bearer_auth(token);
    }
    let answer = http::ask(request).await?;
    match answer.status() {
        status if status.is_success() => Ok(answer),
        StatusCode::GONE => Err(Error::Refused(410)),
        status => Err(Error::from_answer(status, None)),
    }
}

fn length(answer: &Response) -> Option<u64> {
    answer.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn next(answer: &mut Response) -> Result<Option<bytes::Bytes>> {
    let chunk = tokio::time::timeout(STALL_TIMEOUT, answer.chunk()).await.map_err(|_| Error::Slow)?;
    chunk.map_err(|error| if error.is_timeout() { Error::Slow } else { Error::Unreachable })
}
