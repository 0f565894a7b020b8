//! The rules: which items each is for, and what it does with them. Kept in their order. Refuses to act: the pull does.

mod judge;

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use tidings_model::Kind;
use ts_rs::TS;

use self::judge::{Ready, parsed};
use crate::row::{self, ITEM};
use crate::{Error, Replica, Result, SourceId, ThreadId};

pub(crate) use self::judge::{Rules, Verdict};

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
        let priority = sent.unwrap_or_else(|| item.notification.content.priority.get());
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
