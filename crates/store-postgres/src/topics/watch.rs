//! Looks at topics that expect a publication every so often, and publishes the notifications about them, in one
//! transaction.

use tidings_model::Stamp;
use tidings_store::domain::expectation::{Expectation, RUNS, Running, Watch};
use tidings_store::domain::topic::TopicSettings;
use tidings_store::topics::settings_of;
use tidings_store::{Error, Watched};

use crate::publishing;
use crate::session::{Columns, Session, rows};
use crate::tx::WriteTx;

/// The name that is locked while topics are looked at, or what one expects is set: one process at a time does so.
pub(super) const LOCK: &[&str] = &["expectations"];

/// Follows a change of the settings, under [`LOCK`]: what is expected anew counts from now.
pub(super) async fn set(
    tx: &WriteTx<'_>,
    topic: &str,
    before: Option<u32>,
    after: Option<u32>,
) -> Result<(), Error> {
    if before == after {
        return Ok(());
    }
    let Some(every_secs) = after else { return remove(tx, topic).await };
    let ran = run(tx).await?.ran();
    // The first look finds what retention may remove before the time is over.
    put(tx, &[(Expectation::new(topic, every_secs, tx.now, ran), ran)]).await
}

/// Removes what a topic expects.
pub(super) async fn remove(session: &Session, topic: &str) -> Result<(), Error> {
    session.execute("DELETE FROM expectations WHERE topic = $1", &[&topic]).await?;
    Ok(())
}

/// Looks now; gives the run that the look belongs to.
async fn run(tx: &WriteTx<'_>) -> Result<Running, Error> {
    let sql = "SELECT began, ended, ran_before, id FROM server_runs ORDER BY id DESC LIMIT 1";
    let last = match tx.query_opt(sql, &[]).await? {
        Some(row) => Some((Running::from_row(&row)?, row.at::<i64>(3)?)),
        None => None,
    };
    let (run, is_new) = Running::look(last.map(|(run, _)| run), tx.now);
    let id = last.map_or(0, |(_, id)| id) + i64::from(is_new);
    let sql = "INSERT INTO server_runs (id, began, ended, ran_before) VALUES ($1, $2, $3, $4)
        ON CONFLICT (id) DO UPDATE SET ended = excluded.ended";
    tx.execute(sql, &[&id, &run.began.as_micros(), &run.ended.as_micros(), &run.ran_before]).await?;
    if is_new {
        tx.execute("DELETE FROM server_runs WHERE id <= $1 - $2", &[&id, &rows(RUNS)]).await?;
    }
    Ok(run)
}

/// The topics that are due after the running time `$1`, at most `$2`. Each comes with its settings, its newest
/// publication that was not considered, or its newest new content, and the run in which that was. One that was taken
/// back came all the same.
const DUE: &str =
    "SELECT e.topic, e.every_secs, e.seen_to, e.told_at, e.heard, e.missing, t.settings, t.readers,
        n.at, r.began, r.ended, r.ran_before
    FROM expectations e LEFT JOIN topics t ON t.topic = e.topic
    LEFT JOIN LATERAL (SELECT greatest(
        (SELECT created_at FROM notifications
            WHERE kind = 2 AND target_type = 'topic' AND target_id = e.topic AND action = 'publish'
                AND created_at > e.seen_to AND created_at <> e.told_at
            ORDER BY created_at DESC LIMIT 1),
        (SELECT content_revised_at FROM notifications
            WHERE kind = 2 AND target_type = 'topic' AND target_id = e.topic AND content_revised_at > 0
                AND content_revised_at > e.seen_to AND created_at <> e.told_at
            ORDER BY content_revised_at DESC LIMIT 1)) AS at) n ON true
    LEFT JOIN LATERAL (SELECT began, ended, ran_before FROM server_runs
        WHERE began <= n.at ORDER BY id DESC LIMIT 1) r ON true
    WHERE e.due <= $1 ORDER BY e.due, e.topic LIMIT $2";

/// Looks at a portion of the topics that are due.
pub(super) async fn look(tx: &mut WriteTx<'_>, watch: &Watch) -> Result<Watched, Error> {
    tx.lock_names(&[LOCK]).await?;
    let ran = run(tx).await?.ran();
    let due = tx.query(DUE, &[&ran, &rows(watch.portion)]).await?;
    let more = due.len() >= watch.portion;
    let (mut quiet, mut told, mut drafts) = (Vec::new(), Vec::new(), Vec::new());
    for row in &due {
        let (mut expectation, settings, newest) = read(row)?;
        if settings.expect_secs != Some(expectation.every_secs) {
            remove(tx, &expectation.topic).await?;
            continue;
        }
        let notice = expectation.look(newest, ran);
        let next = expectation.due(ran, watch.retain_secs);
        match notice {
            Some(notice) => {
                drafts.push(expectation.draft(notice, &settings, watch));
                told.push((expectation, next));
            }
            None => quiet.push((expectation, next)),
        }
    }
    put(tx, &quiet).await?;
    if drafts.is_empty() {
        return Ok(Watched { posts: Vec::new(), more });
    }
    let mut posts = Vec::new();
    for (post, (expectation, _)) in publishing::post_within(tx, drafts).await?.into_iter().zip(&mut told) {
        match post {
            Ok(post) => {
                expectation.notified(post.posted.stamp);
                posts.push(post);
            }
            // It is dropped, so that it does not hold up those of other topics.
            Err(Error::Refused(problem)) => {
                tracing::warn!(
                    code = problem.code.as_str(),
                    "it can't be said that a topic is silent, or back"
                );
            }
            Err(e) => return Err(e),
        }
    }
    put(tx, &told).await?;
    Ok(Watched { posts, more })
}

/// What a topic expects, its settings, and its newest publication with the running time at it.
type ExpectingTopic = (Expectation, TopicSettings, Option<(Stamp, i64)>);

fn read(row: &tokio_postgres::Row) -> Result<ExpectingTopic, Error> {
    let expectation = Expectation::from_row(row)?;
    let settings = match (row.at::<Option<&str>>(6)?, row.at::<Option<&str>>(7)?) {
        (Some(settings), Some(readers)) => settings_of(settings, readers)?,
        _ => TopicSettings::default(),
    };
    let Some(at) = row.time(8)? else { return Ok((expectation, settings, None)) };
    let heard = match (row.time(9)?, row.time(10)?) {
        (Some(began), Some(ended)) => Running { began, ended, ran_before: row.at(11)? }.ran_at(at),
        _ => 0,
    };
    Ok((expectation, settings, Some((at, heard))))
}

const PUT: &str = "INSERT INTO expectations (topic, every_secs, seen_to, told_at, heard, due, missing)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[])
    ON CONFLICT (topic) DO UPDATE SET every_secs = excluded.every_secs, seen_to = excluded.seen_to,
        told_at = excluded.told_at, heard = excluded.heard, due = excluded.due, missing = excluded.missing";

/// Stores what topics expect, and when to look at them again.
async fn put(tx: &WriteTx<'_>, all: &[(Expectation, i64)]) -> Result<(), Error> {
    if all.is_empty() {
        return Ok(());
    }
    let numbers = |of: fn(&Expectation) -> i64| all.iter().map(|(e, _)| of(e)).collect::<Vec<i64>>();
    let topics: Vec<&str> = all.iter().map(|(e, _)| e.topic.as_str()).collect();
    let every = numbers(|e| i64::from(e.every_secs));
    let (seen, told) = (numbers(|e| e.seen_to.as_micros()), numbers(|e| e.told_at.as_micros()));
    let (heard, due) = (numbers(|e| e.heard), all.iter().map(|(_, due)| *due).collect::<Vec<i64>>());
    let missing: Vec<bool> = all.iter().map(|(e, _)| e.missing).collect();
    tx.execute(PUT, &[&topics, &every, &seen, &told, &heard, &due, &missing]).await?;
    Ok(())
}
