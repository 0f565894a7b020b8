//! Rules: conditions on arriving items, and actions on those that match.

use serde::{Deserialize, Serialize};
use tidings_model::Kind;
use ts_rs::TS;

use super::{SourceId, ThreadId};
use crate::{Error, Result};

/// The most characters of each text of a rule.
const MAX_TEXT_CHARS: usize = 1_000;

/// A rule that acts on items as they arrive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Rule {
    /// Row id; 0 in a new rule.
    #[ts(type = "number")]
    pub id: i64,
    /// The name; if it is empty, the app shows a description.
    pub name: String,
    /// Whether the rule is applied.
    pub on: bool,
    /// The condition on items.
    pub when: RuleWhen,
    /// The actions on matching items.
    pub then: RuleThen,
}

/// The condition of a rule: all fields that are set must match. An empty text is not set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct RuleWhen {
    /// The source of the item.
    #[ts(type = "number | null")]
    pub source: Option<SourceId>,
    /// The kind of the item.
    pub kind: Option<Kind>,
    /// The actor's id or name, compared as a whole and without case.
    pub actor: String,
    /// The target's id, title or `type:id`, or the topic, compared as a whole and without case.
    pub target: String,
    /// Words that must all occur in title or body; `"…"` requires adjacent words.
    pub words: String,
    /// The least priority.
    pub at_least: Option<u8>,
    /// The highest priority.
    pub at_most: Option<u8>,
}

/// The actions of a rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct RuleThen {
    /// Mutes the thread.
    pub mute: bool,
    /// Archives the item.
    pub archive: bool,
    /// Pins the thread.
    pub pin: bool,
    /// Raises the priority by this number of steps, or lowers it if negative, within 1 to 5.
    pub priority: i8,
    /// Suppresses the toast of the item.
    pub no_toast: bool,
}

/// The stored items that a rule matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleTrial {
    /// The number of matching items.
    pub matches: u64,
    /// The number of examined items: the newest ones, without the user's own.
    pub of: u64,
    /// The newest threads with a matching item.
    pub threads: Vec<ThreadId>,
}

impl Rule {
    /// The rule as it is stored: with its name trimmed and its priorities clamped.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a text is too long or contains a null character.
    pub fn checked(mut self) -> Result<Self> {
        for text in [&self.name, &self.when.actor, &self.when.target, &self.when.words] {
            if text.chars().count() > MAX_TEXT_CHARS || text.contains('\0') {
                return Err(Error::Invalid(format!("a rule's text has at most {MAX_TEXT_CHARS} characters")));
            }
        }
        self.name = self.name.trim().to_owned();
        self.when.at_least = self.when.at_least.map(|n| n.clamp(1, 5));
        self.when.at_most = self.when.at_most.map(|n| n.clamp(1, 5));
        self.then.priority = self.then.priority.clamp(-4, 4);
        Ok(self)
    }
}
