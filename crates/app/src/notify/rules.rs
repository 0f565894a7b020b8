//! The commands for notify settings of sources and threads, and for the reader's rules.

use std::sync::Arc;

use chrono::{Days, Local};
use tidings_ipc::{
    NotifySettings, Rule, RuleAct, RuleDay, RuleField, RuleTrial, RuleValue, SourceId, ThreadId,
};
use tidings_model::{Stamp, text};
use tidings_render::contexts::RenderContexts;
use tidings_render::row::found_row;
use tidings_replica::Replica;

use crate::context::{Context, part};
use crate::error::Result;

/// The most completions of a rule's field.
const MAX_COMPLETIONS: usize = 8;
/// The most characters of a text that is completed.
const MAX_TYPED_CHARS: usize = 200;
/// The number of days, with today, of which the rule log is shown.
const DAYS: u64 = 14;

part! {
    /// The notify settings of sources and threads, and the rules.
    pub(crate) struct Rules {
        context: Arc<Context>,
    }
}

impl Rules {
    /// Sets the notify settings of a source; returns those in force.
    pub(crate) async fn set_source_notify(
        &self,
        source: SourceId,
        notify: NotifySettings,
    ) -> Result<NotifySettings> {
        let stored = self.context.disk(move |r| r.set_source_notify(source, notify)).await?;
        self.preferences_changed();
        self.context.events.update(|dirty| dirty.refetch = true);
        Ok(stored)
    }

    /// Sets the notify settings of a thread; returns those in force.
    pub(crate) async fn set_thread_notify(
        &self,
        thread: ThreadId,
        notify: NotifySettings,
    ) -> Result<NotifySettings> {
        let stored = self.context.disk(move |r| r.set_thread_notify(thread, notify)).await?;
        self.preferences_changed();
        Ok(stored)
    }

    fn preferences_changed(&self) {
        self.context.events.update(|dirty| {
            dirty.counts = true;
            dirty.sync = true;
        });
    }

    /// The rules in their order.
    pub(crate) async fn rules(&self) -> Result<Vec<Rule>> {
        self.context.disk(Replica::rules).await
    }

    /// Saves a rule; returns all rules.
    pub(crate) async fn save_rule(&self, rule: Rule) -> Result<Vec<Rule>> {
        self.context.disk(move |r| r.save_rule(rule)).await
    }

    /// Removes a rule; returns the others.
    pub(crate) async fn remove_rule(&self, id: i64) -> Result<Vec<Rule>> {
        self.context.disk(move |r| r.remove_rule(id)).await
    }

    /// Puts the rules into the given order; returns them.
    pub(crate) async fn order_rules(&self, ids: Vec<i64>) -> Result<Vec<Rule>> {
        self.context.disk(move |r| r.order_rules(ids)).await
    }

    /// Tries a rule on the newest items, without saving it.
    pub(crate) async fn try_rule(&self, rule: Rule) -> Result<RuleTrial> {
        let language = self.context.language();
        self.context
            .disk(move |r| {
                let trial = r.try_rule(rule)?;
                let rows = RenderContexts::load(r, &language)?.rows(&r.threads_by_id(&trial.threads)?, &[]);
                Ok(RuleTrial { matches: trial.matches, of: trial.of, rows })
            })
            .await
    }

    /// Values of a rule's field that begin like a text.
    pub(crate) async fn complete_rule(&self, field: RuleField, typed: String) -> Result<Vec<RuleValue>> {
        if typed.chars().count() > MAX_TYPED_CHARS {
            return Ok(Vec::new());
        }
        let mut values = self.context.disk(move |r| r.rule_values(field, &typed, MAX_COMPLETIONS)).await?;
        for value in &mut values {
            text::make_line(&mut value.name);
        }
        Ok(values)
    }

    /// How many items each rule acted on in the last 14 days of the reader's time zone.
    pub(crate) async fn rule_days(&self) -> Result<Vec<RuleDay>> {
        let day = |at: Stamp| at.to_datetime().with_timezone(&Local).date_naive();
        let first = day(self.context.now()).checked_sub_days(Days::new(DAYS - 1));
        let mut days: Vec<RuleDay> = Vec::new();
        for count in self.context.disk(Replica::rule_counts).await? {
            let (rule, at, items) = (count.rule, count.at.as_millis(), count.items);
            match days.last_mut() {
                Some(last) if last.rule == rule && day(Stamp::from_millis(last.at)) == day(count.at) => {
                    last.items += items;
                }
                _ if first.is_some_and(|first| day(count.at) < first) => {}
                _ => days.push(RuleDay { rule, at, items }),
            }
        }
        Ok(days)
    }

    /// The last items on which a rule acted, the latest first.
    pub(crate) async fn rule_acts(&self, rule: i64) -> Result<Vec<RuleAct>> {
        let language = self.context.language();
        self.context
            .disk(move |r| {
                let acts = r.rule_acts(rule)?;
                let mut ids: Vec<ThreadId> = acts.iter().map(|act| act.thread).collect();
                ids.sort_unstable();
                ids.dedup();
                let (threads, contexts) = (r.threads_by_id(&ids)?, RenderContexts::load(r, &language)?);
                let row = |act: tidings_replica::RuleAct| {
                    let thread = threads.iter().find(|thread| thread.id == act.thread)?;
                    let row = found_row(&contexts.of(thread.source)?, thread, &act.item, &[], false);
                    let msgid = act.item.preview.msgid;
                    Some(RuleAct { row, msgid, at: act.at.as_millis(), then: act.then })
                };
                Ok(acts.into_iter().filter_map(row).collect())
            })
            .await
    }
}
