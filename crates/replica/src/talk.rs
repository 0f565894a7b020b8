//! What belongs to conversations beside their items: groups, receipts, drafts and messages on their way. Refuses to
//! count readers: the number on a message is the server's.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use tidings_model::group::ReceiptLine;
use tidings_model::wire::ActorRef;
use tidings_model::{Actor, MsgId, Stamp};

use crate::ledger::Ledger;
use crate::{Group, Reader, Result, SourceId, row, sources, threads};

/// Keeps receipts; one that is here already, or of a message that was deleted, changes nothing.
pub(crate) fn keep_receipts(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    receipts: &[ReceiptLine],
) -> Result<()> {
    sources::one(tx, source)?;
    let mut insert = tx.prepare_cached(
        "INSERT OR IGNORE INTO receipts (source, msgid, reader, at)
         SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE source = ?1 AND msgid = ?2)",
    )?;
    let mut talked: Vec<&str> = Vec::new();
    for line in receipts {
        let new = insert.execute(params![source, line.msgid.as_str(), line.reader, line.at.as_micros()])?;
        if new > 0 && !talked.contains(&line.conversation.as_str()) {
            talked.push(&line.conversation);
        }
    }
    for conversation in talked {
        touch(tx, ledger, source, conversation)?;
    }
    Ok(())
}

/// Who read a message, the first first.
pub(crate) fn receipts_of(conn: &Connection, source: SourceId, msgid: &MsgId) -> Result<Vec<Reader>> {
    let mut rows = conn.prepare_cached(
        "SELECT reader, at FROM receipts WHERE source = ?1 AND msgid = ?2 ORDER BY at, reader",
    )?;
    Ok(rows
        .query_map(params![source, msgid.as_str()], |r| Ok(Reader { id: r.get(0)?, at: row::stamp(r, 1)? }))?
        .collect::<Result<_, _>>()?)
}

/// Keeps what the server says of a group; `false` where nothing about it is shown differently.
pub(crate) fn save_group(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    group: &Group,
    now: Stamp,
) -> Result<()> {
    sources::one(tx, source)?;
    let known = self::group(tx, source, &group.id)?;
    tx.prepare_cached(
        "INSERT INTO groups (source, gid, name, members, heard_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET name = ?3, members = ?4, heard_at = ?5",
    )?
    .execute(params![
        source,
        group.id,
        group.name,
        serde_json::to_string(&Members::of(group))?,
        now.as_micros()
    ])?;
    if known.as_ref() == Some(group) {
        return Ok(());
    }
    touch(tx, ledger, source, &format!("group:{}", group.id))
}

/// The server would not tell of a group: what is known of it stays, and it is not asked about again for now.
pub(crate) fn group_withheld(tx: &Connection, source: SourceId, gid: &str, now: Stamp) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO groups (source, gid, name, members, heard_at) VALUES (?1, ?2, '', '[]', ?3)
         ON CONFLICT DO UPDATE SET heard_at = ?3",
    )?
    .execute(params![source, gid, now.as_micros()])?;
    Ok(())
}

/// What is known of a group.
pub(crate) fn group(conn: &Connection, source: SourceId, gid: &str) -> Result<Option<Group>> {
    Ok(conn
        .prepare_cached("SELECT gid, name, members FROM groups WHERE source = ?1 AND gid = ?2")?
        .query_row(params![source, gid], |r| {
            let (members, names) = row::json::<Members>(r, 2)?.apart();
            Ok(Group { id: r.get(0)?, name: r.get(1)?, members, names })
        })
        .optional()?)
}

/// Members as they are kept: each an id, with a name where that is another.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Members(Vec<ActorRef>);

impl Members {
    fn of(group: &Group) -> Self {
        let one = |id: &String| match group.names.get(id) {
            Some(name) => ActorRef::Full { id: id.clone(), name: Some(name.clone()) },
            None => ActorRef::Id(id.clone()),
        };
        Self(group.members.iter().map(one).collect())
    }

    fn apart(self) -> (Vec<String>, BTreeMap<String, String>) {
        let (mut members, mut names) = (Vec::new(), BTreeMap::new());
        for one in self.0 {
            members.push(one.id().to_owned());
            if let ActorRef::Full { id, name: Some(name) } = one {
                names.insert(id, name);
            }
        }
        (members, names)
    }
}

/// Groups of a source whose members are given.
const GROUPS: i64 = 200;

/// The members of the groups of a source that were told of last, with the names that are known.
pub(crate) fn members(conn: &Connection, source: SourceId) -> Result<Vec<Actor>> {
    let mut rows =
        conn.prepare_cached("SELECT members FROM groups WHERE source = ?1 ORDER BY heard_at DESC LIMIT ?2")?;
    let groups = rows.query_map([source, GROUPS], |r| row::json::<Members>(r, 0))?;
    let mut all = Vec::new();
    for members in groups {
        let (ids, names) = members?.apart();
        all.extend(ids.into_iter().map(|id| Actor { name: names.get(&id).unwrap_or(&id).clone(), id }));
    }
    Ok(all)
}

/// The names of all groups that have one.
pub(crate) fn group_names(conn: &Connection) -> Result<Vec<(SourceId, String, String)>> {
    let mut rows = conn.prepare_cached("SELECT source, gid, name FROM groups WHERE name <> ''")?;
    Ok(rows.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?.collect::<Result<_, _>>()?)
}

/// Groups with a conversation here that the server has not told of since `since`, the latest conversation first.
pub(crate) fn groups_to_refresh(
    conn: &Connection,
    source: SourceId,
    since: Stamp,
    limit: usize,
) -> Result<Vec<String>> {
    // The keys of groups are one range of the index on (source, key).
    let mut rows = conn.prepare_cached(
        "SELECT substr(t.key, 7) FROM threads t LEFT JOIN groups g ON g.source = t.source AND g.gid = substr(t.key, 7)
         WHERE t.source = ?1 AND t.key >= 'group:' AND t.key < 'group;' AND t.place < 3
             AND ifnull(g.heard_at < ?2, 1)
         ORDER BY t.last_at DESC LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(rows.query_map(params![source, since.as_micros(), limit], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// What people call a user, as the conversations here have it: the group's own first, then the one with that user.
pub(crate) fn name_of(
    conn: &Connection,
    source: SourceId,
    conversation: &str,
    user: &str,
) -> Result<Option<String>> {
    let mut rows = conn.prepare_cached(
        "SELECT a.name FROM threads t JOIN thread_actors a ON a.thread = t.id AND a.actor = ?3
         WHERE t.source = ?1 AND t.key = ?2 AND a.name <> ''",
    )?;
    for key in [conversation, &format!("user:{user}")] {
        let found: Option<String> = rows.query_row(params![source, key, user], |r| r.get(0)).optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Keeps what was begun; empty forgets it.
pub(crate) fn save_draft(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    key: &str,
    text: &str,
) -> Result<()> {
    sources::one(tx, source)?;
    let changed = if text.is_empty() {
        tx.prepare_cached("DELETE FROM drafts WHERE source = ?1 AND key = ?2")?
            .execute(params![source, key])?
    } else {
        tx.prepare_cached(
            "INSERT INTO drafts (source, key, text) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET text = ?3 WHERE text <> ?3",
        )?
        .execute(params![source, key, text])?
    };
    if changed == 0 { Ok(()) } else { touch(tx, ledger, source, key) }
}

/// What was begun; empty where nothing was.
pub(crate) fn draft(conn: &Connection, source: SourceId, key: &str) -> Result<String> {
    Ok(conn
        .prepare_cached("SELECT text FROM drafts WHERE source = ?1 AND key = ?2")?
        .query_row(params![source, key], |r| r.get(0))
        .optional()?
        .unwrap_or_default())
}

/// The server took a message under this name: it leaves the outbox when the pull has brought it, or at once where it
/// has.
pub(crate) fn posted(tx: &Connection, ledger: &mut Ledger<'_>, id: &str, msgid: &MsgId) -> Result<()> {
    let known: Option<(SourceId, String)> = tx
        .prepare_cached("SELECT source, conversation FROM outgoing WHERE id = ?1")?
        .query_row([id], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    let Some((source, conversation)) = known else { return Ok(()) };
    tx.prepare_cached("UPDATE outgoing SET posted = ?2, refused = NULL WHERE id = ?1")?
        .execute(params![id, msgid.as_str()])?;
    arrived(tx, ledger, source)?;
    touch(tx, ledger, source, &conversation)
}

/// Lets go of messages that a pull has brought meanwhile.
pub(crate) fn arrived(tx: &Connection, ledger: &mut Ledger<'_>, source: SourceId) -> Result<()> {
    let talked: Vec<String> = tx
        .prepare_cached(
            "DELETE FROM outgoing WHERE source = ?1 AND posted IS NOT NULL AND (
                EXISTS (SELECT 1 FROM items i WHERE i.source = ?1 AND i.msgid = posted)
                OR EXISTS (SELECT 1 FROM tombstones d WHERE d.source = ?1 AND d.msgid = posted))
             RETURNING conversation",
        )?
        .query_map([source], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    talked.iter().try_for_each(|conversation| touch(tx, ledger, source, conversation))
}

/// The server's history is another one: what it took and has not brought may be lost there. It goes out again, under
/// the id by which the server knows it if it does.
pub(crate) fn post_again(tx: &Connection, source: SourceId) -> Result<()> {
    tx.prepare_cached("UPDATE outgoing SET posted = NULL WHERE source = ?1 AND posted IS NOT NULL")?
        .execute([source])?;
    Ok(())
}

/// Gives up messages on their way, at most so many: conversations in which nothing else was are gone. `false` when there
/// were none.
pub(crate) fn give_up(tx: &Connection, ledger: &mut Ledger<'_>, source: SourceId, most: i64) -> Result<bool> {
    let given_up: Vec<(i64, String)> = tx
        .prepare_cached("SELECT seq, conversation FROM outgoing WHERE source = ?1 LIMIT ?2")?
        .query_map([source, most], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut delete = tx.prepare_cached("DELETE FROM outgoing WHERE seq = ?1")?;
    for (seq, _) in &given_up {
        delete.execute([seq])?;
    }
    let conversations: BTreeSet<&String> = given_up.iter().map(|(_, conversation)| conversation).collect();
    for conversation in conversations {
        touch(tx, ledger, source, conversation)?;
    }
    Ok(!given_up.is_empty())
}

/// The conversation's row looks different, if it has one.
pub(crate) fn touch(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    conversation: &str,
) -> Result<()> {
    match threads::by_key(tx, source, conversation)? {
        Some(thread) => ledger.touch(thread.id),
        None => Ok(()),
    }
}
