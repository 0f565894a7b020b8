//! The floors of publishing: the same rows, written by SQL alone into the same tables, in batches; and the same requests to
//! a server that stores nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rusqlite::{Transaction, params};
use tokio_postgres::{Client, Statement};

use super::Sizes;
use super::database::{self, Database, Postgres};
use super::deployment::Deployment;
use super::load::{Maker, drive};
use super::posts::{ACTORS, PostKind, TARGETS, two_users};
use crate::Result;

/// Publications in one transaction.
pub(crate) const BATCH: usize = 256;
/// Connections to PostgreSQL that write: while one waits for its commit, the other one prepares the next.
pub(crate) const CONNECTIONS: usize = 2;

/// What every row has in common with one that a server wrote.
#[derive(Debug, Clone)]
struct Sample {
    kind: PostKind,
    target_details: String,
    content: String,
    publisher: i64,
    first_key: i64,
    users: i64,
    /// Key, owner and the members whose reading counts of each group.
    groups: Vec<(i64, i64, i64)>,
}

/// The rows of one publication.
#[derive(Debug, Default)]
struct Rows {
    actor_id: String,
    actor_name: String,
    action: &'static str,
    target_type: &'static str,
    target_id: String,
    /// Key, sender and members.
    group: Option<(i64, i64, i64)>,
    /// Users, views, and whether it is their own.
    items: Vec<(i64, String, bool)>,
}

impl Sample {
    fn rows(&self, rng: &mut SmallRng) -> Rows {
        match self.kind {
            PostKind::Direct => {
                let (from, to) = two_users(rng, self.users);
                let key = |n: i64| self.first_key + n - 1;
                Rows {
                    actor_id: format!("u{from}"),
                    actor_name: format!("User {from}"),
                    items: vec![
                        (key(to), format!("user:u{from}"), false),
                        (key(from), format!("user:u{to}"), true),
                    ],
                    ..Rows::default()
                }
            }
            PostKind::Announcement => {
                let publisher = || "publisher".to_owned();
                Rows { actor_id: publisher(), actor_name: publisher(), ..Rows::default() }
            }
            PostKind::Reminder => {
                let actor = format!("actor{}", rng.random_range(0..ACTORS));
                Rows {
                    actor_name: actor.clone(),
                    actor_id: actor,
                    action: "comment",
                    target_type: "article",
                    target_id: rng.random_range(0..TARGETS).to_string(),
                    ..Rows::default()
                }
            }
            PostKind::Group => {
                let n = rng.random_range(0..self.groups.len());
                let group = self.groups.get(n).copied().unwrap_or_default();
                let owner = format!("r{}", n * 16);
                let items = vec![(group.1, format!("group:g{n}"), true)];
                Rows {
                    actor_name: owner.clone(),
                    actor_id: owner,
                    group: Some(group),
                    items,
                    ..Rows::default()
                }
            }
        }
    }
}

/// Twelve letters and digits, as a server makes them.
fn msgid(stamp: i64) -> String {
    const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = stamp;
    let mut text: Vec<char> = (0..9)
        .map(|_| {
            let digit =
                usize::try_from(rest % 62).ok().and_then(|at| DIGITS.get(at)).copied().unwrap_or(b'0');
            rest /= 62;
            char::from(digit)
        })
        .collect();
    text.reverse();
    text.into_iter().collect::<String>() + "raw"
}

/// Publications a second, for at least `time`. The servers are idle meanwhile.
pub(crate) async fn measure(kind: PostKind, deployment: &Deployment, time: Duration) -> Result<f64> {
    match &deployment.database {
        Database::Sqlite(file) => {
            let sample = sqlite_sample(file, kind, deployment)?;
            let file = file.clone();
            tokio::task::spawn_blocking(move || measure_sqlite(&file, &sample, time)).await?
        }
        Database::Postgres(postgres) => {
            let sample = postgres_sample(postgres, kind, deployment).await?;
            let mut writing = Vec::new();
            for n in 0..CONNECTIONS {
                let (client, sample) = (database::connect(&postgres.url).await?, sample.clone());
                writing.push(tokio::spawn(async move {
                    measure_postgres(&client, &sample, time, n as u64).await
                }));
            }
            let mut rate = 0.0;
            for task in writing {
                rate += task.await??;
            }
            Ok(rate)
        }
    }
}

/// Requests a second over the most connections to a server in this process that answers each at once.
pub(crate) async fn measure_http(make: &Maker, sizes: &Sizes) -> Result<f64> {
    let listener = tidings_server::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    // It reads the whole request, as every server that stores it has to.
    let answer = |body: Bytes| async move { body.len().to_string() };
    let server = tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    let load = drive(&[address], sizes.most_connections(), (sizes.run / 2, sizes.run), make).await;
    server.abort();
    Ok(load?.per_second())
}

#[allow(clippy::cast_precision_loss)]
fn rate(batches: usize, time: Duration) -> f64 {
    (batches * BATCH) as f64 / time.as_secs_f64()
}

const NEWEST: &str = "SELECT target_details, content, publisher FROM notifications
    WHERE kind = $1 ORDER BY created_at DESC LIMIT 1";
const GROUPS: &str = "SELECT key, owner, member_count - 1 FROM groups WHERE id LIKE 'g%' ORDER BY key";

fn sqlite_sample(file: &Path, kind: PostKind, deployment: &Deployment) -> Result<Sample> {
    let conn = database::open(file)?;
    let (target_details, content, publisher) =
        conn.query_row(NEWEST, [kind.as_row()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let groups = conn
        .prepare(GROUPS)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let (first_key, users) = (deployment.users.first_key, deployment.users.count);
    Ok(Sample { kind, target_details, content, publisher, first_key, users, groups })
}

async fn postgres_sample(postgres: &Postgres, kind: PostKind, deployment: &Deployment) -> Result<Sample> {
    let row = postgres.client.query_one(NEWEST, &[&kind.as_row()]).await?;
    let mut groups = Vec::new();
    for group in postgres.client.query(GROUPS, &[]).await? {
        groups.push((group.try_get(0)?, group.try_get(1)?, group.try_get(2)?));
    }
    let (first_key, users) = (deployment.users.first_key, deployment.users.count);
    let (target_details, content, publisher) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    Ok(Sample { kind, target_details, content, publisher, first_key, users, groups })
}

fn measure_sqlite(file: &Path, sample: &Sample, time: Duration) -> Result<f64> {
    let mut conn = database::open(file)?;
    let mut rng = SmallRng::seed_from_u64(1);
    let (started, mut batches) = (Instant::now(), 0);
    while started.elapsed() < time {
        let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let now = chrono::Utc::now().timestamp_micros();
        let last: i64 = tx.query_row(
            "UPDATE meta SET last_stamp = max(?1, last_stamp + 1) + ?2 - 1 RETURNING last_stamp",
            params![now, i64::try_from(BATCH)?],
            |row| row.get(0),
        )?;
        let first = last - i64::try_from(BATCH)? + 1;
        for stamp in first..=last {
            insert(&tx, sample, stamp, &sample.rows(&mut rng))?;
        }
        tx.commit()?;
        batches += 1;
    }
    Ok(rate(batches, started.elapsed()))
}

fn insert(tx: &Transaction<'_>, sample: &Sample, stamp: i64, rows: &Rows) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
             target_details, content, publisher) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        stamp,
        msgid(stamp),
        sample.kind.as_row(),
        rows.actor_id,
        rows.actor_name,
        rows.action,
        rows.target_type,
        rows.target_id,
        sample.target_details,
        sample.content,
        sample.publisher
    ])?;
    if let Some((group, sender, members)) = rows.group {
        tx.prepare_cached(
            "INSERT INTO group_messages (created_at, group_key, sender, members, read_count) VALUES (?1, ?2, ?3, ?4, 0)",
        )?
        .execute(params![stamp, group, sender, members])?;
    }
    for (user, view, own) in &rows.items {
        tx.prepare_cached(
            "INSERT INTO items (user, created_at, stamp, version, kind, view, auto, own, unread)
             VALUES (?1, ?2, ?2, 1, 3, ?3, 1, ?4, ?5)",
        )?
        .execute(params![user, stamp, view, own, !own])?;
        tx.prepare_cached(
            "INSERT INTO conversations (user, view, newest_at) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET newest_at = excluded.newest_at WHERE excluded.newest_at > newest_at",
        )?
        .execute(params![user, view, stamp])?;
    }
    Ok(())
}

/// The statements of a batch: each writes all rows of its table.
struct Statements {
    stamps: Statement,
    notifications: Statement,
    group_messages: Statement,
    items: Statement,
    conversations: Statement,
    inboxes: Statement,
}

impl Statements {
    async fn prepare(client: &Client) -> Result<Self> {
        Ok(Self {
            stamps: client
                .prepare("UPDATE log SET last = greatest($1, last + 1) + $2 - 1 RETURNING last - $2 + 1")
                .await?,
            notifications: client
                .prepare(
                    "INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type,
                         target_id, target_details, content, publisher)
                     SELECT at, msgid, $2::smallint, actor, name, $5::text, $6::text, target, $8::text, $9::text,
                         $11::bigint
                     FROM unnest($1::bigint[], $3::text[], $4::text[], $7::text[], $10::text[])
                         AS w (at, msgid, actor, target, name)",
                )
                .await?,
            group_messages: client
                .prepare(
                    "INSERT INTO group_messages (created_at, group_key, sender, members, read_count)
                     SELECT at, key, sender, members, 0
                     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS w (at, key, sender, members)",
                )
                .await?,
            items: client
                .prepare(
                    "INSERT INTO items (user_key, created_at, stamp, version, kind, view, auto, own, unread)
                     SELECT key, at, at, 1, 3, view, true, own, CASE WHEN own THEN 0 ELSE 1 END
                     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::boolean[]) AS w (key, at, view, own)",
                )
                .await?,
            conversations: client
                .prepare(
                    "INSERT INTO conversations AS c (user_key, view, newest_at)
                     SELECT key, view, max(at) FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS w (key, at, view)
                     GROUP BY key, view ON CONFLICT (user_key, view) DO UPDATE SET newest_at = excluded.newest_at",
                )
                .await?,
            inboxes: client
                .prepare(
                    "UPDATE inboxes i SET last = w.at FROM (SELECT key, max(at) AS at
                         FROM unnest($1::bigint[], $2::bigint[]) AS w (key, at) GROUP BY key) w
                     WHERE i.user_key = ANY($1) AND i.user_key = w.key AND i.last < w.at",
                )
                .await?,
        })
    }
}

async fn measure_postgres(client: &Client, sample: &Sample, time: Duration, seed: u64) -> Result<f64> {
    client.batch_execute("SET plan_cache_mode = force_generic_plan; SET jit = off").await?;
    let statements = Statements::prepare(client).await?;
    let mut rng = SmallRng::seed_from_u64(seed);
    let (started, mut batches) = (Instant::now(), 0);
    while started.elapsed() < time {
        let all: Vec<Rows> = (0..BATCH).map(|_| sample.rows(&mut rng)).collect();
        let (now, count) = (chrono::Utc::now().timestamp_micros(), i64::try_from(BATCH)?);
        client.batch_execute("BEGIN").await?;
        let first: i64 = client.query_one(&statements.stamps, &[&now, &count]).await?.try_get(0)?;
        write(client, &statements, sample, first, &all).await?;
        client.batch_execute("COMMIT").await?;
        batches += 1;
    }
    Ok(rate(batches, started.elapsed()))
}

async fn write(
    client: &Client,
    statements: &Statements,
    sample: &Sample,
    first: i64,
    all: &[Rows],
) -> Result<()> {
    let stamps: Vec<i64> = (first..).take(all.len()).collect();
    let column = |of: fn(&Rows) -> &str| -> Vec<&str> { all.iter().map(of).collect() };
    let msgids: Vec<String> = stamps.iter().map(|stamp| msgid(*stamp)).collect();
    let (actors, names) = (column(|rows| &rows.actor_id), column(|rows| &rows.actor_name));
    let targets = column(|rows| &rows.target_id);
    let (action, target_type) = all.first().map_or(("", ""), |rows| (rows.action, rows.target_type));
    let (kind, details, content) = (sample.kind.as_row(), &sample.target_details, &sample.content);
    client
        .execute(
            &statements.notifications,
            &[
                &stamps,
                &kind,
                &msgids,
                &actors,
                &action,
                &target_type,
                &targets,
                details,
                content,
                &names,
                &sample.publisher,
            ],
        )
        .await?;
    let mut groups = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut items = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (stamp, rows) in stamps.iter().zip(all) {
        if let Some((key, sender, members)) = rows.group {
            groups.0.push(*stamp);
            groups.1.push(key);
            groups.2.push(sender);
            groups.3.push(members);
        }
        for (user, view, own) in &rows.items {
            items.0.push(*user);
            items.1.push(*stamp);
            items.2.push(view.as_str());
            items.3.push(*own);
        }
    }
    if !groups.0.is_empty() {
        client.execute(&statements.group_messages, &[&groups.0, &groups.1, &groups.2, &groups.3]).await?;
    }
    if !items.0.is_empty() {
        client.execute(&statements.items, &[&items.0, &items.1, &items.2, &items.3]).await?;
        client.execute(&statements.conversations, &[&items.0, &items.1, &items.2]).await?;
        client.execute(&statements.inboxes, &[&items.0, &items.1]).await?;
    }
    Ok(())
}
