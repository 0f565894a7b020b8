//! Reads a page of a pull. Everything on it is in the order of this inbox's stamps. What others do gets a stamp of this
//! inbox when it is brought in, or, for how far they have read, under the lock of this inbox.

use std::sync::LazyLock;

use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::page::PullPage;
use tidings_store::pull_builder::PullBuilder;
use tidings_store::{Bounds, Error};
use tokio_postgres::Row;

use super::row;
use crate::groups::deliveries;
use crate::session::{Columns, Session, rows};

/// `$1` the user, `$2` the stamp after which the page begins, `$3` the most rows.
static ITEMS: LazyLock<String> = LazyLock::new(|| {
    let rows = format!(
        "SELECT {} FROM items i {} WHERE i.user_key = $1 AND i.stamp > $2 ORDER BY i.stamp LIMIT $3",
        row::COLUMNS,
        row::JOINS
    );
    row::page_of(&rows, "stamp")
});

const MARKS: &str = "SELECT kind, view, mark, stamp FROM read_marks WHERE user_key = $1 AND stamp > $2
    ORDER BY stamp LIMIT $3";

/// How far the others have read the user's conversations with one person.
const PEER_MARKS: &str = "SELECT u.id, p.mark, p.stamp FROM peer_marks p JOIN users u ON u.key = p.peer_key
    WHERE p.user_key = $1 AND p.stamp > $2 AND u.id < '~'
        AND EXISTS (SELECT 1 FROM conversations c WHERE c.user_key = $1 AND c.view = 'user:' || u.id)
    ORDER BY p.stamp LIMIT $3";

const CLOSED: &str = "SELECT view, name, stamp FROM closed_conversations WHERE user_key = $1 AND stamp > $2
    ORDER BY stamp LIMIT $3";

const GROUPS: &str = "SELECT g.id, c.stamp FROM changed_groups c JOIN groups g ON g.key = c.group_key
    WHERE c.user_key = $1 AND c.stamp > $2 AND g.id < '~' ORDER BY c.stamp LIMIT $3";

const HISTORY: &str = "SELECT m.epoch, m.forgotten_before FROM meta m
    WHERE EXISTS (SELECT 1 FROM users u WHERE u.key = $1 AND u.id < '~')";

/// A page of a pull: items and read marks that are new or changed after a stamp, in stamp order. The marks of others
/// and the groups that changed come with it. `db` has one snapshot.
pub(super) async fn sync(
    db: &Session,
    user: UserKey,
    since: Stamp,
    limit: usize,
    bounds: &Bounds,
) -> Result<PullPage, Error> {
    let mut page = PullBuilder::new(since, limit, bounds);
    let (after, most_items, most_marks) = (since.as_micros(), rows(limit + 1), rows(bounds.page_marks + 1));
    // Who pulls for the first time asks for each group as it comes.
    let most_groups = if since == Stamp::ZERO { 0 } else { rows(page.groups_wanted()) };
    let found = db
        .pipeline_in_order(&[
            (&ITEMS, &[&user.0, &after, &most_items]),
            (MARKS, &[&user.0, &after, &most_marks]),
            (PEER_MARKS, &[&user.0, &after, &most_marks]),
            (CLOSED, &[&user.0, &after, &most_marks]),
            (GROUPS, &[&user.0, &after, &most_groups]),
            (HISTORY, &[&user.0]),
            (deliveries::POSITION, &[&user.0]),
        ])
        .await?;
    let [items, marks, peer_marks, closed, groups, history, position] = found.as_slice() else {
        return Err(Error::not_found("user"));
    };
    let history = history.first().ok_or_else(|| Error::not_found("user"))?;
    push(items, |row| page.push_item(row))?;
    push(marks, |row| page.push_mark(row))?;
    push(peer_marks, |row| page.push_peer_mark(row))?;
    push(closed, |row| page.push_closed(row))?;
    let groups = groups.iter().map(|row| Ok((row.at(0)?, row.stamp(1)?)));
    let groups = groups.collect::<Result<Vec<_>, Error>>()?;
    let mut page = page.finish(groups, history.at(0)?, history.stamp(1)?);
    if let Some(newest) = page.delivered_to {
        let position = position.first().map_or(Ok(Stamp::ZERO), |row| row.stamp(0))?;
        let ends = page.more.then_some(page.next);
        page.delivered_to = deliveries::reached(db, user, position, newest, ends).await?;
    }
    Ok(page)
}

/// Pushes rows until the page ends.
fn push(rows: &[Row], mut push: impl FnMut(&Row) -> Result<bool, Error>) -> Result<(), Error> {
    for row in rows {
        if !push(row)? {
            break;
        }
    }
    Ok(())
}

/// The number of items that are new or changed after a stamp, at most `most`; only the index is read.
pub(super) async fn changes_after(
    db: &Session,
    user: UserKey,
    since: Stamp,
    most: usize,
) -> Result<u64, Error> {
    let row = db
        .query_one(
            "SELECT count(*) FROM (SELECT 1 FROM items WHERE user_key = $1 AND stamp > $2 LIMIT $3) x",
            &[&user.0, &since.as_micros(), &rows(most)],
        )
        .await?;
    Ok(u64::try_from(row.at::<i64>(0)?).unwrap_or_default())
}
