//! Contacts: the users of a source whom the user can write to.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, params};
use tidings_model::{Actor, Kind, Stamp};
use tidings_replica_tables::columns::{ThreadPlace, stamp};
use tidings_replica_tables::sources;

use crate::conversations::groups;
use crate::{Replica, Result, SourceId, ThreadId};

/// Threads of a kind whose actors are taken: this many of the newest read ones, and of the newest unread ones.
const MAX_THREADS: i64 = 200;
/// Conversations whose peers are taken: this many of the newest unread, read, snoozed and done ones.
const MAX_CONVERSATIONS: i64 = 500;
/// The newest items of one thread whose actors are taken.
const MAX_ITEMS_OF_THREAD: i64 = 50;

impl Replica {
    /// Users of a source to whom the user can write: first the peers of conversations, then the members of groups,
    /// then recent actors. Only this source is searched, because the same id may be another user in another source.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource).
    pub fn contacts(&self, source: SourceId, most: usize) -> Result<Vec<Actor>> {
        self.read(|conn| {
            let user = sources::one(conn, source)?.user;
            let mut all = Vec::new();
            all.extend(peers(conn, source)?);
            all.extend(groups::members(conn, source)?);
            all.extend(recent_actors(conn, source)?);
            // A later entry may have the name that an earlier entry of the same id lacks.
            let mut known: HashSet<String> = user.into_iter().collect();
            let named: HashMap<String, String> = all
                .iter()
                .rev()
                .filter(|actor| actor.name != actor.id)
                .cloned()
                .map(|actor| (actor.id, actor.name))
                .collect();
            all.retain(|actor| tidings_model::check_id(&actor.id).is_ok() && known.insert(actor.id.clone()));
            all.truncate(most);
            for actor in &mut all {
                if let Some(name) = named.get(&actor.id) {
                    actor.name.clone_from(name);
                }
            }
            Ok(all)
        })
    }
}

/// An actor, and the time of their latest item.
type DatedActor = (Stamp, Actor);

fn latest(mut actors: Vec<DatedActor>) -> Vec<Actor> {
    actors.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    actors.into_iter().map(|(_, actor)| actor).collect()
}

fn dated_actor(r: &Row<'_>) -> rusqlite::Result<DatedActor> {
    Ok((stamp(r, 2)?, Actor { id: r.get(0)?, name: r.get(1)? }))
}

/// The peers of the user's conversations, the latest first.
fn peers(conn: &Connection, source: SourceId) -> Result<Vec<Actor>> {
    let mut rows = conn.prepare_cached(
        "SELECT substr(t.key, 6), ifnull(nullif((SELECT value ->> 1 FROM json_each(t.actors)
                WHERE value ->> 0 = substr(t.key, 6)), ''), substr(t.key, 6)), t.last_at
         FROM (SELECT key, last_at, total, actors FROM threads INDEXED BY threads_list
                WHERE place = ?1 AND kind = ?2 AND source = ?3 AND (unread > 0) = ?4
                ORDER BY last_at DESC LIMIT ?5) t
         WHERE t.key >= 'user:' AND t.key < 'user;' AND t.total > 0",
    )?;
    let mut all = Vec::new();
    // Snoozed and done threads have no unread items.
    let places = [
        (ThreadPlace::Inbox, true),
        (ThreadPlace::Inbox, false),
        (ThreadPlace::Snoozed, false),
        (ThreadPlace::Done, false),
    ];
    for (place, unread) in places {
        let values = params![place, Kind::Message.as_row(), source, unread, MAX_CONVERSATIONS];
        for actor in rows.query_map(values, dated_actor)? {
            all.push(actor?);
        }
    }
    Ok(latest(all))
}

/// The recent actors of reminders. Threads of topics are left out: a topic is not a user.
fn recent_actors(conn: &Connection, source: SourceId) -> Result<Vec<Actor>> {
    let mut threads = conn.prepare_cached(
        "SELECT id FROM (SELECT id, key FROM threads INDEXED BY threads_list
            WHERE place = 0 AND kind = ?1 AND source = ?2 AND (unread > 0) = ?3
            ORDER BY last_at DESC LIMIT ?4) WHERE key NOT LIKE 'topic:%'",
    )?;
    let mut actors = conn.prepare_cached(
        "SELECT actor, actor_name, listed_at FROM items WHERE thread = ?1 AND own = 0 AND deleted = 0
         ORDER BY listed_at DESC LIMIT ?2",
    )?;
    let mut all = Vec::new();
    for unread in [true, false] {
        let values = params![Kind::Reminder.as_row(), source, unread, MAX_THREADS];
        for thread in threads.query_map(values, |r| r.get::<_, ThreadId>(0))? {
            for actor in actors.query_map(params![thread?, MAX_ITEMS_OF_THREAD], dated_actor)? {
                all.push(actor?);
            }
        }
    }
    Ok(latest(all))
}
