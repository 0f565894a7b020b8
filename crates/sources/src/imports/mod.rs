//! Reads the sources that other programs keep in their settings. Files are only parsed here, in a child process; nothing
//! is requested and nothing is added.

pub(crate) mod apart;
mod gitify;
mod gotify_tray;
mod ntfy;
pub mod opml;

use std::fmt;

use serde::{Deserialize, Serialize};
use tidings_model::web_url::web_url;
use url::Url;

/// The largest file that is read, in bytes.
pub const MAX_IMPORT_BYTES: usize = 8 << 20;
/// The most sources of one file; further ones are left out.
pub const MAX_IMPORTED: usize = 1_000;
/// The most things that were left out of one file and are named.
const MAX_NAMED: usize = 100;
/// The most characters of such a name.
const MAX_NAME_CHARS: usize = 100;

/// What a file of another program has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// The sources, at most [`MAX_IMPORTED`].
    pub sources: Vec<ImportedSource>,
    /// The first 100 names of entries that can't be a source here, or are beyond the most sources.
    pub left_out: Vec<String>,
    /// How many those are, with the ones that are not named.
    pub left_out_count: usize,
}

impl Imported {
    fn add(&mut self, source: ImportedSource) {
        if self.sources.len() < MAX_IMPORTED {
            self.sources.push(source);
        } else {
            self.leave_out(&source.name);
        }
    }

    fn leave_out(&mut self, name: &str) {
        self.left_out_count += 1;
        if self.left_out.len() < MAX_NAMED {
            self.left_out.push(name.trim().chars().take(MAX_NAME_CHARS).collect());
        }
    }
}

/// A source that another program had.
#[derive(Clone, PartialEq, Eq)]
pub struct ImportedSource {
    /// The protocol, as in [`crate::Protocol::name`].
    pub protocol: &'static str,
    /// A name for it; several sources may have the same.
    pub name: String,
    /// Its address, without credentials.
    pub url: String,
    /// Its token, or `user:password`; `None` if there is none, or none that can be read.
    pub token: Option<String>,
}

impl fmt::Debug for ImportedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, name, url, token } = self;
        f.debug_struct("ImportedSource")
            .field("protocol", protocol)
            .field("name", name)
            .field("url", url)
            .field("has_token", &token.is_some())
            .finish()
    }
}

/// The reason for which a file can't be imported. Contains nothing of the file, which may hold credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ImportError {
    /// The file is larger than [`MAX_IMPORT_BYTES`].
    #[error("the file is too large")]
    TooLarge,
    /// The file has none of the known forms, or is damaged.
    #[error("the file is neither OPML nor the settings of Gitify, gotify-tray or ntfy")]
    Form,
    /// It takes too much memory or time to read.
    #[error("the file is nested too deeply, or repeats too much, to be read")]
    TooComplex,
    /// A process ended or a parser failed at this file before.
    #[error(
        "the file could not be read before, so it is skipped. Nothing was added. `tidings check` names it, and \
         `tidings source retry` with that name reads it again"
    )]
    PassedBy,
    /// Too many files are being read, or no process could be started for it.
    #[error("the file can't be read at the moment; nothing was added. Try again")]
    Busy,
}

/// Reads a file in a child process, see [`parse`]. `name` is that of the file.
///
/// # Errors
/// [`ImportError`] for any other file, and for one that can't be read safely.
pub async fn read(file: Vec<u8>, name: &str) -> Result<Imported, ImportError> {
    apart::read(file, name).await
}

/// Reads a file, whose form is recognized by its content: a list of feeds (OPML), Gitify's storage, gotify-tray's
/// settings or their export, or ntfy's `client.yml`.
///
/// ```
/// use tidings_sources::imports;
///
/// let client = "default-host: https://ntfy.example\nsubscribe:\n  - topic: backups\n";
/// let found = imports::parse(client.as_bytes())?;
/// assert_eq!((found.sources[0].protocol, &*found.sources[0].url), ("ntfy", "https://ntfy.example/backups"));
/// # Ok::<_, imports::ImportError>(())
/// ```
///
/// # Errors
/// [`ImportError`] for any other file.
pub fn parse(file: &[u8]) -> Result<Imported, ImportError> {
    if file.len() > MAX_IMPORT_BYTES {
        return Err(ImportError::TooLarge);
    }
    let readers =
        [gotify_tray::read_export, gitify::read, opml::read, gotify_tray::read_settings, ntfy::read];
    readers.iter().find_map(|read| read(file)).ok_or(ImportError::Form)
}

/// An http or https address without credentials.
fn web_address(text: &str) -> Option<Url> {
    let mut url = web_url(text.trim())?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url)
}

/// An http or https address without credentials and without a slash at its end, and its host.
fn address(text: &str) -> Option<(String, String)> {
    let url = web_address(text)?;
    Some((url.as_str().trim_end_matches('/').to_owned(), url.host_str()?.to_owned()))
}

/// A token without the space around it; `None` if it is empty or can't be one.
fn token(text: &str) -> Option<String> {
    let token = text.trim();
    (!token.is_empty() && !token.chars().any(char::is_control)).then(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_known_file_is_told_so_without_a_word_of_it() {
        for file in [
            "",
            "hello",
            "{}",
            "[1]",
            "<html><body></body></html>",
            "a: b\n",
            "[Other]\nurl=x\n",
            "\u{80}secret",
        ] {
            assert_eq!(parse(file.as_bytes()), Err(ImportError::Form), "{file}");
        }
        assert_eq!(parse(&vec![b' '; MAX_IMPORT_BYTES + 1]), Err(ImportError::TooLarge));
    }

    #[test]
    fn a_token_is_not_printed() {
        let source = ImportedSource {
            protocol: "ntfy",
            name: "n".into(),
            url: "https://n.example/t".into(),
            token: Some("tk_secret".into()),
        };
        assert!(!format!("{source:?}").contains("secret"));
    }

    #[test]
    fn whatever_a_file_has_its_sources_are_few_and_have_addresses_without_credentials() {
        tidings_testkit::fuzz::run("import", 1_500, |input| {
            let Ok(found) = parse(input) else { return };
            assert!(found.sources.len() <= MAX_IMPORTED && found.left_out.len() <= MAX_NAMED);
            assert!(found.left_out.len() <= found.left_out_count);
            for source in found.sources {
                let url = web_url(&source.url).unwrap();
                assert!(url.username().is_empty() && url.password().is_none(), "{source:?}");
                assert!(crate::kinds::protocol(source.protocol).is_ok(), "{source:?}");
            }
        });
    }
}
