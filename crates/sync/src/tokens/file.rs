//! `tokens.json` in the data folder: the tokens that are not in a keyring, and those of earlier versions until they
//! are migrated.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tidings_net::private_files;
use tidings_replica::{Source as Row, SourceId};

use super::grant::Grant;
use super::owner::Owner;

/// The version of the file that this program writes.
const VERSION: u32 = 2;

/// A token, and the origin and user that it was stored for.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TokenEntry {
    pub(super) source: SourceId,
    #[serde(flatten)]
    pub(super) owner: Owner,
    #[serde(flatten)]
    pub(super) grant: Grant,
}

impl TokenEntry {
    /// Whether it is the token of this source, for its present address and user.
    pub(super) fn is_of(&self, source: SourceId, owner: &Owner) -> bool {
        self.source == source && self.owner.matches(owner)
    }

    /// Its name in the keyring.
    pub(super) fn name(source: SourceId, owner: &Owner) -> String {
        format!("{source}@{}", owner.origin)
    }
}

/// The contents of the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contents {
    version: u32,
    pub(super) tokens: Vec<TokenEntry>,
    /// The owners of keyring entries of an earlier version, by source id, which is also their name in the keyring.
    #[serde(default)]
    pub(super) former: BTreeMap<SourceId, Owner>,
}

impl Contents {
    const EMPTY: Self = Self { version: VERSION, tokens: Vec::new(), former: BTreeMap::new() };
}

/// The file in either format.
enum FileFormat {
    Current(Contents),
    /// The tokens of an earlier version by source id; empty if there is no file.
    Legacy(BTreeMap<SourceId, String>),
}

/// The file of a data folder.
#[derive(Clone)]
pub(super) struct TokenFile {
    folder: PathBuf,
}

impl TokenFile {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("tokens.json")
    }

    /// Reads the contents; empty for an earlier format that was not migrated yet.
    pub(super) fn read(&self) -> io::Result<Contents> {
        Ok(match self.read_format()? {
            FileFormat::Current(contents) => contents,
            FileFormat::Legacy(_) => Contents::EMPTY,
        })
    }

    fn read_format(&self) -> io::Result<FileFormat> {
        let text = match fs::read(self.path()) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(FileFormat::Legacy(BTreeMap::new()));
            }
            Err(error) => return Err(error),
        };
        if let Ok(former) = serde_json::from_slice(&text) {
            return Ok(FileFormat::Legacy(former));
        }
        let contents: Contents = serde_json::from_slice(&text)?;
        if contents.version > VERSION {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "tokens.json is of a newer version"));
        }
        Ok(FileFormat::Current(contents))
    }

    /// See [`super::TokenStore::migrate_legacy`].
    pub(super) fn migrate_legacy(&self, rows: &[Row]) -> io::Result<usize> {
        if matches!(self.read_format()?, FileFormat::Current(_)) {
            return Ok(0);
        }
        let _lock = self.lock("tokens.lock")?;
        let FileFormat::Legacy(former) = self.read_format()? else { return Ok(0) };
        // A restored inbox has the previous one beside it, so its presence shows that a backup was restored.
        let replaced = self.folder.join(format!("{}.before", tidings_replica::FILE)).exists();
        let pulled = |row: &&Row| row.protocol != "kept" && !row.own;
        if replaced {
            self.write(&Contents::EMPTY)?;
            return Ok(rows.iter().filter(pulled).count());
        }
        let owners: BTreeMap<SourceId, Owner> =
            rows.iter().filter_map(|row| Some((row.id, Owner::of(row)?))).collect();
        let known = |(source, token): (SourceId, String)| {
            let grant = Grant::of_token(token);
            owners.get(&source).map(|owner| TokenEntry { source, owner: owner.clone(), grant })
        };
        let tokens = former.into_iter().filter_map(known).collect();
        self.write(&Contents { version: VERSION, tokens, former: owners })?;
        Ok(0)
    }

    /// Stores a token in place of all others of its source.
    pub(super) fn set(&self, entry: TokenEntry) -> io::Result<()> {
        self.change(|contents| {
            contents.tokens.retain(|known| known.source != entry.source);
            contents.former.remove(&entry.source);
            contents.tokens.push(entry);
        })
    }

    /// Removes all entries of a source.
    pub(super) fn forget(&self, source: SourceId) -> io::Result<()> {
        self.change(|contents| {
            contents.tokens.retain(|known| known.source != source);
            contents.former.remove(&source);
        })
    }

    fn change(&self, change: impl FnOnce(&mut Contents)) -> io::Result<()> {
        let _lock = self.lock("tokens.lock")?;
        let before = self.read()?;
        let mut after = before.clone();
        change(&mut after);
        if after == before { Ok(()) } else { self.write(&after) }
    }

    fn write(&self, contents: &Contents) -> io::Result<()> {
        private_files::write(&self.path(), &serde_json::to_vec(contents)?)
    }

    /// Locks a file of the folder against others, of this and of other processes, until the result is dropped.
    pub(super) fn lock(&self, name: &str) -> io::Result<File> {
        let file = private_files::options().create(true).truncate(false).open(self.folder.join(name))?;
        file.lock()?;
        Ok(file)
    }
}
