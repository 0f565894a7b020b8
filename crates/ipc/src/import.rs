//! The import of sources from a file of another program.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a file of another program has. Nothing of it was added yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportView {
    /// The import, for `add_imported` and `end_import`.
    pub id: u32,
    /// The name of the file.
    pub file: String,
    /// The sources in it, at most 1,000.
    pub lines: Vec<ImportLine>,
    /// The first 100 names of entries that can't be a source here.
    pub left_out: Vec<String>,
    /// The number of such entries, with those that are not named.
    pub left_out_count: u32,
}

/// A source in such a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportLine {
    /// The protocol: the name of one of `Bootstrap.protocols`.
    pub protocol: String,
    /// What the other program called it.
    pub name: String,
    /// Its address.
    pub url: String,
    /// Whether it has the token that it needs.
    pub token: ImportToken,
    /// Whether its address is on this computer or its network, as far as the name shows: it is asked only if the reader
    /// chooses it.
    pub private: bool,
    /// The name of the source here that it seems to be; null if there is none.
    pub known: Option<String>,
}

/// The token of a source in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportToken {
    /// None, and none is needed.
    None,
    /// In the file. It does not leave the program.
    There,
    /// Not in the file, or not readable: the reader has to enter it.
    Missing,
}
