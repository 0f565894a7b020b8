//! Completes the fields of a rule (people, topics and other targets, actions and tags) and the actions of a search, from what
//! is in the inbox.

use std::collections::HashSet;

use rusqlite::Connection;
use serde::Deserialize;
use tidings_model::{Target, text};
use tidings_replica_tables::repository;

use crate::{Replica, Result, RuleField, RuleValue};

/// The number of the newest items whose targets and tags are examined: those that a rule is tried on.
const MAX_EXAMINED: i64 = 10_000;

impl Replica {
    /// Values of a rule's field of which the value, the name or a word of the name begins with `prefix`, the latest
    /// first; at most `most`. Of targets and tags those of the newest 10,000 items are known.
    pub fn rule_values(&self, field: RuleField, prefix: &str, most: usize) -> Result<Vec<RuleValue>> {
        let prefix = prefix.trim().to_lowercase();
        match field {
            RuleField::Actor => {
                let people = self.people(&prefix, most)?;
                Ok(people.into_iter().map(|actor| named(actor.id, actor.name)).collect())
            }
            RuleField::Target => self.read(|conn| targets(conn, &prefix, most)),
            RuleField::Action => {
                // As people write them; a rule reads both.
                let actions = self.actions(&prefix, most)?.into_iter().map(|action| action.replace('_', "-"));
                Ok(actions.map(|action| named(action, String::new())).collect())
            }
            RuleField::Tag => self.read(|conn| tags(conn, &prefix, most)),
        }
    }

    /// Actions of which the text or a word in it begins with `prefix`, in which dashes are underscores, the latest
    /// first; at most `most`. Those of the newest 10,000 items are known.
    pub fn actions(&self, prefix: &str, most: usize) -> Result<Vec<String>> {
        let prefix = prefix.trim().to_lowercase().replace(['-', ' '], "_");
        self.read(|conn| actions(conn, &prefix, most))
    }
}

/// What a column of the newest items holds, newest first: as long as `take` asks for more.
fn newest(conn: &Connection, column: &Column, mut take: impl FnMut(&str) -> Result<bool>) -> Result<()> {
    let mut rows = conn.prepare_cached(column.query())?;
    let mut rows = rows.query([MAX_EXAMINED])?;
    while let Some(r) = rows.next()? {
        if !take(r.get_ref(0)?.as_str().unwrap_or_default())? {
            break;
        }
    }
    Ok(())
}

/// A column of the items in which values are looked for.
enum Column {
    Action,
    Target,
    /// The content of those that have tags.
    Tags,
}

impl Column {
    fn query(&self) -> &'static str {
        match self {
            Self::Action => {
                "SELECT x.action FROM (SELECT i.action FROM items i INDEXED BY items_time WHERE i.deleted = 0
                    ORDER BY i.listed_at DESC LIMIT ?1) x WHERE x.action IS NOT NULL"
            }
            Self::Target => {
                "SELECT x.target FROM (SELECT i.target FROM items i INDEXED BY items_time WHERE i.deleted = 0
                    ORDER BY i.listed_at DESC LIMIT ?1) x WHERE x.target IS NOT NULL"
            }
            Self::Tags => {
                "SELECT x.content FROM (SELECT i.content FROM items i INDEXED BY items_time WHERE i.deleted = 0
                    ORDER BY i.listed_at DESC LIMIT ?1) x WHERE instr(x.content, '\"tags\"') > 0"
            }
        }
    }
}

fn actions(conn: &Connection, prefix: &str, most: usize) -> Result<Vec<String>> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    newest(conn, &Column::Action, |action| {
        let text = action.to_lowercase();
        let fits = text.starts_with(prefix) || text.split('_').any(|word| word.starts_with(prefix));
        if fits && is_typed(action) && known.insert(action.to_owned()) {
            found.push(action.to_owned());
        }
        Ok(found.len() < most)
    })?;
    found.truncate(most);
    Ok(found)
}

fn named(value: String, name: String) -> RuleValue {
    let name = if name == value { String::new() } else { name };
    RuleValue { value, name }
}

fn begins(text: &str, prefix: &str) -> bool {
    let text = text.to_lowercase();
    text.starts_with(prefix) || text.split_whitespace().any(|word| word.starts_with(prefix))
}

/// Whether a value could be typed: it comes from other systems and may hold characters that nobody sees.
fn is_typed(value: &str) -> bool {
    !value.is_empty() && text::line(value) == value
}

fn targets(conn: &Connection, prefix: &str, most: usize) -> Result<Vec<RuleValue>> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    newest(conn, &Column::Target, |stored| {
        let Ok(target) = serde_json::from_str::<Target>(stored) else { return Ok(true) };
        let value = format!("{}:{}", target.kind, target.id);
        let repository = repository(&target).map(str::to_owned);
        let title = target.title.unwrap_or_default();
        let fits = begins(&target.id, prefix) || begins(&title, prefix) || begins(&value, prefix);
        if fits && is_typed(&value) && known.insert(value.to_lowercase()) {
            let title = if title == target.id { String::new() } else { title };
            found.push(named(value, title));
        }
        if let Some(repository) = repository
            && begins(&repository, prefix)
            && is_typed(&repository)
            && known.insert(repository.to_lowercase())
        {
            found.push(named(repository, String::new()));
        }
        Ok(found.len() < most)
    })?;
    found.truncate(most);
    Ok(found)
}

/// The part of a stored content that has the tags.
#[derive(Deserialize)]
struct Tagged {
    #[serde(default)]
    tags: Vec<String>,
}

fn tags(conn: &Connection, prefix: &str, most: usize) -> Result<Vec<RuleValue>> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    newest(conn, &Column::Tags, |content| {
        let content: Tagged = serde_json::from_str(content)?;
        for tag in content.tags {
            let tag = tag.trim();
            if is_typed(tag) && begins(tag, prefix) && known.insert(tag.to_lowercase()) {
                found.push(named(tag.to_owned(), String::new()));
            }
        }
        Ok(found.len() < most)
    })?;
    found.truncate(most);
    Ok(found)
}
