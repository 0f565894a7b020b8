//! What comes into an inbox: new items, the conversations that they are in, and the groups that have changed. Each is
//! written by one statement.

use std::collections::BTreeMap;

use tidings_model::{Kind, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::Item;

use crate::read_state::items::unread_row;
use crate::read_state::kind_row;
use crate::session::{Session, Values};

/// `$1` the user; then a column of each field.
const ADD_ITEMS: &str = "INSERT INTO items (user_key, created_at, stamp, version, kind, view, action, auto, own, unread, read_at,
        revised_at, edited_at, closed)
    SELECT $1, n.created_at, n.stamp, 1, n.kind, n.view, n.action, n.auto, n.own, n.unread, n.read_at, n.revised_at, n.edited_at, n.closed
    FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::boolean[], $8::boolean[],
        $9::smallint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::boolean[])
        n (created_at, stamp, kind, view, action, auto, own, unread, read_at, revised_at, edited_at, closed)
    ON CONFLICT DO NOTHING";

/// `$1` the user, `$2` the conversations, `$3` the newest item of each.
const LIST_CONVERSATIONS: &str = "INSERT INTO conversations (user_key, view, newest_at)
    SELECT $1, n.view, n.newest_at FROM unnest($2::text[], $3::bigint[]) n (view, newest_at)
    ON CONFLICT (user_key, view) DO UPDATE SET newest_at = excluded.newest_at
        WHERE excluded.newest_at > conversations.newest_at";

/// `$1` the user, `$2` the groups, `$3` the stamps.
const NAME_GROUPS: &str = "INSERT INTO changed_groups (user_key, group_key, stamp)
    SELECT $1, n.group_key, n.stamp FROM unnest($2::bigint[], $3::bigint[]) n (group_key, stamp)
    ON CONFLICT (user_key, group_key) DO UPDATE SET stamp = excluded.stamp";

/// What comes into an inbox.
#[derive(Default)]
pub(super) struct Arrivals {
    created_at: Vec<i64>,
    stamp: Vec<i64>,
    kind: Vec<i16>,
    view: Vec<String>,
    action: Vec<String>,
    auto: Vec<bool>,
    own: Vec<bool>,
    unread: Vec<i16>,
    read_at: Vec<Option<i64>>,
    revised_at: Vec<i64>,
    edited_at: Vec<i64>,
    closed: Vec<bool>,
    /// The newest new item of each conversation.
    conversations: BTreeMap<String, i64>,
    /// The stamps of groups by their keys.
    groups: BTreeMap<i64, i64>,
}

impl Arrivals {
    /// Adds an item. New messages come in the order of their creation.
    pub(super) fn push(&mut self, kind: Kind, view: String, action: String, item: &Item, stamp: Stamp) {
        let created_at = item.created_at.as_micros();
        if kind == Kind::Message {
            self.conversations.insert(view.clone(), created_at);
        }
        self.created_at.push(created_at);
        self.stamp.push(stamp.as_micros());
        self.kind.push(kind_row(kind));
        self.view.push(view);
        self.action.push(if kind == Kind::Reminder { action } else { String::new() });
        self.auto.push(item.auto);
        self.own.push(item.own);
        self.unread.push(unread_row(item));
        self.read_at.push(item.read_at.map(Stamp::as_micros));
        self.revised_at.push(item.revised_at.map_or(0, Stamp::as_micros));
        self.edited_at.push(item.edited_at.map_or(0, Stamp::as_micros));
        self.closed.push(item.closed);
    }

    /// Names a group that has changed.
    pub(super) fn group_changed(&mut self, group: i64, stamp: Stamp) {
        self.groups.insert(group, stamp.as_micros());
    }

    /// Writes it, in one round trip.
    pub(super) async fn write(&self, tx: &Session, user: UserKey) -> Result<(), Error> {
        let items: Values<'_> = &[
            &user.0,
            &self.created_at,
            &self.stamp,
            &self.kind,
            &self.view,
            &self.action,
            &self.auto,
            &self.own,
            &self.unread,
            &self.read_at,
            &self.revised_at,
            &self.edited_at,
            &self.closed,
        ];
        let views: Vec<&str> = self.conversations.keys().map(String::as_str).collect();
        let newest: Vec<i64> = self.conversations.values().copied().collect();
        let conversations: Values<'_> = &[&user.0, &views, &newest];
        let (groups, stamps): (Vec<i64>, Vec<i64>) = self.groups.iter().map(|(g, s)| (*g, *s)).unzip();
        let groups_named: Values<'_> = &[&user.0, &groups, &stamps];
        let mut statements = Vec::new();
        if !self.created_at.is_empty() {
            statements.push((ADD_ITEMS, items));
        }
        if !views.is_empty() {
            statements.push((LIST_CONVERSATIONS, conversations));
        }
        if !groups.is_empty() {
            statements.push((NAME_GROUPS, groups_named));
        }
        tx.pipeline(&statements).await?;
        Ok(())
    }
}
