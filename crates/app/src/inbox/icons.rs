//! Icons of publishers: fetched if the reader asked for one, or for everything of a source; kept for a week, and shown
//! as pictures alone.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use tidings_ipc::{ErrorCode, Preview};
use tidings_model::Stamp;
use tidings_net::download::{Download, fetch};
use tidings_render::link::web_url;
use tidings_render::preview;
use tidings_replica::{Source, SourceChange, SourceId};
use tidings_sources::page_icons;
use url::Url;

use super::attachments;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::state::fetches::Fetches;

/// The most icons that are fetched at once.
const MAX_FETCHES: usize = 4;
/// The largest icon, in bytes.
const MAX_ICON_BYTES: u64 = 256 << 10;
/// The largest page that is looked at for the icon that it names, in bytes.
const MAX_PAGE_BYTES: u64 = 2 << 20;
/// The most icons of a page that are tried.
const MAX_PAGE_ICONS: usize = 3;
/// The last part of the address at which a site has its icon if its page names none.
const USUAL_ICON: &str = "favicon.ico";
/// The most icons that are kept of a source; older ones give way.
const MAX_ICONS: usize = 500;
/// After this time an icon is fetched again when it is shown.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3_600);
/// After this time an address without an icon is tried again.
const FAILURE_KEPT_FOR: Duration = Duration::from_secs(3_600);

/// The file of an icon. An empty one stands for an address that had none.
struct KeptIcon {
    path: PathBuf,
    /// Bytes and age; `None` if nothing is kept.
    kept: Option<(u64, Duration)>,
}

impl KeptIcon {
    fn open(path: PathBuf, now: SystemTime) -> Self {
        let kept = fs::metadata(&path).ok().map(|file| {
            let written = file.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            (file.len(), now.duration_since(written).unwrap_or_default())
        });
        Self { path, kept }
    }

    fn is_picture(&self) -> bool {
        self.kept.is_some_and(|(size, _)| size > 0)
    }

    /// Whether it need not be fetched: a picture, or an address that just had none.
    fn is_fresh(&self) -> bool {
        self.kept.is_some_and(|(size, age)| age < if size > 0 { KEPT_FOR } else { FAILURE_KEPT_FOR })
    }
}

part! {
    /// The icons of publishers.
    pub(crate) struct Icons {
        context: Arc<Context>;
        fetches: Fetches = Fetches::at_once(MAX_FETCHES),
    }
}

impl Icons {
    /// The icon at an address that a publisher at `source` named. It is fetched if `fetch` asks for it or the source's
    /// icons are shown anyway; else [`Preview::None`], unless it is kept from before. An address that no item of the source
    /// names is never asked.
    ///
    /// # Errors
    /// With `fetch`, the reason why there is no icon, in the reader's language.
    pub(crate) async fn icon(&self, source: SourceId, address: String, fetch: bool) -> Result<Preview> {
        let source = self.context.disk(move |r| r.source(source)).await?;
        let path = self.icon_path(&source, &address);
        let now = system_time(self.context.now());
        let icon = on_disk(move || Ok(KeptIcon::open(path, now))).await?;
        // A reader who asks for an icon that was not there a moment ago gets another try.
        let is_needed = !icon.is_fresh() || (fetch && !icon.is_picture());
        if is_needed && (fetch || source.show_icons) {
            let fetched = match self.check_named(&source, &address).await {
                Ok(()) => self.fetch_icon(&source, &address, &icon.path).await,
                Err(error) => Err(error),
            };
            if let Err(error) = fetched
                && fetch
            {
                return Err(error);
            }
        }
        let path = icon.path;
        on_disk(move || if path.exists() { preview::icon(&path) } else { Ok(Preview::None) }).await
    }

    /// Checks that an item of the source names an icon at this address: the page must not choose whom the program asks.
    async fn check_named(&self, source: &Source, address: &str) -> Result<()> {
        let (wanted, _) = web_url(address).ok_or(Error::Link)?;
        let id = source.id;
        let is_meant = move |named: &str| web_url(named).is_some_and(|(url, _)| url == wanted);
        let turn = self.fetches.turn().await;
        let is_named = self.context.disk(move |r| r.names_icon(id, &is_meant)).await;
        drop(turn);
        if is_named? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Shows the icons of a source's publishers from now on, or only those that were asked for.
    pub(crate) async fn set_source_icons(&self, source: SourceId, on: bool) -> Result<()> {
        let change = SourceChange { show_icons: Some(on), ..SourceChange::default() };
        let done = self.context.disk(move |r| r.change_source(source, change)).await;
        self.context.with_sync_update(done)
    }

    /// The name of the file is a hash, since an address may be longer than a file's name.
    fn icon_path(&self, source: &Source, address: &str) -> PathBuf {
        let mut name = String::new();
        for byte in Sha256::digest(address.as_bytes()) {
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        self.context.data.home().icons().join(source.id.to_string()).join(name)
    }

    /// Fetches an icon into its file. If there is none the file is made empty, unless it has an older one.
    async fn fetch_icon(&self, source: &Source, address: &str, path: &Path) -> Result<()> {
        let (url, host) = attachments::address(source, address).ok_or(Error::Link)?;
        let folder = path.parent().ok_or(Error::NotFound)?.to_owned();
        let staging = on_disk(move || {
            fs::create_dir_all(&folder)?;
            tempfile::Builder::new().prefix(".icon.").tempdir_in(folder)
        })
        .await?;
        let file = staging.path().join("icon");
        let turn = self.fetches.turn().await;
        let fetched = fetch_first(source, url, &file).await;
        drop(turn);
        let (to, now) = (path.to_owned(), system_time(self.context.now()));
        let is_picture = fetched.as_ref().is_ok_and(|is_picture| *is_picture);
        let kept = on_disk(move || {
            let _staging = staging;
            if is_picture {
                fs::rename(&file, &to)?;
            }
            // Opened for writing, so that an address without an icon leaves an empty file.
            let file = File::options().create(true).append(true).open(&to)?;
            file.set_modified(now)?;
            to.parent().map_or(Ok(()), |folder| remove_oldest(folder, MAX_ICONS))?;
            Ok(is_picture)
        })
        .await?;
        let text = match fetched {
            Ok(_) if kept => return Ok(()),
            Ok(_) => (self.context.settings_strings().no_icon)(&host),
            Err(error) => attachments::download_error_text(&self.context, &error, &host),
        };
        Err(Error::Localized { code: ErrorCode::Outside, text })
    }
}

/// Fetches an icon to `file`. For that of a site, the icons that its page names are tried first, and the one of its host
/// last. Returns whether it is a picture.
async fn fetch_first(source: &Source, url: Url, file: &Path) -> tidings_net::Result<bool> {
    let home: Option<Url> = source.url.parse().ok();
    let is_of_site = source.protocol == "feed" && url.path().ends_with(USUAL_ICON);
    let mut addresses = Vec::new();
    if is_of_site && let Ok(page) = url.join(".") {
        let request =
            Download { url: page.clone(), home: home.clone(), token: None, max_bytes: MAX_PAGE_BYTES };
        // A site without such a page may have an icon.
        if fetch(&request, file, |_, _| {}).await.is_ok() {
            let html = file.to_owned();
            let named = tokio::task::spawn_blocking(move || {
                std::fs::read(html).map(|html| page_icons(&String::from_utf8_lossy(&html), &page))
            });
            let named = named.await.ok().and_then(io::Result::ok).unwrap_or_default();
            addresses.extend(named.into_iter().take(MAX_PAGE_ICONS));
        }
    }
    let of_host = url.join(&format!("/{USUAL_ICON}")).ok().filter(|of_host| is_of_site && *of_host != url);
    addresses.push(url);
    addresses.extend(of_host);
    let mut answer = Ok(false);
    for url in addresses {
        let request = Download { url, home: home.clone(), token: None, max_bytes: MAX_ICON_BYTES };
        answer = fetch(&request, file, |_, _| {}).await.map(|_| false);
        let fetched = file.to_owned();
        let is_picture = move || preview::icon(&fetched).is_ok_and(|preview| preview != Preview::None);
        if answer.is_ok() && tokio::task::spawn_blocking(is_picture).await.unwrap_or_default() {
            return Ok(true);
        }
    }
    answer
}

fn system_time(stamp: Stamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(stamp.as_millis()).unwrap_or_default())
}

async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    Ok(tokio::task::spawn_blocking(work).await.map_err(|_| Error::Ending)??)
}

/// Removes the files that were written first, until `most` are left.
fn remove_oldest(folder: &Path, most: usize) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter_map(|entry| {
            let file = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((file.modified().ok()?, entry.path()))
        })
        .collect();
    let excess = files.len().saturating_sub(most);
    files.sort_unstable();
    files.into_iter().take(excess).try_for_each(|(_, path)| fs::remove_file(path))
}
