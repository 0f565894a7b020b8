//! Who can be written to, as far as a source told of them. Refuses whoever is known from another source only: the same
//! name may be somebody else there.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};
use tidings_model::{Actor, Kind};

use crate::{Replica, Result, SourceId, sources, talk};

/// Threads of a kind in which is looked for people, the newest of those that are read and of those that are not.
const THREADS: i64 = 200;

impl Replica {
    /// People of a source other than the user itself: first those whom one talks with, then the members of one's
    /// groups, then whoever did something lately.
    pub fn acquainted(&self, source: SourceId, most: usize) -> Result<Vec<Actor>> {
        self.read(|conn| {
            let user = sources::one(conn, source)?.user;
            let mut all = Vec::new();
            all.extend(peers(conn, source)?);
            all.extend(talk::members(conn, source)?);
            all.extend(doers(conn, source)?);
            // Who is met again may have got a name.
            let mut known: HashSet<String> = user.into_iter().collect();
            let named: HashMap<String, String> = all
                .iter()
                .rev()
                .filter(|one| one.name != one.id)
                .cloned()
                .map(|one| (one.id, one.name))
                .collect();
            all.retain(|one| tidings_model::check_id(&one.id).is_ok() && known.insert(one.id.clone()));
            all.truncate(most);
            for one in &mut all {
                if let Some(name) = named.get(&one.id) {
                    one.name.clone_from(name);
                }
            }
            Ok(all)
        })
    }
}

/// With whom one has a conversation, the latest first.
fn peers(conn: &Connection, source: SourceId) -> Result<Vec<Actor>> {
    let mut rows = conn.prepare_cached(
        "SELECT substr(t.key, 6), ifnull(nullif(a.name, ''), substr(t.key, 6))
         FROM threads t LEFT JOIN thread_actors a ON a.thread = t.id AND a.actor = substr(t.key, 6)
         WHERE t.source = ?1 AND t.key >= 'user:' AND t.key < 'user;' AND t.place < 3 AND t.total > 0
         ORDER BY t.last_at DESC",
    )?;
    let people = rows.query_map([source], |r| Ok(Actor { id: r.get(0)?, name: r.get(1)? }))?;
    Ok(people.collect::<Result<_, _>>()?)
}

/// Who did something lately; a topic does what is published on it, and nobody can write to a topic.
fn doers(conn: &Connection, source: SourceId) -> Result<Vec<Actor>> {
    let lately = |unread: bool| {
        format!(
            "SELECT * FROM (SELECT id, last_at FROM threads INDEXED BY threads_list
                WHERE place = 0 AND kind = ?2 AND source = ?1 AND (unread > 0) = {}
                ORDER BY last_at DESC LIMIT ?3)",
            i32::from(unread)
        )
    };
    let sql = format!(
        "SELECT a.actor, a.name FROM ({} UNION ALL {}) n
            JOIN threads t ON t.id = n.id JOIN thread_actors a ON a.thread = n.id
         WHERE t.key NOT LIKE 'topic:%' ORDER BY a.last_at DESC",
        lately(true),
        lately(false)
    );
    let mut rows = conn.prepare_cached(&sql)?;
    let people = rows.query_map(params![source, Kind::Reminder.as_row(), THREADS], |r| {
        Ok(Actor { id: r.get(0)?, name: r.get(1)? })
    })?;
    Ok(people.collect::<Result<_, _>>()?)
}
