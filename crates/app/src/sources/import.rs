//! Imports sources from files of other programs, and exports feeds. A file is read first; each of its sources is added on
//! request, and only if it answers. Tokens in the file do not leave the program.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use tidings_home::user_file::{self, Access};
use tidings_ipc::{FileResult, ImportLine, ImportToken, ImportView, SourceForm, SourceTest};
use tidings_net::{egress, hosts};
use tidings_render::item::source_name;
use tidings_replica::{Replica, Source};
use tidings_sources::imports::{self, ImportError, ImportedSource, MAX_IMPORT_BYTES, opml};
use tidings_sources::{Credential, protocol};
use tidings_strings::settings::SettingsStrings;

use super::Sources;
use super::probe::{Probes, display_name, stored_address, valid_name};
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::saved_files::SavedFiles;
use crate::state::last_import::LastImport;

part! {
    /// Imports sources from a file that was read, and exports feeds.
    pub(crate) struct Imports {
        context: Arc<Context>,
        saved_files: Arc<SavedFiles>,
        probes: Arc<Probes>,
        sources: Arc<Sources>;
        last_import: LastImport = LastImport::default(),
    }
}

impl Imports {
    /// Lets the reader choose a file of another program, and returns the sources in it. Adds none of them.
    pub(crate) async fn read_import(&self) -> Result<Option<ImportView>> {
        let table = self.context.settings_strings();
        let Some(path) = self.context.ports.files.choose_dialog(table.title_import).await else {
            return Ok(None);
        };
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let read = tokio::task::spawn_blocking(move || read(&path)).await.map_err(|_| Error::Ending)?;
        let bytes = read.map_err(|error| refused(&error, &file, table))?;
        let found = imports::read(bytes, &file).await;
        let found = found.map_err(|error| refused(&Refusal::Import(error), &file, table))?;
        let known = self.context.disk(Replica::sources).await?;
        let lines = found.sources.iter().map(|source| self.import_line(source, &known)).collect();
        let left_out = found.left_out.iter().map(|name| display_name(name)).collect();
        let left_out_count = u32::try_from(found.left_out_count).unwrap_or(u32::MAX);
        let id = self.last_import.keep(found.sources);
        Ok(Some(ImportView { id, file: display_name(&file), lines, left_out, left_out_count }))
    }

    /// Adds a source of a file that was read, if it answers. `token` stands for the one in the file if it is not empty.
    /// The result says under which name it was added, or why it was not. An address on this computer or its network is
    /// asked only with `private`: a list must not lead its reader's requests there.
    pub(crate) async fn add_imported(
        &self,
        import: u32,
        line: u32,
        token: &str,
        private: bool,
    ) -> Result<SourceTest> {
        let found = usize::try_from(line).ok().and_then(|line| self.last_import.line(import, line));
        let ImportedSource { protocol, name, url, token: in_file } = found.ok_or(Error::NotFound)?;
        if !private && is_private(&url).await {
            let text = self.context.settings_strings().import_private.to_owned();
            return Ok(SourceTest { ok: false, text, name: String::new() });
        }
        let token = Some(token.trim().to_owned()).filter(|token| !token.is_empty()).or(in_file);
        let form = SourceForm {
            protocol: protocol.to_owned(),
            url,
            token: token.unwrap_or_default(),
            name: String::new(),
            sign_in: None,
        };
        let mut connected = match self.probes.probe(&form).await? {
            Ok(connected) => connected,
            Err(text) => return Ok(SourceTest { ok: false, text, name: String::new() }),
        };
        if let Some(name) = valid_name(&display_name(&name)) {
            connected.name = name;
        }
        let text = connected.text.clone();
        let (_, name) = self.sources.keep_source(connected, None, None).await?;
        Ok(SourceTest { ok: true, text, name })
    }

    /// Forgets a file that was read, with its tokens.
    pub(crate) fn end_import(&self, import: u32) {
        self.last_import.end(import);
    }

    /// Writes the feeds to a file that the reader chooses, for other programs.
    pub(crate) async fn export_feeds(&self) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        let Some(path) = self.saved_files.save_dialog(table.title_export_feeds, "opml").await else {
            return Ok(None);
        };
        let rows = self.context.disk(Replica::sources).await?;
        let feeds: Vec<Source> = rows.into_iter().filter(|row| row.protocol == "feed").collect();
        let count = feeds.len();
        let list = opml::write("Tidings", feeds.iter().map(|row| (&*row.name, &*row.url)));
        self.saved_files
            .write_file(&path, Access::OwnerOnly, move |file| Ok(file.write_all(list.as_bytes())?))
            .await?;
        let text = (table.feeds_written)(count as u64);
        Ok(Some(FileResult { path: path.display().to_string(), text }))
    }

    fn import_line(&self, source: &ImportedSource, known: &[Source]) -> ImportLine {
        let credential = protocol(source.protocol).map_or(Credential::Token, |known| known.credential);
        let token = match (credential, &source.token) {
            (Credential::None, _) | (Credential::Optional, None) => ImportToken::None,
            (_, Some(_)) => ImportToken::There,
            (Credential::Token, None) => ImportToken::Missing,
        };
        // Several accounts may be at one address: only a request shows whose a token is.
        let stored = stored_address(source.protocol, &source.url).filter(|_| credential != Credential::Token);
        let is_same = |row: &&Source| row.protocol == source.protocol && stored.as_ref() == Some(&row.url);
        let known = known.iter().find(is_same).map(|row| source_name(row, self.context.lang()));
        ImportLine {
            protocol: source.protocol.to_owned(),
            name: display_name(&source.name),
            url: display_name(&source.url),
            token,
            private: source.url.parse().is_ok_and(|url| hosts::is_named_private(&url)),
            known,
        }
    }
}

/// Whether an address is on this computer or its network.
async fn is_private(url: &str) -> bool {
    match url.parse() {
        Ok(url) => egress::is_private(&url).await,
        Err(_) => false,
    }
}

/// Why a file can't be imported.
enum Refusal {
    Unreadable(std::io::Error),
    Import(ImportError),
}

fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    match user_file::read(path, MAX_IMPORT_BYTES as u64) {
        Ok(bytes) => bytes.ok_or_else(|| Refusal::Unreadable(std::io::ErrorKind::NotFound.into())),
        Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
            Err(Refusal::Import(ImportError::TooLarge))
        }
        Err(error) => Err(Refusal::Unreadable(error)),
    }
}

fn refused(refusal: &Refusal, file: &str, table: &SettingsStrings) -> Error {
    match refusal {
        Refusal::Unreadable(error) => Error::storage((table.import_unreadable)(file, &error.to_string())),
        Refusal::Import(ImportError::TooLarge) => Error::invalid((table.import_large)(file)),
        Refusal::Import(ImportError::Form) => Error::invalid((table.import_unknown)(file)),
        Refusal::Import(ImportError::TooComplex) => Error::invalid((table.import_complex)(file)),
        Refusal::Import(ImportError::PassedBy) => Error::invalid((table.import_passed_by)(file)),
        Refusal::Import(ImportError::Busy) => Error::storage((table.import_busy)(file)),
    }
}
