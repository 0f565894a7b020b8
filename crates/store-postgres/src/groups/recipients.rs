//! Finds the recipients of publications among the connected users, with one statement and bounded work.

use std::collections::{HashMap, HashSet};

use tidings_store::domain::account::UserKey;
use tidings_store::domain::topic::TOPIC_TARGET;
use tidings_store::{Error, Recipients};

use crate::session::{Columns, Session, Values, rows};
use crate::topics;

/// The users among `$1` who have a subscription (`$2` types, `$3` ids, `$4` actions) or follow an actor (`$5`). Those who
/// are in a group (`$6`) or have a publication (`$9` creations) count, too. Each of those places is searched in one of
/// two directions. All of its users are listed, if they are no more than `$7 - 1`, the number of those asked for;
/// otherwise each of those is looked up. The answer is NULL if listing would have gone beyond `$8` rows.
const AMONG: &str = "WITH subscribed AS (
        SELECT p.nth, s.user_key FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY p (type, id, action, nth)
        CROSS JOIN LATERAL (SELECT user_key FROM subscriptions WHERE target_type = p.type AND target_id = p.id
            AND action = p.action LIMIT $7) s),
    following AS (
        SELECT p.nth, s.user_key FROM unnest($5::text[]) WITH ORDINALITY p (actor, nth)
        CROSS JOIN LATERAL (SELECT user_key FROM follows WHERE actor = p.actor LIMIT $7) s),
    members AS (
        SELECT p.nth, s.user_key FROM unnest($6::text[]) WITH ORDINALITY p (id, nth) JOIN groups g ON g.id = p.id
        CROSS JOIN LATERAL (SELECT user_key FROM memberships WHERE group_key = g.key AND left_at = 0 LIMIT $7) s),
    holders AS (
        SELECT p.nth, s.user_key FROM unnest($9::bigint[]) WITH ORDINALITY p (created_at, nth)
        CROSS JOIN LATERAL (SELECT user_key FROM items WHERE created_at = p.created_at LIMIT $7) s),
    listed AS MATERIALIZED (
        SELECT * FROM (SELECT 1 AS sort, nth, user_key FROM subscribed UNION ALL SELECT 2, nth, user_key FROM following
            UNION ALL SELECT 3, nth, user_key FROM members UNION ALL SELECT 4, nth, user_key FROM holders) l LIMIT $8 + 1),
    crowded AS MATERIALIZED (SELECT sort, nth FROM listed GROUP BY sort, nth HAVING count(*) >= $7),
    asked AS MATERIALIZED (SELECT key FROM unnest($1::bigint[]) a (key))
    SELECT user_key FROM listed WHERE user_key IN (SELECT key FROM asked)
    UNION SELECT s.user_key FROM crowded c
        JOIN unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY p (type, id, action, nth) ON c.sort = 1 AND p.nth = c.nth
        CROSS JOIN asked a
        JOIN subscriptions s ON s.user_key = a.key AND s.target_type = p.type AND s.target_id = p.id AND s.action = p.action
    UNION SELECT f.user_key FROM crowded c JOIN unnest($5::text[]) WITH ORDINALITY p (actor, nth) ON c.sort = 2 AND p.nth = c.nth
        CROSS JOIN asked a JOIN follows f ON f.user_key = a.key AND f.actor = p.actor
    UNION SELECT m.user_key FROM crowded c JOIN unnest($6::text[]) WITH ORDINALITY p (id, nth) ON c.sort = 3 AND p.nth = c.nth
        JOIN groups g ON g.id = p.id CROSS JOIN asked a
        JOIN memberships m ON m.group_key = g.key AND m.user_key = a.key AND m.left_at = 0
    UNION SELECT i.user_key FROM crowded c JOIN unnest($9::bigint[]) WITH ORDINALITY p (created_at, nth) ON c.sort = 4 AND p.nth = c.nth
        CROSS JOIN asked a
        CROSS JOIN LATERAL (SELECT user_key FROM items WHERE user_key = a.key AND created_at = p.created_at LIMIT 1) i
    UNION SELECT NULL WHERE (SELECT count(*) FROM listed) > $8";

/// The keys of the users `$1`.
const KEYS: &str = "SELECT key FROM users WHERE id = ANY($1) AND id < '~'";

/// The places where recipients are found, each once.
#[derive(Default)]
struct RecipientPlaces<'r> {
    subscriptions: HashSet<(&'r str, &'r str, &'r str)>,
    actors: HashSet<&'r str>,
    groups: HashSet<&'r str>,
    users: HashSet<UserKey>,
    /// The creations of publications that were changed: who has one is told.
    held: HashSet<i64>,
    /// The ids of those who are named as readers of a topic, whatever they subscribe to: they are few.
    readers: HashSet<&'r str>,
    everyone: bool,
}

impl<'r> RecipientPlaces<'r> {
    /// The places of recipients; `readers` has those of topics that name them.
    fn of(all_recipients: &'r [Recipients], readers: &'r HashMap<String, Vec<String>>) -> Self {
        let mut places = Self::default();
        for recipients in all_recipients {
            places.add(recipients, readers);
        }
        places
    }

    fn add(&mut self, recipients: &'r Recipients, readers: &'r HashMap<String, Vec<String>>) {
        match recipients {
            Recipients::Everyone => self.everyone = true,
            Recipients::Users(users) => self.users.extend(users),
            Recipients::Group(id) => drop(self.groups.insert(id)),
            Recipients::Subscribers { kind, id, action, actor } => {
                if let Some(named) = topic_of(recipients).and_then(|topic| readers.get(topic)) {
                    self.readers.extend(named.iter().map(String::as_str));
                } else {
                    self.subscriptions.insert((kind, id, action));
                    self.actors.insert(actor);
                }
            }
            Recipients::Revised { created_at, audience } => {
                self.held.insert(created_at.as_micros());
                self.add(audience, readers);
            }
        }
    }

    /// Whether nobody is to be looked up.
    fn are_named(&self) -> bool {
        self.subscriptions.is_empty()
            && self.actors.is_empty()
            && self.groups.is_empty()
            && self.held.is_empty()
    }
}

/// The topic of a publication for these recipients.
fn topic_of(recipients: &Recipients) -> Option<&str> {
    match recipients {
        Recipients::Subscribers { kind, id, .. } if kind == TOPIC_TARGET => Some(id),
        Recipients::Revised { audience, .. } => topic_of(audience),
        _ => None,
    }
}

/// Those of the users in `among` who may be recipients: all of them beyond `most` rows.
pub(crate) async fn recipients_among(
    db: &Session,
    all_recipients: &[Recipients],
    among: &[UserKey],
    most: usize,
) -> Result<Vec<UserKey>, Error> {
    let of_topics: Vec<&str> = all_recipients.iter().filter_map(topic_of).collect();
    let readers = if of_topics.is_empty() { HashMap::new() } else { topics::readers(db, &of_topics).await? };
    let places = RecipientPlaces::of(all_recipients, &readers);
    if places.everyone || among.is_empty() {
        return Ok(among.to_vec());
    }
    let are_named = places.are_named();
    let mut found = places.users;
    if !places.readers.is_empty() {
        let ids: Vec<&str> = places.readers.into_iter().collect();
        for row in db.query(KEYS, &[&ids]).await? {
            found.insert(UserKey(row.at(0)?));
        }
    }
    if !are_named {
        let undecided: Vec<i64> =
            among.iter().filter(|user| !found.contains(user)).map(|user| user.0).collect();
        let (mut types, mut ids, mut actions) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, id, action) in places.subscriptions {
            types.push(kind);
            ids.push(id);
            actions.push(action);
        }
        let actors: Vec<&str> = places.actors.into_iter().collect();
        let groups: Vec<&str> = places.groups.into_iter().collect();
        let held: Vec<i64> = places.held.into_iter().collect();
        let (each, all) = (rows(undecided.len() + 1), rows(most));
        let values: Values<'_> = &[&undecided, &types, &ids, &actions, &actors, &groups, &each, &all, &held];
        for row in db.query(AMONG, values).await? {
            match row.at::<Option<i64>>(0)? {
                Some(user) => drop(found.insert(UserKey(user))),
                None => return Ok(among.to_vec()),
            }
        }
    }
    Ok(among.iter().filter(|user| found.contains(user)).copied().collect())
}
