//! Evaluates rules: whether a rule matches an item, and the joint effect of all rules.

use rusqlite::Connection;
use tidings_model::{Notification, Target};
use tidings_replica_tables::facets::plain_action;
use tidings_replica_tables::items::{self, ITEM};
use tidings_replica_tables::repository;
use tidings_replica_tables::search_text::is_dense;

use super::parsed;
use crate::{Item, Result, Rule, RuleThen, RuleTrial, RuleWhen, SourceId};

/// The most items that a rule is tried on.
const MAX_TRIED_ITEMS: i64 = 10_000;
/// The most threads that a trial returns.
const MAX_TRIAL_THREADS: usize = 5;

/// The joint effect of all rules on one item.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(crate) struct RuleEffect {
    pub(crate) mute: bool,
    pub(crate) archive: bool,
    pub(crate) read: bool,
    pub(crate) pin: bool,
    pub(crate) no_toast: bool,
    pub(crate) priority: u8,
    /// The rules that match, each with what it does.
    pub(crate) of: Vec<(i64, RuleThen)>,
}

impl RuleEffect {
    /// The verdict without any effect.
    pub(crate) const fn none(priority: u8) -> Self {
        Self {
            mute: false,
            archive: false,
            read: false,
            pin: false,
            no_toast: false,
            priority,
            of: Vec::new(),
        }
    }
}

/// The active rules, prepared for matching.
#[derive(Debug, Default)]
pub(crate) struct Rules(Vec<Matcher>);

impl Rules {
    /// Reads the active rules. A rule that cannot be parsed is skipped, so that it does not stop a pull.
    pub(crate) fn of(tx: &Connection) -> Result<Self> {
        let mut rows = tx.prepare_cached(
            "SELECT id, condition, actions FROM rules WHERE active = 1 ORDER BY position, id",
        )?;
        let mut found = rows.query([])?;
        let mut rules = Vec::new();
        while let Some(r) = found.next()? {
            let (when, then) = (parsed::<RuleWhen>(r, 1)?, parsed::<RuleThen>(r, 2)?);
            let id: i64 = r.get(0)?;
            if let Some((when, then)) = when.zip(then) {
                rules.push(Matcher::of(id, &when, then));
            } else {
                tracing::warn!(rule = id, "a rule cannot be read and is passed over");
            }
        }
        Ok(Self(rules))
    }

    /// Applies the rules to an item in order; each sees the priority that the rules before it set.
    pub(crate) fn evaluate(&self, n: &Notification, source: SourceId) -> RuleEffect {
        let mut effect = RuleEffect::none(n.content.priority.get());
        let mut text = None;
        for rule in &self.0 {
            if !rule.matches(n, source, effect.priority, &mut text) {
                continue;
            }
            effect.mute |= rule.then.mute;
            effect.archive |= rule.then.archive;
            effect.read |= rule.then.read;
            effect.pin |= rule.then.pin;
            effect.no_toast |= rule.then.no_toast;
            effect.priority = effect.priority.saturating_add_signed(rule.then.priority).clamp(1, 5);
            effect.of.push((rule.id, rule.then));
        }
        effect
    }
}

/// A rule, prepared for matching.
#[derive(Debug)]
struct Matcher {
    id: i64,
    when: RuleWhen,
    then: RuleThen,
    phrases: Vec<String>,
}

impl Matcher {
    fn of(id: i64, when: &RuleWhen, then: RuleThen) -> Self {
        let lowercase = |text: &str| text.trim().to_lowercase();
        // Without letters and digits it stays as it is, which no action is equal to.
        let action = Some(plain_action(&when.action)).filter(|action| !action.is_empty());
        let when = RuleWhen {
            actor: lowercase(&when.actor),
            target: lowercase(&when.target),
            action: action.unwrap_or_else(|| lowercase(&when.action)),
            tags: when.tags.iter().map(|tag| lowercase(tag)).collect(),
            ..when.clone()
        };
        Self { id, phrases: phrases(&when.words.to_lowercase()), when, then }
    }

    /// Whether the rule matches an item. `text` caches title and body in lower case for the following rules.
    fn matches(
        &self,
        n: &Notification,
        source: SourceId,
        priority: u8,
        text: &mut Option<(String, String)>,
    ) -> bool {
        let when = &self.when;
        when.source.is_none_or(|id| id == source)
            && when.kind.is_none_or(|kind| kind == n.kind)
            && when.at_least.is_none_or(|min| priority >= min)
            && when.at_most.is_none_or(|max| priority <= max)
            && (when.actor.is_empty()
                || equals_lowercase(&n.actor.id, &when.actor)
                || equals_lowercase(&n.actor.name, &when.actor))
            && (when.target.is_empty() || n.target.as_ref().is_some_and(|t| is_target(t, &when.target)))
            && (when.action.is_empty()
                || n.action.as_deref().is_some_and(|one| plain_action(one) == when.action))
            && (when.tags.is_empty() || has_any(&n.content.tags, &when.tags))
            && (self.phrases.is_empty() || {
                let (title, body) = text
                    .get_or_insert_with(|| (n.content.title.to_lowercase(), n.content.body.to_lowercase()));
                self.phrases
                    .iter()
                    .all(|phrase| contains_phrase(title, phrase) || contains_phrase(body, phrase))
            })
    }
}

fn equals_lowercase(text: &str, lowercase: &str) -> bool {
    text == lowercase || text.to_lowercase() == lowercase
}

fn has_any(tags: &[String], lowercase: &[String]) -> bool {
    tags.iter().any(|tag| lowercase.iter().any(|wanted| equals_lowercase(tag.trim(), wanted)))
}

fn is_target(target: &Target, lowercase: &str) -> bool {
    equals_lowercase(&target.id, lowercase)
        || target.title.as_ref().is_some_and(|title| equals_lowercase(title, lowercase))
        || repository(target).is_some_and(|repository| equals_lowercase(repository, lowercase))
        || lowercase.split_once(':').is_some_and(|(kind, id)| {
            equals_lowercase(&target.kind, kind) && equals_lowercase(&target.id, id)
        })
}

/// Splits a text at white space; text between double quotes stays together.
fn phrases(words: &str) -> Vec<String> {
    let mut phrases: Vec<String> = Vec::new();
    for (nth, part) in words.split(['"', '“', '”']).enumerate() {
        if nth % 2 == 1 {
            phrases.push(part.trim().to_owned());
        } else {
            phrases.extend(part.split_whitespace().map(ToOwned::to_owned));
        }
    }
    phrases.retain(|phrase| !phrase.is_empty());
    phrases
}

/// Whether a text contains a run with word boundaries on both sides. Scripts without spaces need no boundaries.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let joins = |a: Option<char>, b: Option<char>| {
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_dense(c));
        letter(a) && letter(b)
    };
    text.match_indices(phrase).any(|(at, found)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|t| t.chars().next());
        !joins(before, phrase.chars().next()) && !joins(phrase.chars().next_back(), after)
    })
}

/// Passes the newest items of others to `each`, with whether a rule matches them.
pub(crate) fn examine(conn: &Connection, rule: &Rule, mut each: impl FnMut(&Item, bool)) -> Result<()> {
    let matcher = Matcher::of(rule.id, &rule.when, rule.then);
    let sql = format!(
        "SELECT {ITEM}, i.server_priority FROM items i INDEXED BY items_time CROSS JOIN threads t ON t.id = i.thread
            LEFT JOIN views v ON v.id = i.view
         WHERE i.deleted = 0 ORDER BY i.listed_at DESC, i.id DESC LIMIT ?1"
    );
    let mut rows = conn.prepare_cached(&sql)?;
    let mut found = rows.query([MAX_TRIED_ITEMS])?;
    while let Some(r) = found.next()? {
        let item = items::item(r)?;
        if item.own {
            continue;
        }
        let server: Option<u8> = r.get("server_priority")?;
        let priority = server.unwrap_or_else(|| item.notification.content.priority.get());
        let matches = matcher.matches(&item.notification, item.source, priority, &mut None);
        each(&item, matches);
    }
    Ok(())
}

/// The items among the newest ones that a rule matches.
pub(crate) fn try_on_stored_items(conn: &Connection, rule: &Rule) -> Result<RuleTrial> {
    let mut trial = RuleTrial::default();
    examine(conn, rule, |item, matches| {
        trial.of += 1;
        if !matches {
            return;
        }
        trial.matches += 1;
        if trial.threads.len() < MAX_TRIAL_THREADS && !trial.threads.contains(&item.thread) {
            trial.threads.push(item.thread);
        }
    })?;
    Ok(trial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_repository_is_meant_by_its_name() {
        let target = |id: &str| Target { kind: "issue".into(), id: id.into(), ..Target::default() };
        assert!(is_target(&target("rust-lang/Rust#12"), "rust-lang/rust"));
        assert!(is_target(&target("rust-lang/Rust#12"), "rust-lang/rust#12"));
        assert!(!is_target(&target("rust-lang/rustup#12"), "rust-lang/rust"));
    }

    #[test]
    fn words_are_found_whole_and_in_any_script() {
        for (text, words, found) in [
            ("deploy failed on prod-3", "failed deploy", true),
            ("deployment failed", "deploy", false),
            ("the nightly build, failed.", "\"build, failed\"", true),
            ("build has failed", "“build failed”", false),
            ("数据库备份失败了", "备份 失败", true),
            ("备份ok", "ok", true),
            ("anything", "  \"\" ", true),
        ] {
            let hit = phrases(words).iter().all(|phrase| contains_phrase(text, phrase));
            assert_eq!(hit, found, "{text:?} {words:?}");
        }
    }
}
