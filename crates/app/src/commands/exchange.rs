//! What a reader set, written to a file and taken over from one. Refuses tokens on the way out, and on the way in
//! anything that does not make sense as a whole.

use serde::{Deserialize, Serialize};
use tidings_replica::{NewSource, SourceChange};
use tidings_sync::source::open;

use crate::app::App;
use crate::error::{Error, Result};
use crate::page::{FileDone, Settings};

use super::sources::{address, named, row};

/// The version of the file that this program writes.
const VERSION: u32 = 1;
/// A larger file holds something else, in bytes.
const LARGEST: u64 = 4 << 20;

/// What the file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    /// Says what it is.
    tidings: String,
    version: u32,
    settings: Settings,
    #[serde(default)]
    sources: Vec<WrittenSource>,
}

/// A source without its token.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WrittenSource {
    name: String,
    protocol: String,
    url: String,
    #[serde(default)]
    user: Option<String>,
    /// The own server of the computer that wrote it: there is one here, too.
    #[serde(default)]
    own: bool,
    #[serde(default)]
    paused: bool,
}

impl App {
    /// Writes settings and sources into a file.
    pub async fn export_settings(&self) -> Result<Option<FileDone>> {
        let table = self.house();
        let Some(path) = self.ask_where(table.title_settings_out, "json").await else { return Ok(None) };
        let sources = self.disk(tidings_replica::Replica::sources).await?;
        let written = Written {
            tidings: "settings".to_owned(),
            version: VERSION,
            settings: self.page_settings(),
            sources: sources
                .into_iter()
                .filter(|source| source.protocol != "kept")
                .map(|source| WrittenSource {
                    name: source.name,
                    protocol: source.protocol,
                    url: source.url,
                    user: source.user,
                    own: source.own,
                    paused: source.paused,
                })
                .collect(),
        };
        self.write_file(&path, move |draft| {
            let text = serde_json::to_vec_pretty(&written).map_err(std::io::Error::from)?;
            Ok(std::fs::write(draft, text)?)
        })
        .await?;
        let text = table.settings_written.to_owned();
        Ok(Some(FileDone { path: path.display().to_string(), text }))
    }

    /// Takes over what such a file holds: settings replace those that are here, sources that are not here are added.
    pub async fn import_settings(&self) -> Result<Option<FileDone>> {
        let table = self.house();
        let asked = self.inner.ports.files.ask_which(table.title_settings_in, "json").await;
        let Some(path) = asked else { return Ok(None) };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let from = path.clone();
        let text = tokio::task::spawn_blocking(move || {
            let fits = std::fs::metadata(&from)?.len() <= LARGEST;
            if fits { std::fs::read(&from) } else { Err(std::io::ErrorKind::FileTooLarge.into()) }
        });
        let text = text.await.map_err(|_| Error::Ending)?;
        let written: Option<Written> = text.ok().and_then(|text| serde_json::from_slice(&text).ok());
        let written = written.filter(|w| w.tidings == "settings" && w.version <= VERSION);
        let Some(written) = written else { return Err(Error::invalid((table.not_settings)(&name))) };
        self.settings(&written.settings).await?;
        self.inner.events.note(|dirty| dirty.settings = true);
        let mut added = 0;
        for source in written.sources {
            added += usize::from(self.take_source_over(source).await?);
        }
        if added > 0 {
            self.sources_changed().await;
        }
        let text = (table.settings_read)(0, 0, added);
        Ok(Some(FileDone { path: path.display().to_string(), text }))
    }

    /// Whether a source was added: one that is here, that makes no sense or that this version cannot pull is not.
    async fn take_source_over(&self, source: WrittenSource) -> Result<bool> {
        let Ok(url) = address(&source.url, self.house()) else { return Ok(false) };
        let Some(name) = named(&source.name).filter(|_| !source.own) else { return Ok(false) };
        let here = self.disk(tidings_replica::Replica::sources).await?;
        let is_here = here.iter().any(|row| row.url == url && row.user == source.user);
        if is_here || open(&row(&source.protocol, &url), String::new(), self.inner.clock.clone()).is_err() {
            return Ok(false);
        }
        let name = (1..=here.len() + 1)
            .map(|n| if n == 1 { name.clone() } else { format!("{name} {n}") })
            .find(|name| here.iter().all(|row| row.name != *name))
            .unwrap_or_default();
        let new = NewSource { name, protocol: source.protocol, url, user: source.user, own: false };
        self.disk(move |r| {
            let id = r.add_source(new)?;
            let change = SourceChange { paused: Some(source.paused), ..SourceChange::default() };
            r.change_source(id, change)
        })
        .await?;
        Ok(true)
    }
}
