//! The tables `rule_counts` and `rule_items`: what each rule did in the last days. Rows go with their rule.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};
use tidings_model::Stamp;
use tidings_replica_tables::columns::{count, limit, stamp};
use tidings_replica_tables::sql;

use super::parsed;
use crate::lists;
use crate::{ItemId, Replica, Result, RuleAct, RuleCount, RuleThen, ThreadId};

/// How long counts are kept, in microseconds: the last 14 days, and the part of a day before them.
const KEPT_MICROS: i64 = 15 * 24 * 3_600 * 1_000_000;
/// A quarter of an hour, in microseconds.
const QUARTER_MICROS: i64 = 15 * 60 * 1_000_000;
/// The most items of a rule.
const MAX_ITEMS: usize = 20;

/// What the rules did in one page: by rule, the items on which it acted, each with what it did.
#[derive(Debug, Default)]
pub(crate) struct RuleActs(BTreeMap<i64, Vec<(ItemId, RuleThen)>>);

impl RuleActs {
    /// Records that rules acted on an item.
    pub(crate) fn record(&mut self, rules: &[(i64, RuleThen)], item: ItemId) {
        for (rule, then) in rules {
            self.0.entry(*rule).or_default().push((item, *then));
        }
    }

    /// Takes back that rules marked an item as read.
    pub(crate) fn left_unread(&mut self, item: ItemId) {
        for acts in self.0.values_mut() {
            for (_, then) in acts.iter_mut().filter(|(id, _)| *id == item) {
                then.read = false;
            }
            acts.retain(|(_, then)| *then != RuleThen::default());
        }
    }

    /// Writes the records, and deletes those that are older than 15 days or beyond the last 20 items.
    pub(crate) fn write(&self, tx: &Connection, now: Stamp) -> Result<()> {
        let quarter = now.as_micros() - now.as_micros().rem_euclid(QUARTER_MICROS);
        for (rule, acts) in self.0.iter().filter(|(_, acts)| !acts.is_empty()) {
            let sql = "INSERT INTO rule_counts (rule, quarter, items) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET items = items + ?3";
            sql::run(tx, sql, [*rule, quarter, limit(acts.len())])?;
            let old = "DELETE FROM rule_counts WHERE rule = ?1 AND quarter < ?2";
            sql::run(tx, old, [*rule, now.as_micros() - KEPT_MICROS])?;
            let sql = "INSERT INTO rule_items (rule, item, at, actions) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET at = ?3, actions = ?4";
            for (item, then) in acts.iter().skip(acts.len().saturating_sub(MAX_ITEMS)) {
                sql::run(tx, sql, params![rule, item, now.as_micros(), serde_json::to_string(then)?])?;
            }
            let more = "DELETE FROM rule_items WHERE rule = ?1 AND item IN (SELECT item FROM rule_items
                 WHERE rule = ?1 ORDER BY at DESC, item DESC LIMIT -1 OFFSET ?2)";
            sql::run(tx, more, params![rule, limit(MAX_ITEMS)])?;
        }
        Ok(())
    }
}

/// The last items on which a rule acted, those that are still here.
fn items(conn: &Connection, rule: i64) -> Result<Vec<RuleAct>> {
    let sql = "SELECT r.item, r.at, r.actions, i.thread FROM rule_items r CROSS JOIN items i ON i.id = r.item
             JOIN sources s ON s.id = i.source
         WHERE r.rule = ?1 AND i.deleted = 0 AND s.removing = 0 ORDER BY r.at DESC, r.item DESC";
    let found: Vec<(ItemId, Stamp, Option<RuleThen>, ThreadId)> =
        sql::all(conn, sql, [rule], |r| Ok((r.get(0)?, stamp(r, 1)?, parsed(r, 2)?, r.get(3)?)))?;
    let mut acts = Vec::with_capacity(found.len());
    for (item, at, then, thread) in found {
        if let Some(item) = lists::items::hit(conn, item)? {
            acts.push(RuleAct { thread, item, at, then: then.unwrap_or_default() });
        }
    }
    Ok(acts)
}

impl Replica {
    /// How many items each rule acted on in the last 15 days, oldest first. Edits of a rule leave its counts as they
    /// are.
    pub fn rule_counts(&self) -> Result<Vec<RuleCount>> {
        let since = self.clock.now().as_micros() - KEPT_MICROS;
        let sql = "SELECT c.rule, c.quarter, c.items FROM rules r CROSS JOIN rule_counts c ON c.rule = r.id
             WHERE c.quarter >= ?1 ORDER BY r.id, c.quarter";
        let count = |r: &Row<'_>| Ok(RuleCount { rule: r.get(0)?, at: stamp(r, 1)?, items: count(r, 2)? });
        self.read(|conn| sql::all(conn, sql, [since], count))
    }

    /// The last 20 items on which a rule acted, the latest first; none for a rule that is gone.
    pub fn rule_acts(&self, rule: i64) -> Result<Vec<RuleAct>> {
        self.read(|conn| items(conn, rule))
    }
}
