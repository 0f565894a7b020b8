//! What is stored of an item, to be compared with a new version of it.

use rusqlite::Connection;
use tidings_model::{Actor, Content, Notification};

use super::super::sql;
use super::to_json;
use crate::{ItemId, Result};

/// The stored content of an item, for comparison with a new version.
pub struct Stored {
    /// The actor.
    pub actor: Actor,
    /// The server's priority, if a rule changed it.
    server_priority: Option<u8>,
    content: String,
    action: Option<String>,
    target: Option<String>,
    conversation: Option<String>,
    receipt: Option<String>,
}

impl Stored {
    /// Whether a notification has the same content, apart from the actor. `content` is its content as stored.
    pub fn is_same(&self, n: &Notification, content: &str) -> Result<bool> {
        Ok(self.content == content
            && self.action == n.action
            && self.target == to_json(n.target.as_ref())?
            && self.conversation == n.conversation
            && self.receipt == to_json(n.receipt.as_ref())?)
    }

    /// The priority that the server gave. `in_force` is the stored one.
    #[inline]
    pub fn published_priority(&self, in_force: u8) -> u8 {
        self.server_priority.unwrap_or(in_force)
    }

    /// Whether a notification has another title or body. `content` is its content as stored.
    pub fn has_other_text(&self, n: &Notification, content: &str) -> Result<bool> {
        if self.content == content {
            return Ok(false);
        }
        let old: Content = serde_json::from_str(&self.content)?;
        Ok(old.title != n.content.title || old.body != n.content.body)
    }
}

/// The stored content of an item.
pub fn stored(tx: &Connection, item: ItemId) -> Result<Stored> {
    let sql = "SELECT actor, actor_name, server_priority, content, action, target, conversation, receipt
         FROM items WHERE id = ?1";
    sql::one(tx, sql, [item], |r| {
        Ok(Stored {
            actor: Actor { id: r.get(0)?, name: r.get(1)? },
            server_priority: r.get(2)?,
            content: r.get(3)?,
            action: r.get(4)?,
            target: r.get(5)?,
            conversation: r.get(6)?,
            receipt: r.get(7)?,
        })
    })
}
