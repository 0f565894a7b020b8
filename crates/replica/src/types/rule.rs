//! Rules: conditions on arriving items, and actions on those that match.

use serde::{Deserialize, Serialize};
use tidings_model::{Kind, Stamp};
use ts_rs::TS;

use super::Hit;
use crate::{Error, Result, SourceId, ThreadId};

/// The most characters of each text of a rule.
const MAX_TEXT_CHARS: usize = 1_000;
/// The most tags of a condition.
const MAX_TAGS: usize = 50;

/// A rule that acts on items as they arrive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Rule {
    /// Row id; 0 in a new rule.
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
    pub source: Option<SourceId>,
    /// The kind of the item.
    pub kind: Option<Kind>,
    /// The actor's id or name, compared as a whole and without case.
    pub actor: String,
    /// The target's id, title or `type:id`, the topic, or the repository of the target, compared as a whole and without
    /// case.
    pub target: String,
    /// The action of a reminder, such as `review_requested`; letter case and all that is neither letter nor digit are
    /// ignored.
    pub action: String,
    /// Words that must all occur in title or body; `"…"` requires adjacent words.
    pub words: String,
    /// Tags of which the item must have at least one, compared as a whole and without case; empty is not set.
    pub tags: Vec<String>,
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
    /// Marks the item as read. One of auto class is left unread if that would read others that came before it.
    pub read: bool,
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

/// How many items a rule acted on in a quarter of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleCount {
    /// The rule's row id.
    pub rule: i64,
    /// The beginning of the quarter.
    pub at: Stamp,
    /// The number of items.
    pub items: u64,
}

/// An item on which a rule acted.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleAct {
    /// The item's thread.
    pub thread: ThreadId,
    /// The item as a row shows it.
    pub item: Hit,
    /// When the rule acted.
    pub at: Stamp,
    /// What it did then.
    pub then: RuleThen,
}

/// A field of a rule whose values the replica completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleField {
    /// Who acted.
    Actor,
    /// A topic, or another target.
    Target,
    /// An action.
    Action,
    /// A tag.
    Tag,
}

/// A value of a rule's field that begins like what was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleValue {
    /// The value, as the rule has it.
    pub value: String,
    /// What it is called, if that is something else; may be empty.
    pub name: String,
}

impl Rule {
    /// The rule as it is stored: with its name trimmed, each tag once, and its priorities clamped.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a text is too long or contains a null character, or if there are too many tags.
    pub fn checked(mut self) -> Result<Self> {
        let RuleWhen { actor, target, action, words, .. } = &self.when;
        let texts = [&self.name, actor, target, action, words];
        for text in texts.into_iter().chain(&self.when.tags) {
            if text.chars().count() > MAX_TEXT_CHARS || text.contains('\0') {
                return Err(Error::Invalid(format!("a rule's text has at most {MAX_TEXT_CHARS} characters")));
            }
        }
        self.name = String::from(self.name.trim());
        let tags = std::mem::take(&mut self.when.tags);
        for tag in tags.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
            if !self.when.tags.iter().any(|known| known.to_lowercase() == tag.to_lowercase()) {
                self.when.tags.push(tag.to_owned());
            }
        }
        if self.when.tags.len() > MAX_TAGS {
            return Err(Error::Invalid(format!("a rule has at most {MAX_TAGS} tags")));
        }
        self.when.at_least = self.when.at_least.map(|n| n.clamp(1, 5));
        self.when.at_most = self.when.at_most.map(|n| n.clamp(1, 5));
        self.then.priority = self.then.priority.clamp(-4, 4);
        Ok(self)
    }
}
