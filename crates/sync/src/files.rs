//! A file that came with an item: fetched whole or not at all. Only from http(s) addresses that its source may name
//! ([`reach`]), along redirects of one origin, up to a number of bytes, and with a token for the source's origin alone.

use std::path::{Path, PathBuf};

use reqwest::header::CONTENT_LENGTH;
use reqwest::{Response, StatusCode};
use tokio::io::AsyncWriteExt;
use url::Url;

use crate::http::{self, STALL};
use crate::{Error, Result, reach};

/// What is to be fetched.
#[derive(Clone)]
pub struct Wanted {
    /// Where it is.
    pub url: Url,
    /// The source that it came from. Addresses of this machine and its networks are asked only where it is itself.
    pub home: Option<Url>,
    /// The source's token, which goes to its own origin alone.
    pub token: Option<String>,
    /// More bytes than this are not taken.
    pub most: u64,
}

impl std::fmt::Debug for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wanted").field("most", &self.most).finish_non_exhaustive()
    }
}

/// Fetches a file to a place where none is, and gives its size; `tell` hears `(bytes here, bytes in all)`. Dropping the
/// future leaves nothing behind.
pub async fn fetch(wanted: &Wanted, to: &Path, mut tell: impl FnMut(u64, Option<u64>)) -> Result<u64> {
    let mut answer = ask(wanted).await?;
    let all = length(&answer);
    if all.is_some_and(|all| all > wanted.most) {
        return Err(Error::TooLarge(wanted.most));
    }
    let part = Part(part_of(to));
    let mut file = tokio::fs::File::create(&part.0).await.map_err(Error::Disk)?;
    let mut here = 0_u64;
    tell(0, all);
    while let Some(chunk) = next(&mut answer).await? {
        here += chunk.len() as u64;
        if here > wanted.most {
            return Err(Error::TooLarge(wanted.most));
        }
        file.write_all(&chunk).await.map_err(Error::Disk)?;
        tell(here, all);
    }
    file.sync_all().await.map_err(Error::Disk)?;
    drop(file);
    tokio::fs::rename(&part.0, to).await.map_err(Error::Disk)?;
    Ok(here)
}

/// Half a file; gone when nobody finishes it.
struct Part(PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        // Gone already where it was finished.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn part_of(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Asks for the file. A redirect is followed on its origin alone.
async fn ask(wanted: &Wanted) -> Result<Response> {
    let url = &wanted.url;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(Error::Elsewhere);
    }
    let mut request = reach::client(url, wanted.home.as_ref()).await?.get(url.clone());
    if let (Some(home), Some(token)) = (&wanted.home, &wanted.token)
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
    let chunk = tokio::time::timeout(STALL, answer.chunk()).await.map_err(|_| Error::Slow)?;
    chunk.map_err(|error| if error.is_timeout() { Error::Slow } else { Error::Unreachable })
}
