//! Looks at topics that expect a publication every so often, and publishes the notifications about them, in one
//! transaction.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::domain::expectation::{Expectation, Notice, Watch};
use tidings_store::domain::topic::TopicSettings;
use tidings_store::{Error, Post, Watched};

use crate::publishing;
use crate::sql;
use crate::tables::topics::{expectations, server_runs, settings};
use crate::write_tx::WriteTx;

/// Follows a change of the settings: what is expected anew counts from now.
pub(super) fn set(
    ctx: &WriteTx<'_>,
    topic: &str,
    before: Option<u32>,
    after: Option<u32>,
) -> Result<(), Error> {
    if before == after {
        return Ok(());
    }
    let Some(every_secs) = after else { return expectations::remove(ctx, topic) };
    let ran = server_runs::look(ctx)?.ran();
    let new = Expectation::new(topic, every_secs, ctx.now, ran);
    // The first look finds what retention may remove before the time is over.
    expectations::put(ctx, &new, ran)
}

/// Looks at a portion of the topics that are due.
pub(super) fn look(ctx: &mut WriteTx<'_>, watch: &Watch) -> Result<Watched, Error> {
    let ran = server_runs::look(ctx)?.ran();
    let due = expectations::due(ctx.tx, ran, watch.portion)?;
    let mut watched = Watched { posts: Vec::new(), more: due.len() >= watch.portion };
    for mut expectation in due {
        let settings = settings::get(ctx.tx, &expectation.topic)?.unwrap_or_default();
        if settings.expect_secs != Some(expectation.every_secs) {
            expectations::remove(ctx, &expectation.topic)?;
            continue;
        }
        let newest = newest(ctx.tx, &expectation)?;
        let heard = newest.map(|at| Ok::<_, Error>((at, server_runs::ran_at(ctx.tx, at)?))).transpose()?;
        if let Some(notice) = expectation.look(heard, ran)
            && let Some(post) = publish(ctx, &expectation, notice, &settings, watch)?
        {
            expectation.notified(post.posted.stamp);
            watched.posts.push(post);
        }
        expectations::put(ctx, &expectation, expectation.due(ran, watch.retain_secs))?;
    }
    Ok(watched)
}

/// Publishes a notification; one that can't be is dropped, so that it does not hold up those of other topics.
fn publish(
    ctx: &mut WriteTx<'_>,
    expectation: &Expectation,
    notice: Notice,
    settings: &TopicSettings,
    watch: &Watch,
) -> Result<Option<Post>, Error> {
    match publishing::post(ctx, expectation.draft(notice, settings, watch)) {
        Ok(post) => Ok(Some(post)),
        Err(Error::Refused(problem)) => {
            tracing::warn!(code = problem.code.as_str(), "it can't be said that a topic is silent, or back");
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

/// The newest publication on a topic that was not considered, or the newest new content of one. One that was taken back
/// meanwhile came all the same.
fn newest(conn: &Connection, expectation: &Expectation) -> Result<Option<Stamp>, Error> {
    let find = |sql: &str| -> Result<Option<Stamp>, Error> {
        let after = (expectation.seen_to.as_micros(), expectation.told_at.as_micros());
        sql::first(conn, sql, params![expectation.topic, after.0, after.1], |row| {
            Ok(Stamp::from_micros(row.get(0)?))
        })
    };
    let created = find(
        "SELECT created_at FROM notifications INDEXED BY reminders_by_target
         WHERE kind = 2 AND target_type = 'topic' AND target_id = ?1 AND action = 'publish'
             AND created_at > ?2 AND created_at <> ?3
         ORDER BY created_at DESC LIMIT 1",
    )?;
    let revised = find(
        "SELECT content_revised_at FROM notifications INDEXED BY topic_content_revisions
         WHERE kind = 2 AND target_type = 'topic' AND target_id = ?1 AND content_revised_at > 0
             AND content_revised_at > ?2 AND created_at <> ?3
         ORDER BY content_revised_at DESC LIMIT 1",
    )?;
    Ok(created.max(revised))
}
