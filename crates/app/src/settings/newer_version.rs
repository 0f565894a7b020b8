//! Tells the reader of a newer version. Whoever made the package named the feed of its releases; without one, nothing is
//! asked. Nothing is installed.

use std::sync::Arc;
use std::time::Duration;

use tidings_ipc::{NewerVersion, NoticeCode, Releases};
use tidings_replica::Replica;
use tokio::sync::Notify;

use crate::context::{Context, part};
use crate::error::Result;
use crate::state::notices::Degradation;
use crate::state::release::KnownRelease;

/// How often the clock is read: a sleep of the computer is noticed this late.
const LOOK_INTERVAL: Duration = Duration::from_secs(3_600);

part! {
    /// Asks the feed of releases, at most once a day, and tells of a newer version.
    pub(crate) struct ReleaseWatch {
        context: Arc<Context>;
        /// Notified when the reader switched this on or off.
        changed: Notify = Notify::new(),
    }
}

impl ReleaseWatch {
    /// Asks the feed whenever it is due, for as long as the program runs. Without a feed, what another package learned is
    /// forgotten.
    pub(crate) async fn run_checks(self: Arc<Self>) {
        if self.context.release_feed.is_none() {
            if let Err(error) = self.context.disk(KnownRelease::remove).await {
                tracing::error!(%error, "what a feed of releases said could not be removed");
            }
            return;
        }
        loop {
            if let Err(error) = self.check().await {
                tracing::error!(%error, "what the feed of releases said could not be kept");
            }
            let _ = tokio::time::timeout(LOOK_INTERVAL, self.changed.notified()).await;
        }
    }

    /// Handles that the reader switched this on or off.
    pub(crate) fn setting_changed(&self) {
        self.changed.notify_one();
    }

    /// Asks the feed if it is due, and shows or removes the notice.
    pub(crate) async fn check(&self) -> Result<()> {
        let Some(feed) = self.feed() else {
            self.context.clear(NoticeCode::NewerVersion);
            return Ok(());
        };
        let mut known = self.context.disk(KnownRelease::read).await?;
        if known.is_due(self.context.now()) {
            let asked = known.asked(feed, Arc::clone(&self.context.clock)).await;
            // The notice may have been closed meanwhile.
            known = self.change(move |stored| asked.closed_as(stored)).await?;
        }
        self.show_notice(&known);
        Ok(())
    }

    /// What the page shows.
    pub(crate) async fn releases(&self) -> Result<Releases> {
        let known = self.context.disk(KnownRelease::read).await?;
        let newer = self.feed().and_then(|_| known.newer_than(&self.context.version));
        let newer = newer.map(|one| NewerVersion { version: one.version.clone(), link: one.link.clone() });
        Ok(Releases { has_feed: self.context.release_feed.is_some(), newer })
    }

    /// Closes the notice of a newer version for good.
    pub(crate) async fn close_notice(&self) -> Result<()> {
        let known = self.change(|mut stored| {
            stored.close();
            stored
        });
        self.show_notice(&known.await?);
        Ok(())
    }

    /// The address of the feed; `None` if there is none, or if the reader switched this off.
    fn feed(&self) -> Option<&str> {
        let is_on = self.context.settings.get().behaviour.newer_version;
        self.context.release_feed.as_deref().filter(|_| is_on)
    }

    fn show_notice(&self, known: &KnownRelease) {
        let newer = self.feed().and_then(|_| known.newer_than(&self.context.version));
        match newer.filter(|newer| !known.is_closed(newer)) {
            Some(newer) => self.context.raise(&Degradation::NewerVersion(newer.version.clone())),
            None => self.context.clear(NoticeCode::NewerVersion),
        }
    }

    /// Changes what is kept; returns it as it is then.
    async fn change(
        &self,
        change: impl FnOnce(KnownRelease) -> KnownRelease + Send + 'static,
    ) -> Result<KnownRelease> {
        let changed = move |replica: &Replica| {
            let known = change(KnownRelease::read(replica)?);
            known.store(replica)?;
            Ok::<_, tidings_replica::Error>(known)
        };
        self.context.disk(changed).await
    }
}
