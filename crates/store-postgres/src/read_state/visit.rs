//! Visits of views: each moves the view's read mark forward.

use std::collections::BTreeSet;

use tidings_model::{MsgId, Stamp, View};
use tidings_store::domain::account::UserKey;
use tidings_store::{AffectedSenders, Bounds, Error, Visit};

use super::{ViewKey, items, kind_row, marks, view_key};
use crate::PostgresStore;
use crate::portions::{Finished, LongWrite, Portion, Progress, in_portions};
use crate::session::{Columns, Session, Values};
use crate::tx::reading;

/// The newest stamp of any creation, and a view's read mark. `$1` the user, `$2` the kind, `$3` the view.
const POSITIONS: &str =
    "SELECT last, (SELECT mark FROM read_marks WHERE user_key = $1 AND kind = $2 AND view = $3) FROM log";

/// Moves a view's read mark forward. Gives the time that it was to reach, and the users whose pulls say something new.
pub(super) async fn visit(
    store: &PostgresStore,
    user: UserKey,
    view: &View,
    visit: &Visit,
) -> Result<(Stamp, AffectedSenders), Error> {
    let (kind, id) = view_key(view);
    let view = ViewKey { kind, view: id.to_owned() };
    let (to, locks) = reading!(store, |db| plan(db, user, &view, visit, &store.bounds).await)?;
    let Some(locks) = locks else { return Ok((to, AffectedSenders::default())) };
    let Finished { affected, .. } = in_portions(store, user, Move { view: &view, to }, locks).await?;
    Ok((to, affected))
}

/// The time to which the mark is to move, and the users whose inboxes that needs; `None` if the mark is there.
async fn plan(
    db: &Session,
    user: UserKey,
    view: &ViewKey,
    visit: &Visit,
    bounds: &Bounds,
) -> Result<(Stamp, Option<BTreeSet<UserKey>>), Error> {
    let positions: Values<'_> = &[&user.0, &kind_row(view.kind), &view.view];
    let row = db.query_one(POSITIONS, positions).await?;
    let (newest, mark) = (row.stamp(0)?, row.time(1)?);
    let to = match visit {
        // The newest creation and not the clock, because stamps may run ahead of it, and what is created later is not
        // covered.
        Visit::Now => newest,
        Visit::At(at) => newest.min(*at),
        Visit::Item(msgid) => content_at(db, user, view, msgid).await?,
    };
    if mark.is_some_and(|mark| mark >= to) {
        return Ok((to, None));
    }
    Ok((to, Some(marks::lock_set(db, user, bounds, std::iter::once((view, to))).await?)))
}

/// The time of an item's content, which is in the view.
async fn content_at(db: &Session, user: UserKey, view: &ViewKey, msgid: &MsgId) -> Result<Stamp, Error> {
    let found = items::with_msgids(db, user, &[msgid.as_str()]).await?.pop();
    let found = found.filter(|found| found.view == *view);
    found.map(|found| found.item.content_at()).ok_or_else(|| Error::not_found("message in this conversation"))
}

/// The long write of a visit.
#[derive(Clone)]
struct Move<'v> {
    view: &'v ViewKey,
    to: Stamp,
}

impl LongWrite for Move<'_> {
    async fn portion(&mut self, portion: &mut Portion<'_, '_>) -> Result<Progress, Error> {
        marks::advance(portion, self.view, self.to, None).await
    }
}
