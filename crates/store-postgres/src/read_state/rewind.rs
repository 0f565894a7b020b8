//! Moves the read mark of a view back, to make items of it unread again. Only what is read individually under a mark that
//! moves back gets a new version.

use std::collections::BTreeMap;

use tidings_model::Stamp;
use tidings_store::Error;

use super::covered_items::{nth_covered, restamp_read_individually, uncover};
use super::items;
use super::marks::SET;
use super::{ViewKey, kind_row};
use crate::portions::{Portion, Progress};
use crate::session::{Columns, Values, rows};

/// A move of a read mark back, which may take several portions.
#[derive(Debug, Clone)]
pub(super) struct Rewind {
    pub(super) view: ViewKey,
    /// Where the mark moves.
    pub(super) to: Stamp,
    /// The creation times of the items that become unread, each with the time at which the reader said so.
    pub(super) items: Vec<(Stamp, Stamp)>,
}

const MARK: &str = "SELECT mark FROM read_marks WHERE user_key = $1 AND kind = $2 AND view = $3";

impl Rewind {
    /// Moves the mark back as far as the budget permits. The items between become unread, unless they are read
    /// individually, own or deleted. Those that are read individually come again in a pull, because the mark had hidden
    /// their own `read_at`. At the end the items that it is about lose theirs.
    pub(super) async fn advance(&self, portion: &mut Portion<'_, '_>) -> Result<Progress, Error> {
        while !self.step(portion).await? {
            if portion.budget.is_spent() {
                return Ok(Progress::More);
            }
        }
        self.unread_items(portion).await?;
        Ok(Progress::Done)
    }

    /// Moves the mark back by one batch; true when it is there.
    async fn step(&self, portion: &mut Portion<'_, '_>) -> Result<bool, Error> {
        let (user, kind, to) = (portion.user, kind_row(self.view.kind), self.to.as_micros());
        let view: &str = &self.view.view;
        let found = portion.tx.query_opt(MARK, &[&user.0, &kind, &view]).await?;
        let Some(old) = found.map(|row| row.stamp(0)).transpose()?.filter(|mark| *mark > self.to) else {
            return Ok(true);
        };
        let (old, nth) = (old.as_micros(), rows(portion.budget.batch_rows() - 1));
        let last = nth_covered(self.view.kind);
        let last = portion.tx.query_opt(&last, &[&user.0, &kind, &view, &to, &old, &nth]).await?;
        let step = last.map(|row| row.stamp(0)).transpose()?.map_or(self.to, |at| at.plus_micros(-1));
        let (after, stamp) = (step.as_micros(), portion.locked.next_stamp(user).as_micros());
        portion.tx.execute(SET, &[&user.0, &kind, &view, &after, &stamp, &None::<i64>]).await?;
        let range: Values<'_> = &[&user.0, &kind, &view, &after, &old];
        let unread = portion.tx.execute(&uncover(self.view.kind), range).await?;
        // The items come after the mark, so that no reader has one before the mark that no longer covers it.
        let first = portion.locked.coming_stamp(user).as_micros();
        let except: Vec<i64> = self.items.iter().map(|(at, _)| at.as_micros()).collect();
        let restamp = restamp_read_individually(self.view.kind);
        let values: Values<'_> = &[&user.0, &kind, &view, &after, &old, &first, &except];
        let restamped = usize::try_from(portion.tx.execute(&restamp, values).await?).unwrap_or_default();
        portion.locked.assign(user, restamped);
        portion.budget.charge(usize::try_from(unread).unwrap_or_default() + restamped + 1);
        Ok(step == self.to)
    }

    /// Takes their own `read_at` from the items that it is about, in the order of their creation.
    async fn unread_items(&self, portion: &mut Portion<'_, '_>) -> Result<(), Error> {
        let (mut changed, mut timed) = (items::Changes::default(), Vec::new());
        let marked_at: BTreeMap<Stamp, Stamp> = self.items.iter().copied().collect();
        let times: Vec<Stamp> = marked_at.keys().copied().collect();
        for loaded in items::created_at(portion.tx, portion.user, &times).await? {
            let mut item = loaded.item;
            // A time that was known gave way to it, unless it is still to come.
            item.marked.read = marked_at.get(&item.created_at).copied().or(item.marked.read);
            if item.read_at.take().is_some() {
                changed.push(&item, portion.locked.next_stamp(portion.user));
            } else {
                timed.push(item);
            }
        }
        portion.budget.charge(changed.len() + timed.len());
        items::set_marked(portion.tx, portion.user, &timed).await?;
        changed.write(portion.tx, portion.user).await
    }
}
