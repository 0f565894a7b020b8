//! People by the beginning of their name, and the name of one.

use rusqlite::params;
use tidings_model::Actor;
use tidings_replica_tables::{people, sql};

use crate::{Replica, Result, SourceId};

/// The number of the latest people among which a prefix is searched.
const MAX_EXAMINED: i64 = 20_000;

impl Replica {
    /// People whose id, name or a word of the name begins with `prefix`, the latest actor first; at most `most`. A feed is
    /// nobody.
    pub fn people(&self, prefix: &str, most: usize) -> Result<Vec<Actor>> {
        let prefix = prefix.to_lowercase();
        self.read(|conn| {
            let mut rows = conn.prepare_cached(
                "SELECT actor, name FROM people WHERE +source NOT IN (SELECT id FROM sources WHERE protocol = 'feed')
                 ORDER BY last_at DESC LIMIT ?1",
            )?;
            let mut rows = rows.query([MAX_EXAMINED])?;
            let mut found: Vec<Actor> = Vec::new();
            while let Some(r) = rows.next()? {
                let (id, name): (String, String) = (r.get(0)?, r.get(1)?);
                let folded = name.to_lowercase();
                let fits = id.to_lowercase().starts_with(&prefix)
                    || folded.starts_with(&prefix)
                    || folded.split_whitespace().any(|word| word.starts_with(&prefix));
                // The same id in another source is one person here, by the later name.
                if fits && found.iter().all(|known| known.id != id) {
                    found.push(Actor { id, name });
                }
                if found.len() >= most {
                    break;
                }
            }
            Ok(found)
        })
    }

    /// Stores the name that a server gives somebody with whom there is a conversation, unless they have written: then their
    /// name is that of what they wrote.
    pub fn name_person(&self, source: SourceId, person: Actor) -> Result<()> {
        let now = self.clock.now();
        self.write(move |tx, aggregates| {
            people::name(tx, source, &person, now)?;
            aggregates.touch_listed(source, &format!("user:{}", person.id))
        })?;
        Ok(())
    }

    /// The display name of a user in the conversations here: in `conversation`, else in the conversation with that
    /// user.
    pub fn name_of(&self, source: SourceId, conversation: &str, user: &str) -> Result<Option<String>> {
        let sql = "SELECT coalesce(
                (SELECT value ->> 1 FROM json_each(t.actors) WHERE value ->> 0 = ?3),
                (SELECT name FROM thread_actors WHERE thread = t.id AND actor = ?3), '')
             FROM threads t WHERE t.source = ?1 AND t.key = ?2";
        self.read(|conn| {
            for key in [conversation, &format!("user:{user}")] {
                let found: Option<String> = sql::first(conn, sql, params![source, key, user], |r| r.get(0))?;
                if let Some(name) = found.filter(|name| !name.is_empty()) {
                    return Ok(Some(name));
                }
            }
            Ok(None)
        })
    }
}
