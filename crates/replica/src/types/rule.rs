//! Rules: which items each is for, and what it does with them when they arrive.

use serde::{Deserialize, Serialize};
use tidings_model::Kind;
use ts_rs::TS;

use super::{SourceId, ThreadId};
use crate::{Error, Result};

/// Characters of a rule's name, and of what it looks for.
const LONGEST: usize = 1_000;

/// What is done with items as they arrive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Rule {
    /// Row id; 0 in a new one.
    #[ts(type = "number")]
    pub id: i64,
    /// Its name; where it is empty, the app describes what it does.
    pub name: String,
    /// Whether it is applied.
    pub on: bool,
    /// The items that it matches.
    pub when: RuleWhen,
    /// What is done with them.
    pub then: RuleThen,
}

/// Which items a rule is for: all that is set must hold. Empty text is not set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct RuleWhen {
    /// From this source.
    #[ts(type = "number | null")]
    pub source: Option<SourceId>,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// The actor's id or name, as a whole, whatever its case.
    pub actor: String,
    /// The target's id, title or `type:id`, or the topic, as a whole, whatever its case.
    pub target: String,
    /// Words that must all be found in title or body; `"…"` keeps them together.
    pub words: String,
    /// This priority or a higher one.
    pub at_least: Option<u8>,
    /// This priority or a lower one.
    pub at_most: Option<u8>,
}

/// What a rule does.
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
    /// Raises (or lowers) the priority by so many steps, within 1 to 5.
    pub priority: i8,
    /// No toast is shown for the item.
    pub no_toast: bool,
}

/// Which of the items that are here a rule would have matched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleTrial {
    /// Items that it matches.
    pub matches: u64,
    /// How many were looked at, the newest first, the user's own left out.
    pub of: u64,
    /// The newest threads with such an item.
    pub threads: Vec<ThreadId>,
}

impl Rule {
    /// The rule as it is kept: trimmed, with priorities in bounds.
    ///
    /// # Errors
    /// [`Error::Invalid`] where a text is too long.
    pub fn checked(mut self) -> Result<Self> {
        for text in [&self.name, &self.when.actor, &self.when.target, &self.when.words] {
            if text.chars().count() > LONGEST || text.contains('\0') {
                return Err(Error::Invalid(format!("a rule's text has at most {LONGEST} characters")));
            }
        }
        self.name = self.name.trim().to_owned();
        self.when.at_least = self.when.at_least.map(|n| n.clamp(1, 5));
        self.when.at_most = self.when.at_most.map(|n| n.clamp(1, 5));
        self.then.priority = self.then.priority.clamp(-4, 4);
        Ok(self)
    }
}
