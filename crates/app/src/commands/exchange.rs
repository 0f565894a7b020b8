//! What a reader set, written to a file and taken over from one. Refuses tokens on the way out, and on the way in
//! anything that does not make sense as a whole.

use std::io::Write as _;

use serde::{Deserialize, Serialize};
use tidings_replica::{NewSource, Replica, SavedSearch, Source, SourceChange};
use tidings_sync::source::open;

use crate::app::App;
use crate::error::{Error, Result};
use crate::page::{FileDone, NotifySettings, Rule, Settings};
use crate::standalone::Place;
use crate::user_file::Readers;

use super::find;
use super::reach::{address, free, named, row};

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
    #[serde(default)]
    rules: Vec<WrittenRule>,
    #[serde(default)]
    searches: Vec<WrittenSearch>,
    /// Where the own server listens.
    #[serde(default)]
    server: Option<Place>,
}

/// A source without its token.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WrittenSource {
    name: String,
    protocol: String,
    #[serde(flatten)]
    at: At,
    #[serde(default)]
    paused: bool,
    #[serde(default)]
    notify: Option<NotifySettings>,
}

/// Which source it is, on every computer.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct At {
    url: String,
    #[serde(default)]
    user: Option<String>,
    /// The own server of the computer that wrote it: there is one here, too.
    #[serde(default)]
    own: bool,
}

/// A rule, with its source by address instead of by number.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WrittenRule {
    rule: Rule,
    #[serde(default)]
    source: Option<At>,
}

/// A kept search.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WrittenSearch {
    #[serde(default)]
    name: String,
    query: String,
}

impl At {
    fn of(source: &Source) -> Self {
        Self { url: source.url.clone(), user: source.user.clone(), own: source.own }
    }

    fn is(&self, source: &Source) -> bool {
        (self.own && source.own)
            || (self.own == source.own && self.url == source.url && self.user == source.user)
    }
}

impl WrittenSource {
    fn of(source: &Source) -> Self {
        Self {
            name: source.name.clone(),
            protocol: source.protocol.clone(),
            at: At::of(source),
            paused: source.paused,
            notify: Some(source.notify),
        }
    }
}

impl WrittenRule {
    fn of(mut rule: Rule, sources: &[Source]) -> Self {
        rule.id = 0;
        let source = rule.when.source.take();
        // A source that is gone is told from none at all: the rule was not for everything.
        let gone = || At { url: String::new(), user: None, own: false };
        let at = |id| sources.iter().find(|source| source.id == id).map_or_else(gone, At::of);
        Self { rule, source: source.map(at) }
    }
}

impl App {
    /// Writes settings, sources, rules and kept searches into a file.
    pub async fn export_settings(&self) -> Result<Option<FileDone>> {
        let table = self.house();
        let Some(path) = self.ask_where(table.title_settings_out, "json").await else { return Ok(None) };
        let sources = self.disk(Replica::sources).await?;
        let rules = self.rules().await?;
        let searches = self.disk(Replica::saved_searches).await?;
        let written = Written {
            tidings: "settings".to_owned(),
            version: VERSION,
            settings: self.page_settings(),
            rules: rules.into_iter().map(|rule| WrittenRule::of(rule, &sources)).collect(),
            searches: searches.into_iter().map(|s| WrittenSearch { name: s.name, query: s.query }).collect(),
            server: Some(self.server_place().await),
            sources: sources.iter().filter(|s| s.protocol != "kept").map(WrittenSource::of).collect(),
        };
        self.write_file(&path, Readers::Usual, move |draft| {
            let text = serde_json::to_vec_pretty(&written).map_err(std::io::Error::from)?;
            Ok(draft.write_all(&text)?)
        })
        .await?;
        let text = table.settings_written.to_owned();
        Ok(Some(FileDone { path: path.display().to_string(), text }))
    }

    /// Takes over what such a file holds: settings replace those that are here; sources, rules and searches that are
    /// not here are added. Nothing is changed by a file that does not make sense as a whole.
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
        let written = text.ok().and_then(|text| serde_json::from_slice(&text).ok()).and_then(checked);
        let Some(written) = written else { return Err(Error::invalid((table.not_settings)(&name))) };
        let known = self.disk(Replica::saved_searches).await?;
        let new = unknown(written.searches, known);
        // The one thing that can be refused for want of room comes first, all or nothing.
        let searches = new.len();
        self.disk(move |r| r.add_searches(new)).await?;
        self.settings(&written.settings).await?;
        let mut sources = 0;
        for source in written.sources {
            sources += usize::from(self.take_source_over(source).await?);
        }
        let rules = self.take_rules_over(written.rules).await?;
        if sources > 0 {
            self.sources_changed().await;
        }
        self.searches_changed().await?;
        self.inner.events.note(|dirty| {
            dirty.settings = true;
            dirty.sync = true;
        });
        // The language may be another now.
        let table = self.house();
        let mut text = (table.settings_read)(rules, searches, sources);
        for more in self.take_server_over(written.server).await {
            text = (table.and_then)(&text, &more);
        }
        Ok(Some(FileDone { path: path.display().to_string(), text }))
    }

    /// Whether a source was added: one that is here, that makes no sense or that this version cannot pull is not. What
    /// it may tell replaces what one that is here may.
    async fn take_source_over(&self, mut source: WrittenSource) -> Result<bool> {
        let here = self.disk(Replica::sources).await?;
        if let (false, Ok(url)) = (source.at.own, address(&source.at.url, self.house())) {
            source.at.url = url;
        }
        if let Some(known) = here.iter().find(|known| source.at.is(known)) {
            let id = known.id;
            if let Some(notify) = source.notify {
                self.disk(move |r| r.set_source_notify(id, notify)).await?;
            }
            return Ok(false);
        }
        let At { url, user, own } = source.at;
        let Some(name) = named(&source.name).filter(|_| !own && address(&url, self.house()).is_ok()) else {
            return Ok(false);
        };
        if open(&row(&source.protocol, &url), String::new(), self.inner.clock.clone()).is_err() {
            return Ok(false);
        }
        let new = NewSource { name: free(&name, &here), protocol: source.protocol, url, user, own: false };
        self.disk(move |r| {
            let id = r.add_source(new)?;
            let change = SourceChange { paused: Some(source.paused), ..SourceChange::default() };
            r.change_source(id, change)?;
            r.set_source_notify(id, source.notify.unwrap_or_default())
        })
        .await?;
        Ok(true)
    }

    /// Adds the rules that are not here, behind the others; gives how many. One for a source that is not here is left
    /// out: without its source it would be for everything.
    async fn take_rules_over(&self, rules: Vec<WrittenRule>) -> Result<usize> {
        let here = self.disk(Replica::sources).await?;
        let mut known = self.rules().await?;
        let mut added = 0;
        for WrittenRule { mut rule, source } in rules {
            if let Some(at) = source {
                rule.when.source = here.iter().find(|known| at.is(known)).map(|known| known.id);
                if rule.when.source.is_none() {
                    tracing::warn!(rule = rule.name, "a rule is left out, its source is not here");
                    continue;
                }
            }
            if known.iter().any(|one| one.when == rule.when && one.then == rule.then) {
                continue;
            }
            known = self.save_rule(rule).await?;
            added += 1;
        }
        Ok(added)
    }

    /// Moves the own server, where there is one. No file opens it to other devices: where it is closed it stays closed.
    /// Says what was not done, and why.
    async fn take_server_over(&self, place: Option<Place>) -> Vec<String> {
        let Some(wanted) = place.filter(|_| self.inner.own.get().is_some()) else { return Vec::new() };
        let here = self.server_place().await;
        let place = Place { others: wanted.others && here.others, ..wanted };
        let mut said = Vec::new();
        if place != here
            && let Err(error) = self.set_server(place.port, place.others).await
        {
            said.push(error.to_page(self.lang()).text);
        }
        if wanted.others && !here.others {
            said.push(self.house().others_stay_out.to_owned());
        }
        said
    }
}

/// As it is kept; none where anything in it makes no sense.
fn checked(mut written: Written) -> Option<Written> {
    if written.tidings != "settings" || written.version > VERSION {
        return None;
    }
    for search in &mut written.searches {
        (search.name, search.query) = find::fitting(&search.name, &search.query).ok()?;
    }
    for WrittenRule { rule, .. } in &mut written.rules {
        rule.id = 0;
        rule.when.source = None;
        *rule = rule.clone().checked().ok()?;
    }
    Some(written)
}

/// The searches that are not kept yet, each once.
fn unknown(written: Vec<WrittenSearch>, known: Vec<SavedSearch>) -> Vec<SavedSearch> {
    let mut queries: Vec<String> = known.into_iter().map(|search| search.query).collect();
    let mut new = Vec::new();
    for WrittenSearch { name, query } in written {
        if !queries.contains(&query) {
            queries.push(query.clone());
            new.push(SavedSearch { id: 0, name, query });
        }
    }
    new
}
