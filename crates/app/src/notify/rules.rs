//! The commands for notify settings of sources and threads, and for the reader's rules.

use tidings_replica::Replica;

use crate::app::App;
use crate::error::Result;
use crate::ipc::{NotifySettings, Rule, RuleTrial, SourceId, ThreadId};
use crate::render::contexts::RenderContexts;

impl App {
    /// Sets the notify settings of a source; returns those in force.
    pub async fn set_source_notify(
        &self,
        source: SourceId,
        notify: NotifySettings,
    ) -> Result<NotifySettings> {
        let stored = self.disk(move |r| r.set_source_notify(source, notify)).await?;
        self.preferences_changed();
        self.inner.events.update(|dirty| dirty.refetch = true);
        Ok(stored)
    }

    /// Sets the notify settings of a thread; returns those in force.
    pub async fn set_thread_notify(
        &self,
        thread: ThreadId,
        notify: NotifySettings,
    ) -> Result<NotifySettings> {
        let stored = self.disk(move |r| r.set_thread_notify(thread, notify)).await?;
        self.preferences_changed();
        Ok(stored)
    }

    fn preferences_changed(&self) {
        self.inner.events.update(|dirty| {
            dirty.counts = true;
            dirty.sync = true;
        });
    }

    /// The rules in their order.
    pub async fn rules(&self) -> Result<Vec<Rule>> {
        self.disk(Replica::rules).await
    }

    /// Saves a rule; returns all rules.
    pub async fn save_rule(&self, rule: Rule) -> Result<Vec<Rule>> {
        self.disk(move |r| r.save_rule(rule)).await
    }

    /// Removes a rule; returns the others.
    pub async fn remove_rule(&self, id: i64) -> Result<Vec<Rule>> {
        self.disk(move |r| r.remove_rule(id)).await
    }

    /// Puts the rules into the given order; returns them.
    pub async fn order_rules(&self, ids: Vec<i64>) -> Result<Vec<Rule>> {
        self.disk(move |r| r.order_rules(ids)).await
    }

    /// Tries a rule on the newest items, without saving it.
    pub async fn try_rule(&self, rule: Rule) -> Result<RuleTrial> {
        let lang = self.lang();
        self.disk(move |r| {
            let trial = r.try_rule(rule)?;
            let rows = RenderContexts::load(r, lang)?.rows(&r.threads_by_id(&trial.threads)?, &[]);
            Ok(RuleTrial { matches: trial.matches, of: trial.of, rows })
        })
        .await
    }
}
