//! The reader's rules: the table `rules` in its order, the items that each matches, and its log.

pub(crate) mod log;
pub(crate) mod matching;

use rusqlite::{Connection, Row, params};
use serde::de::DeserializeOwned;
use tidings_replica_tables::positions::{in_order, set_positions};
use tidings_replica_tables::sql;

use crate::{Error, Replica, Result, Rule, RuleTrial};

/// The most rules. Each is tried on every item that arrives.
const MAX_RULES: i64 = 1_000;

/// A column of JSON; `None` for what is no such value.
pub(crate) fn parsed<T: DeserializeOwned>(r: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>> {
    Ok(r.get_ref(at)?.as_str().ok().and_then(|text| serde_json::from_str(text).ok()))
}

fn all(conn: &Connection) -> Result<Vec<Rule>> {
    let sql = "SELECT id, name, active, condition, actions FROM rules ORDER BY position, id";
    sql::all(conn, sql, [], |r| {
        let (when, then) = (parsed(r, 3)?, parsed(r, 4)?);
        // A rule that cannot be parsed is shown as off, so that it can be removed.
        let on = r.get::<_, bool>(2)? && when.is_some() && then.is_some();
        let (when, then) = (when.unwrap_or_default(), then.unwrap_or_default());
        Ok(Rule { id: r.get(0)?, name: r.get(1)?, on, when, then })
    })
}

fn save(tx: &Connection, rule: &Rule) -> Result<()> {
    let (when, then) = (serde_json::to_string(&rule.when)?, serde_json::to_string(&rule.then)?);
    if rule.id == 0 {
        let saved: i64 = sql::one(tx, "SELECT count(*) FROM rules", [], |r| r.get(0))?;
        if saved >= MAX_RULES {
            return Err(Error::Invalid(format!("at most {MAX_RULES} rules are kept")));
        }
        let sql = "INSERT INTO rules (position, name, active, condition, actions)
             VALUES ((SELECT ifnull(max(position) + 1, 0) FROM rules), ?1, ?2, ?3, ?4)";
        sql::run(tx, sql, params![rule.name, rule.on, when, then])?;
        return Ok(());
    }
    let sql = "UPDATE rules SET name = ?2, active = ?3, condition = ?4, actions = ?5 WHERE id = ?1";
    let known = sql::run(tx, sql, params![rule.id, rule.name, rule.on, when, then])?;
    if known == 0 { Err(Error::NoRule(rule.id)) } else { Ok(()) }
}

impl Replica {
    /// All rules in their order. A rule that cannot be parsed is off and empty.
    pub fn rules(&self) -> Result<Vec<Rule>> {
        self.read(all)
    }

    /// Saves a rule (id 0 adds it at the end) and returns all rules. It applies to items that arrive from now on.
    ///
    /// # Errors
    /// [`Error::NoRule`], and [`Error::Invalid`] if a text is too long, or there are 1,000 rules already.
    pub fn save_rule(&self, rule: Rule) -> Result<Vec<Rule>> {
        let rule = rule.checked()?;
        let (rules, _) = self.write_durable(move |tx, _| {
            save(tx, &rule)?;
            all(tx)
        })?;
        Ok(rules)
    }

    /// Removes a rule and returns the others. Its past effects stay, what it did is forgotten.
    ///
    /// # Errors
    /// [`Error::NoRule`].
    pub fn remove_rule(&self, id: i64) -> Result<Vec<Rule>> {
        let (rules, _) = self.write_durable(move |tx, _| {
            if sql::run(tx, "DELETE FROM rules WHERE id = ?1", [id])? == 0 {
                return Err(Error::NoRule(id));
            }
            all(tx)
        })?;
        Ok(rules)
    }

    /// Sorts the rules in this order; rules that are not in it follow.
    pub fn order_rules(&self, ids: Vec<i64>) -> Result<Vec<Rule>> {
        let (rules, _) = self.write_durable(move |tx, _| {
            let rows = all(tx)?.into_iter().map(|rule| rule.id).collect();
            set_positions(tx, "rules", in_order(rows, &ids))?;
            all(tx)
        })?;
        Ok(rules)
    }

    /// The items among the newest 10,000 that a rule matches.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a text is too long.
    pub fn try_rule(&self, rule: Rule) -> Result<RuleTrial> {
        let rule = rule.checked()?;
        self.read(|conn| matching::try_on_stored_items(conn, &rule))
    }
}
