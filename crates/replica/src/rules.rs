//! The rules: which items each is for, and what it does with them. Kept in their order. Refuses to act: the pull does.

use rusqlite::{Connection, Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tidings_model::{Kind, Notification, Target};
use ts_rs::TS;

use crate::row::{self, ITEM};
use crate::text::is_dense;
use crate::{Error, Replica, Result, SourceId, ThreadId};

/// Items that a rule is tried on.
const TRIED: i64 = 10_000;
/// Threads that a trial shows.
const SHOWN: usize = 5;
/// Characters of a rule's name, and of what it looks for.
const LONGEST: usize = 1_000;

/// What happens to what arrives, without being asked each time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Rule {
    /// Names it; 0 in a new one.
    #[ts(type = "number")]
    pub id: i64,
    /// What its reader calls it; empty is worded from what it does.
    pub name: String,
    /// In force.
    pub on: bool,
    /// Which items.
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
    /// Silences the thread.
    pub mute: bool,
    /// Archives the item.
    pub archive: bool,
    /// Pins the thread.
    pub pin: bool,
    /// Raises (or lowers) the priority by so many steps, within 1 to 5.
    pub priority: i8,
    /// No toast.
    pub no_toast: bool,
}

/// What a rule would have done with what is here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleTrial {
    /// Items that it matches.
    pub matches: u64,
    /// How many were looked at, the newest first, the user's own left out.
    pub of: u64,
    /// The newest threads with such an item.
    pub threads: Vec<ThreadId>,
}

/// What all rules together do with one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(crate) struct Verdict {
    pub(crate) mute: bool,
    pub(crate) archive: bool,
    pub(crate) pin: bool,
    pub(crate) no_toast: bool,
    pub(crate) priority: u8,
}

impl Verdict {
    /// Everything as it came.
    pub(crate) const fn none(priority: u8) -> Self {
        Self { mute: false, archive: false, pin: false, no_toast: false, priority }
    }
}

/// A rule that is ready to be asked.
#[derive(Debug)]
struct Ready {
    when: RuleWhen,
    then: RuleThen,
    runs: Vec<String>,
}

impl Ready {
    fn of(when: &RuleWhen, then: RuleThen) -> Self {
        let low = |text: &str| text.trim().to_lowercase();
        let when = RuleWhen { actor: low(&when.actor), target: low(&when.target), ..when.clone() };
        Self { runs: runs(&when.words.to_lowercase()), when, then }
    }

    /// `text` is title and body in small letters, made when it is first needed.
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
            && when.at_least.is_none_or(|least| priority >= least)
            && when.at_most.is_none_or(|most| priority <= most)
            && (when.actor.is_empty() || same(&n.actor.id, &when.actor) || same(&n.actor.name, &when.actor))
            && (when.target.is_empty() || n.target.as_ref().is_some_and(|t| is_target(t, &when.target)))
            && (self.runs.is_empty() || {
                let (title, body) =
                    text.get_or_insert_with(|| (n.title.to_lowercase(), n.body.to_lowercase()));
                self.runs.iter().all(|run| holds(title, run) || holds(body, run))
            })
    }
}

fn same(text: &str, low: &str) -> bool {
    text == low || text.to_lowercase() == low
}

fn is_target(target: &Target, low: &str) -> bool {
    same(&target.id, low)
        || target.title.as_ref().is_some_and(|title| same(title, low))
        || low.split_once(':').is_some_and(|(kind, id)| same(&target.kind, kind) && same(&target.id, id))
}

/// Words, and what stands between quotes.
fn runs(words: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    for (nth, part) in words.split(['"', '“', '”']).enumerate() {
        if nth % 2 == 1 {
            runs.push(part.trim().to_owned());
        } else {
            runs.extend(part.split_whitespace().map(ToOwned::to_owned));
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Whether a run stands in a text as words of its own. Where words are written without spaces any place will do.
fn holds(text: &str, run: &str) -> bool {
    let joins = |a: Option<char>, b: Option<char>| {
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_dense(c));
        letter(a) && letter(b)
    };
    text.match_indices(run).any(|(at, found)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|t| t.chars().next());
        !joins(before, run.chars().next()) && !joins(run.chars().next_back(), after)
    })
}

/// The rules in force, ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct Rules(Vec<Ready>);

impl Rules {
    /// From the database. One that cannot be read is passed over: it must not stop a pull.
    pub(crate) fn of(tx: &Connection) -> Result<Self> {
        let mut rows =
            tx.prepare_cached("SELECT id, matches, does FROM rules WHERE active = 1 ORDER BY position, id")?;
        let mut found = rows.query([])?;
        let mut rules = Vec::new();
        while let Some(r) = found.next()? {
            let (when, then) = (parsed::<RuleWhen>(r, 1)?, parsed::<RuleThen>(r, 2)?);
            if let Some((when, then)) = when.zip(then) {
                rules.push(Ready::of(&when, then));
            } else {
                tracing::warn!(rule = r.get::<_, i64>(0)?, "a rule cannot be read and is passed over");
            }
        }
        Ok(Self(rules))
    }

    /// What they do with an item, one after the other: each sees the priority that the ones before made.
    pub(crate) fn judge(&self, n: &Notification, source: SourceId) -> Verdict {
        let mut verdict = Verdict::none(n.priority.get());
        let mut text = None;
        for rule in &self.0 {
            if !rule.matches(n, source, verdict.priority, &mut text) {
                continue;
            }
            verdict.mute |= rule.then.mute;
            verdict.archive |= rule.then.archive;
            verdict.pin |= rule.then.pin;
            verdict.no_toast |= rule.then.no_toast;
            verdict.priority = verdict.priority.saturating_add_signed(rule.then.priority).clamp(1, 5);
        }
        verdict
    }
}

fn parsed<T: DeserializeOwned>(r: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>> {
    Ok(r.get_ref(at)?.as_str().ok().and_then(|text| serde_json::from_str(text).ok()))
}

fn all(conn: &Connection) -> Result<Vec<Rule>> {
    let mut rows =
        conn.prepare_cached("SELECT id, name, active, matches, does FROM rules ORDER BY position, id")?;
    let rules = rows.query_map([], |r| {
        let (when, then) = (parsed(r, 3)?, parsed(r, 4)?);
        // What cannot be read does nothing, and can be seen and removed.
        let on = r.get::<_, bool>(2)? && when.is_some() && then.is_some();
        let (when, then) = (when.unwrap_or_default(), then.unwrap_or_default());
        Ok(Rule { id: r.get(0)?, name: r.get(1)?, on, when, then })
    })?;
    Ok(rules.collect::<Result<_, _>>()?)
}

impl Rule {
    /// Within what can be kept: trimmed, priorities in bounds. Text that is too long is refused.
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

fn save(tx: &Connection, rule: &Rule) -> Result<()> {
    let (when, then) = (serde_json::to_string(&rule.when)?, serde_json::to_string(&rule.then)?);
    if rule.id == 0 {
        tx.prepare_cached(
            "INSERT INTO rules (position, name, active, matches, does)
             VALUES ((SELECT ifnull(max(position) + 1, 0) FROM rules), ?1, ?2, ?3, ?4)",
        )?
        .execute(params![rule.name, rule.on, when, then])?;
        return Ok(());
    }
    let known = tx
        .prepare_cached("UPDATE rules SET name = ?2, active = ?3, matches = ?4, does = ?5 WHERE id = ?1")?
        .execute(params![rule.id, rule.name, rule.on, when, then])?;
    if known == 0 { Err(Error::NoRule(rule.id)) } else { Ok(()) }
}

fn tried(conn: &Connection, rule: &Rule) -> Result<RuleTrial> {
    let ready = Ready::of(&rule.when, rule.then);
    let sql = format!(
        "SELECT {ITEM}, i.sent_priority FROM items i INDEXED BY items_time CROSS JOIN threads t ON t.id = i.thread
            LEFT JOIN views v ON v.id = i.view
         WHERE i.deleted = 0 ORDER BY i.created_at DESC, i.id DESC LIMIT ?1"
    );
    let mut rows = conn.prepare_cached(&sql)?;
    let mut found = rows.query([TRIED])?;
    let mut trial = RuleTrial::default();
    while let Some(r) = found.next()? {
        let item = row::item(r)?;
        if item.own {
            continue;
        }
        trial.of += 1;
        let sent: Option<u8> = r.get("sent_priority")?;
        let priority = sent.unwrap_or_else(|| item.notification.priority.get());
        if !ready.matches(&item.notification, item.source, priority, &mut None) {
            continue;
        }
        trial.matches += 1;
        if trial.threads.len() < SHOWN && !trial.threads.contains(&item.thread) {
            trial.threads.push(item.thread);
        }
    }
    Ok(trial)
}

impl Replica {
    /// All rules in their order. One that cannot be read is off and asks for nothing.
    pub fn rules(&self) -> Result<Vec<Rule>> {
        self.read(all)
    }

    /// Keeps a rule (id 0 adds it behind the others) and gives all. It is for what arrives from now on.
    pub fn save_rule(&self, rule: Rule) -> Result<Vec<Rule>> {
        let rule = rule.checked()?;
        let (rules, _) = self.write(move |tx, _| {
            save(tx, &rule)?;
            all(tx)
        })?;
        Ok(rules)
    }

    /// Takes a rule away and gives the others. What it did stays done.
    pub fn remove_rule(&self, id: i64) -> Result<Vec<Rule>> {
        let (rules, _) = self.write(move |tx, _| {
            if tx.prepare_cached("DELETE FROM rules WHERE id = ?1")?.execute([id])? == 0 {
                return Err(Error::NoRule(id));
            }
            all(tx)
        })?;
        Ok(rules)
    }

    /// Puts the rules into this order; those that are not named come after.
    pub fn order_rules(&self, ids: Vec<i64>) -> Result<Vec<Rule>> {
        let (rules, _) = self.write(move |tx, _| {
            let before = all(tx)?;
            let rest = before.iter().map(|rule| rule.id).filter(|id| !ids.contains(id));
            let mut place = tx.prepare_cached("UPDATE rules SET position = ?2 WHERE id = ?1")?;
            for (position, id) in (0_i64..).zip(ids.iter().copied().chain(rest)) {
                place.execute([id, position])?;
            }
            drop(place);
            all(tx)
        })?;
        Ok(rules)
    }

    /// What a rule would have matched among the newest 10,000 items.
    pub fn try_rule(&self, rule: Rule) -> Result<RuleTrial> {
        let rule = rule.checked()?;
        self.read(|conn| tried(conn, &rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let hit = runs(words).iter().all(|run| holds(text, run));
            assert_eq!(hit, found, "{text:?} {words:?}");
        }
    }
}
