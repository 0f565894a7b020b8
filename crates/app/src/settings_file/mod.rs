//! Exports settings, sources, rules and saved searches to a file, without tokens, and imports them. A file with an
//! invalid part changes nothing.
//!
//! The file names sources by address instead of by number. A token stays only with a source of the same user at the
//! same address.

mod entries;
mod quiet_scopes;
mod source_address;

use std::io::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tidings_home::user_file::{self, Access};
use tidings_ipc::{FileResult, Settings};
use tidings_net::address::AddressKind;
use tidings_ports::ListenConfig;
use tidings_replica::{NewSource, Replica, SavedSearch, SourceChange};
use tidings_sources::probe::unused_name;
use tidings_sources::{open, protocol};

use self::entries::{RuleEntry, SearchEntry, SourceEntry};
use self::quiet_scopes::ScopeSource;
use self::source_address::SourceAddress;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::inbox::search::{self, Searches};
use crate::notify::rules::Rules;
use crate::saved_files::SavedFiles;
use crate::settings::ReaderSettings;
use crate::sources::engine::RunningEngine;
use crate::sources::own_server::Server;
use crate::sources::probe::{stored_address, unsaved_source, valid_name};

/// The version of the file format that this program writes.
const FORMAT_VERSION: u32 = 1;
/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
struct SettingsFile {
    /// The mark of the format: always `settings`.
    tidings: String,
    version: u32,
    settings: Settings,
    #[serde(default)]
    sources: Vec<SourceEntry>,
    /// The sources that quiet hours and sounds of the settings are for.
    #[serde(default)]
    quiet_sources: Vec<ScopeSource>,
    #[serde(default)]
    rules: Vec<RuleEntry>,
    #[serde(default)]
    searches: Vec<SearchEntry>,
    /// The own server's port, and whether other devices may connect.
    #[serde(default)]
    server: Option<ListenConfig>,
}

part! {
    /// Exports settings, sources, rules and saved searches, and imports them.
    pub(crate) struct SettingsTransfer {
        context: Arc<Context>,
        saved_files: Arc<SavedFiles>,
        engine: Arc<RunningEngine>,
        server: Arc<Server>,
        rules: Arc<Rules>,
        settings: Arc<ReaderSettings>,
        searches: Arc<Searches>,
    }
}

impl SettingsTransfer {
    /// Exports settings, sources, rules and saved searches to a file that the reader chooses.
    pub(crate) async fn export_settings(&self) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        let Some(path) = self.saved_files.save_dialog(table.title_settings_export, "json").await else {
            return Ok(None);
        };
        let sources = self.context.disk(Replica::sources).await?;
        let rules = self.rules.rules().await?;
        let searches = self.context.disk(Replica::saved_searches).await?;
        let mut settings = self.settings.current_settings();
        // The address of a calendar is a secret, as tokens are.
        settings.notify.quiet.retain(|hours| hours.calendar.is_none());
        let written = SettingsFile {
            tidings: "settings".to_owned(),
            version: FORMAT_VERSION,
            quiet_sources: quiet_scopes::sources_of(&settings.notify, &sources),
            settings,
            rules: rules.into_iter().map(|rule| RuleEntry::of(rule, &sources)).collect(),
            searches: searches.into_iter().map(|s| SearchEntry { name: s.name, query: s.query }).collect(),
            server: Some(self.server.listen_config().await),
            sources: sources
                .iter()
                .filter(|source| is_written(&source.protocol))
                .map(SourceEntry::of)
                .collect(),
        };
        self.saved_files
            .write_file(&path, Access::Default, move |temp| {
                let text = serde_json::to_vec_pretty(&written).map_err(std::io::Error::from)?;
                Ok(temp.write_all(&text)?)
            })
            .await?;
        let text = table.settings_written.to_owned();
        Ok(Some(FileResult { path: path.display().to_string(), text }))
    }

    /// Imports such a file: its settings replace those in force, and sources, rules and searches that are missing here
    /// are added. An invalid file changes nothing.
    pub(crate) async fn import_settings(&self) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        let chosen = self.context.ports.files.open_dialog(table.title_settings_import, "json").await;
        let Some(path) = chosen else { return Ok(None) };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let from = path.clone();
        let text = tokio::task::spawn_blocking(move || user_file::read(&from, MAX_FILE_BYTES));
        let text = text.await.map_err(|_| Error::Ending)?.ok().flatten();
        let written = text.and_then(|text| serde_json::from_slice(&text).ok()).and_then(checked);
        let Some(written) = written else { return Err(Error::invalid((table.not_settings)(&name))) };
        let known = self.context.disk(Replica::saved_searches).await?;
        let new = new_searches(written.searches, known);
        // Adding searches is the one step that a limit can refuse, so it comes first.
        let searches = new.len();
        self.context.disk(move |r| r.add_searches(new)).await?;
        let mut sources = 0;
        for source in written.sources {
            sources += usize::from(self.import_source(source).await?);
        }
        // Quiet hours and sounds may be for sources that were just added.
        let existing = self.context.disk(Replica::sources).await?;
        let mut settings = written.settings;
        // A file has no calendars and brings none; those here stay.
        settings.notify.quiet.retain(|hours| hours.calendar.is_none());
        quiet_scopes::move_here(&mut settings.notify, &written.quiet_sources, &existing);
        let here = self.settings.current_settings();
        // Only somebody at this computer allows other programs to read.
        settings.behaviour.desktop_search = here.behaviour.desktop_search;
        settings.notify.quiet.extend(here.notify.quiet.into_iter().filter(|hours| hours.calendar.is_some()));
        self.settings.settings(&settings).await?;
        let rules = self.import_rules(written.rules).await?;
        if sources > 0 {
            self.engine.sources_changed().await;
        }
        self.searches.searches_changed().await?;
        self.context.events.update(|dirty| {
            dirty.settings = true;
            dirty.sync = true;
        });
        // The import may have changed the language.
        let table = self.context.settings_strings();
        let mut text = table.settings_read(rules, searches, sources);
        for more in self.import_server(written.server).await {
            text = (table.join_sentences)(&text, &more);
        }
        Ok(Some(FileResult { path: path.display().to_string(), text }))
    }

    /// Imports a source; returns whether it was added. A source that exists, is invalid or has an unsupported protocol
    /// is not added; the notify settings of an existing one are replaced.
    async fn import_source(&self, mut source: SourceEntry) -> Result<bool> {
        if !is_written(&source.protocol) {
            return Ok(false);
        }
        let existing = self.context.disk(Replica::sources).await?;
        let stored = stored_address(&source.protocol, &source.address.url);
        if let (false, Some(url)) = (source.address.own, stored.clone()) {
            source.address.url = url;
        }
        if let Some(known) = existing.iter().find(|known| source.address.matches(known)) {
            let id = known.id;
            if let Some(notify) = source.notify {
                self.context.disk(move |r| r.set_source_notify(id, notify)).await?;
            }
            return Ok(false);
        }
        let SourceAddress { url, user, own } = source.address;
        let Some(name) = valid_name(&source.name).filter(|_| !own && stored.is_some()) else {
            return Ok(false);
        };
        if open(&unsaved_source(&source.protocol, &url), String::new(), self.context.clock.clone()).is_err() {
            return Ok(false);
        }
        let new = NewSource {
            name: unused_name(&name, &existing),
            protocol: source.protocol,
            url,
            user,
            own: false,
        };
        self.context
            .disk(move |r| {
                let id = r.add_source(new)?;
                let (paused, show_icons) = (Some(source.paused), Some(source.show_icons));
                r.change_source(id, SourceChange { paused, show_icons, ..SourceChange::default() })?;
                r.set_source_notify(id, source.notify.unwrap_or_default())
            })
            .await?;
        Ok(true)
    }

    /// Adds the rules that are missing, after the others; returns how many. A rule for a missing source is left out:
    /// without its source it would match every source.
    async fn import_rules(&self, rules: Vec<RuleEntry>) -> Result<usize> {
        let existing = self.context.disk(Replica::sources).await?;
        let mut known = self.rules.rules().await?;
        let mut added = 0;
        for RuleEntry { mut rule, source } in rules {
            if let Some(at) = source {
                rule.when.source = existing.iter().find(|known| at.matches(known)).map(|known| known.id);
                if rule.when.source.is_none() {
                    tracing::warn!(rule = rule.name, "a rule is left out, its source is not here");
                    continue;
                }
            }
            if known.iter().any(|known_rule| known_rule.when == rule.when && known_rule.then == rule.then) {
                continue;
            }
            known = self.rules.save_rule(rule).await?;
            added += 1;
        }
        Ok(added)
    }

    /// Moves the own server, if there is one. A file cannot open the server to other devices or to pages. Returns a
    /// sentence for each part that was not done.
    async fn import_server(&self, config: Option<ListenConfig>) -> Vec<String> {
        let Some(wanted) = config.filter(|_| self.server.own_server().is_ok()) else { return Vec::new() };
        let existing = self.server.listen_config().await;
        let (others, origins) = (wanted.others && existing.others, existing.origins.clone());
        let config = ListenConfig { others, origins, port: wanted.port, ..existing.clone() };
        let mut sentences = Vec::new();
        if config != existing
            && let Err(error) = self.server.set_server(config.port, config.others).await
        {
            sentences.push(error.to_ipc(self.context.lang()).text);
        }
        let (table, other_devices) = (self.context.settings_strings(), wanted.others && !existing.others);
        let other_pages = wanted.origins.iter().any(|origin| !existing.origins.contains(origin));
        sentences.extend(other_devices.then(|| table.others_not_allowed.to_owned()));
        sentences.extend(other_pages.then(|| table.origins_not_allowed.to_owned()));
        sentences
    }
}

/// Whether sources of a protocol are in a file. Notifications of other programs on a computer are kept only if its
/// reader switched that on there.
fn is_written(name: &str) -> bool {
    name != "kept" && !protocol(name).is_ok_and(|known| known.address == AddressKind::Applications)
}

/// Checks and normalises the content; `None` if any part is invalid.
fn checked(mut written: SettingsFile) -> Option<SettingsFile> {
    if written.tidings != "settings" || written.version > FORMAT_VERSION {
        return None;
    }
    for search in &mut written.searches {
        (search.name, search.query) = search::normalized(&search.name, &search.query).ok()?;
    }
    for RuleEntry { rule, .. } in &mut written.rules {
        rule.id = 0;
        rule.when.source = None;
        *rule = rule.clone().checked().ok()?;
    }
    Some(written)
}

/// The searches whose query is not saved yet, each once.
fn new_searches(written: Vec<SearchEntry>, known: Vec<SavedSearch>) -> Vec<SavedSearch> {
    let mut queries: Vec<String> = known.into_iter().map(|search| search.query).collect();
    let mut new = Vec::new();
    for SearchEntry { name, query } in written {
        if !queries.contains(&query) {
            queries.push(query.clone());
            new.push(SavedSearch { id: 0, name, query });
        }
    }
    new
}
