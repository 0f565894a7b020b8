//! Lists of subscriptions: the rows of each target, one for each action, are one subscription.

use std::cmp::Ordering;

use tidings_store::domain::account::UserKey;
use tidings_store::page::{ListPage, PageBuilder};
use tidings_store::subscription_builder::SubscriptionBuilder;
use tidings_store::{Error, ListQuery, Subscription, TargetRef};

use crate::PostgresStore;
use crate::session::{Columns, Session, Values, rows};
use crate::tx::reading;

/// The rows of the first targets, `$limit` of them, that fulfil a condition on `s`.
fn rows_of(condition: &str, limit: &str) -> String {
    format!(
        "SELECT s.target_type, s.target_id, s.action, s.reason, s.created_at
         FROM (SELECT DISTINCT s.target_type, s.target_id FROM subscriptions s WHERE s.user_key = $1 AND {condition}
               ORDER BY s.target_type, s.target_id LIMIT {limit}) t
         JOIN subscriptions s ON s.user_key = $1 AND s.target_type = t.target_type AND s.target_id = t.target_id
         ORDER BY s.target_type, s.target_id, s.action"
    )
}

/// The subscription of a user to one target.
pub(super) async fn find(
    session: &Session,
    user: UserKey,
    target: &TargetRef,
) -> Result<Option<Subscription>, Error> {
    let sql = "SELECT target_type, target_id, action, reason, created_at FROM subscriptions
               WHERE user_key = $1 AND target_type = $2 AND target_id = $3 ORDER BY action";
    let mut pending = SubscriptionBuilder::default();
    for row in session.query(sql, &[&user.0, &target.kind, &target.id]).await? {
        pending.add_row(&row)?;
    }
    Ok(pending.finish())
}

/// The target types of a user, one look-up in the index each: `$2` the type to begin with, if `$4`, or after which to begin.
const TYPES: &str = "WITH RECURSIVE t AS (
        (SELECT target_type FROM subscriptions WHERE user_key = $1 AND target_type >= $2
            AND ($4 OR target_type > $2) ORDER BY target_type LIMIT 1)
        UNION ALL
        SELECT (SELECT s.target_type FROM subscriptions s WHERE s.user_key = $1 AND s.target_type > t.target_type
                ORDER BY s.target_type LIMIT 1)
        FROM t WHERE t.target_type IS NOT NULL)
    SELECT target_type FROM t WHERE target_type IS NOT NULL LIMIT $3";

/// A page of a user's subscriptions, by type and id of the target.
pub(super) async fn subscriptions(
    store: &PostgresStore,
    user: UserKey,
    kind: Option<String>,
    id: Option<String>,
    page: ListQuery,
) -> Result<ListPage, Error> {
    let after = page.after.as_deref().map(|after| {
        after.split_once(':').ok_or_else(|| Error::invalid("after", "must be the `<type>:<id>` of a target"))
    });
    let (after_kind, after_id) = after.transpose()?.unwrap_or_default();
    let limit = rows(page.limit);
    reading!(store, |s| {
        let mut builder = PageBuilder::new(page.limit);
        match (kind.as_deref(), id.as_deref()) {
            (Some(kind), Some(id)) => {
                let target = TargetRef { kind: kind.to_owned(), id: id.to_owned() };
                let wanted = (after_kind, after_id) < (kind, id);
                if let Some(found) = find(s, user, &target).await?.filter(|_| wanted) {
                    builder.push(&found)?;
                }
            }
            (Some(kind), None) => {
                let after_id = match after_kind.cmp(kind) {
                    Ordering::Less => "",
                    Ordering::Equal => after_id,
                    Ordering::Greater => return Ok(ListPage(Vec::new())),
                };
                let sql = rows_of("s.target_type = $2 AND s.target_id > $3", "$4");
                push_rows(s, &sql, &[&user.0, &kind, &after_id, &limit], &mut builder).await?;
            }
            (None, Some(id)) => {
                let most_types = store.bounds.target_types;
                push_any_type(s, user, id, (after_kind, after_id), most_types, &mut builder).await?;
            }
            (None, None) => {
                let sql = rows_of("(s.target_type, s.target_id) > ($2, $3)", "$4");
                push_rows(s, &sql, &[&user.0, &after_kind, &after_id, &limit], &mut builder).await?;
            }
        }
        Ok(ListPage(builder.into_elements()))
    })
}

/// Reads rows into the page until it is full.
async fn push_rows(
    session: &Session,
    sql: &str,
    values: Values<'_>,
    builder: &mut PageBuilder,
) -> Result<(), Error> {
    let mut pending = SubscriptionBuilder::default();
    for row in session.query(sql, values).await? {
        if !pending.push_row(&row, builder)? {
            return Ok(());
        }
    }
    pending.push_last(builder)
}

/// The subscriptions to targets with an id of any type, by type.
async fn push_any_type(
    session: &Session,
    user: UserKey,
    id: &str,
    (after_kind, after_id): (&str, &str),
    most_types: usize,
    builder: &mut PageBuilder,
) -> Result<(), Error> {
    // The type of the last element may still have this id after the last element's id.
    let with_first = after_id < id;
    let values: Values<'_> = &[&user.0, &after_kind, &rows(most_types + 1), &with_first];
    let types = session.query(TYPES, values).await?;
    let types: Vec<String> = types.iter().map(|row| row.at(0)).collect::<Result<_, _>>()?;
    let too_many = types.len() > most_types;
    let sql = "SELECT target_type, target_id, action, reason, created_at FROM subscriptions
        WHERE user_key = $1 AND target_type = ANY($2) AND target_id = $3 AND (target_type, target_id) > ($4, $5)
        ORDER BY target_type, target_id, action";
    push_rows(session, sql, &[&user.0, &types, &id, &after_kind, &after_id], builder).await?;
    if too_many && !builder.is_full() {
        return Err(Error::invalid(
            "type",
            "is required: this user is subscribed to targets of too many types",
        ));
    }
    Ok(())
}
