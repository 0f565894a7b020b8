//! Makes subscriptions of their rows, of which there is one for each action of a target.

use tidings_model::Stamp;

use super::fields::Fields;
use super::page::PageBuilder;
use super::{Subscription, TargetRef};
use crate::Error;

/// Combines the rows of each target into one subscription.
#[derive(Default)]
pub struct SubscriptionBuilder {
    subscription: Option<Subscription>,
    /// The time of the earliest action with a reason; its reason is the subscription's.
    reason_at: Option<Stamp>,
}

impl SubscriptionBuilder {
    /// Adds the next row; gives the completed subscription if the row begins another target.
    pub fn add_row(&mut self, row: &impl Fields) -> Result<Option<Subscription>, Error> {
        let target = TargetRef { kind: row.string(0)?, id: row.string(1)? };
        let (reason, created_at) = (row.text(3)?, row.stamp(4)?);
        let done = self.subscription.take_if(|s| s.target != target);
        if done.is_some() {
            self.reason_at = None;
        }
        let current = self.subscription.get_or_insert(Subscription {
            target,
            actions: Vec::new(),
            reason: None,
            created_at,
        });
        current.actions.push(row.string(2)?);
        current.created_at = current.created_at.min(created_at);
        if !reason.is_empty() && self.reason_at.is_none_or(|at| created_at < at) {
            current.reason = Some(reason.to_owned());
            self.reason_at = Some(created_at);
        }
        Ok(done)
    }

    /// Like [`Self::add_row`], into a page; false if the page is full.
    pub fn push_row(&mut self, row: &impl Fields, page: &mut PageBuilder) -> Result<bool, Error> {
        self.add_row(row)?.map_or(Ok(true), |done| page.push(&done))
    }

    /// Adds the last subscription to a page.
    pub fn push_last(self, page: &mut PageBuilder) -> Result<(), Error> {
        if let Some(last) = self.subscription {
            page.push(&last)?;
        }
        Ok(())
    }

    /// The last subscription.
    pub fn finish(self) -> Option<Subscription> {
        self.subscription
    }
}
