//! A test notification goes the way of a real one: through the own server if it runs, and to the desktop. The reader
//! sees the desktop's answer, with what to do.

use std::sync::Arc;
use std::time::Duration;

use tidings_ipc::{NoticeCode, TestNotification, TestOutcome};
use tidings_ports::{ToastAnswer, ToastKey, ToastRef};
use tidings_replica::{NotifyLevel, Replica};
use tidings_strings::desktop::{DesktopStrings, desktop_strings};
use tidings_toasts::quiet;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

use super::toasts::Toasts;
use crate::context::{Context, part};
use crate::error::Result;
use crate::publish::Publishing;
use crate::state::own_server::ServerState;

/// The topic of test notifications.
pub(crate) const TEST_TOPIC: &str = "test";
/// The key of their thread.
const TEST_KEY: &str = "topic:test#publish";
/// The longest wait for the desktop's answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The answers of the desktop that are kept for a test that listens.
const ANSWERS: usize = 32;
/// The priority of a test notification, unless only higher ones make toasts.
const USUAL_PRIORITY: u8 = 3;

part! {
    /// Sends test notifications, and waits for what the desktop answers.
    pub(crate) struct TestNotifications {
        context: Arc<Context>,
        toasts: Arc<Toasts>,
        server_state: Arc<ServerState>,
        publishing: Arc<Publishing>;
        /// What the desktop says to each toast.
        answers: Sender<(ToastRef, ToastAnswer)> = broadcast::channel(ANSWERS).0,
    }
}

impl TestNotifications {
    /// Takes over what the desktop says to a toast.
    pub(crate) fn answered(&self, toast: ToastRef, answer: ToastAnswer) {
        // Nobody listens but a test notification.
        let _ = self.answers.send((toast, answer));
    }

    /// Sends a test notification and returns its outcome.
    pub(crate) async fn test_notification(&self) -> Result<TestNotification> {
        let table = desktop_strings(self.context.lang());
        // Subscribed before it is sent, so that no answer is missed.
        let answers = self.answers.subscribe();
        let priority = USUAL_PRIORITY.max(self.context.settings.get().notify.from_priority);
        let through_server = match self.server_state.url() {
            Some(url) => {
                self.publishing.publish_test(&url, TEST_TOPIC, table.test_body, priority).await?;
                true
            }
            None => false,
        };
        if let Some(held) = self.held_back(table, priority, through_server).await? {
            return Ok(TestNotification { outcome: TestOutcome::Held, text: held });
        }
        if !through_server {
            self.toasts.show_program_toast(table.test_title, table.test_body);
        }
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, self.answer_to_test(answers));
        let (outcome, text) = match answer.await.unwrap_or_default() {
            Some(ToastAnswer::Shown) => (TestOutcome::Shown, table.test_shown),
            Some(ToastAnswer::DoNotDisturb) => (TestOutcome::Held, table.test_do_not_disturb),
            Some(ToastAnswer::NoDaemon) => (TestOutcome::Failed, table.test_no_daemon),
            Some(ToastAnswer::Refused) => (TestOutcome::Failed, table.test_refused),
            None => (TestOutcome::Failed, table.test_nothing),
        };
        Ok(TestNotification { outcome, text: text.to_owned() })
    }

    /// Why a toast of this priority is not shown now, as far as that is known before the desktop is asked.
    async fn held_back(
        &self,
        table: &DesktopStrings,
        priority: u8,
        through_server: bool,
    ) -> Result<Option<String>> {
        let (settings, now, zone) =
            (self.context.settings.get(), self.context.now(), self.context.zone.as_ref());
        if settings.pause_end(now).is_some() {
            return Ok(Some(table.test_paused.to_owned()));
        }
        let sources = self.context.disk(Replica::sources).await?;
        let own = sources.iter().find(|source| source.own);
        let hours = match own.filter(|_| through_server) {
            Some(own) => quiet::for_thread(&settings.notify.quiet, own.id, TEST_KEY),
            None => quiet::for_everything(&settings.notify.quiet),
        };
        let allows = |least: u8| priority >= least;
        if let Some(quiet) =
            quiet::in_force(&hours, zone, now).filter(|quiet| !quiet.passes.is_some_and(allows))
        {
            return Ok(Some((table.test_quiet)(&quiet::clock_time(zone, quiet.until))));
        }
        if self.context.notices.has(NoticeCode::NoToasts) {
            return Ok(None);
        }
        if through_server && self.toasts.toasts_are_off_in_focus() {
            return Ok(Some(table.test_in_focus.to_owned()));
        }
        let may_toast = own.is_none_or(|own| {
            own.notify.level.unwrap_or_default() == NotifyLevel::Toast
                && own.notify.from_priority.is_none_or(|least| priority >= least)
        });
        Ok((through_server && !may_toast).then(|| table.test_source.to_owned()))
    }

    /// Waits for the desktop's answer to the test's toast; `None` if the program ends.
    async fn answer_to_test(&self, mut answers: Receiver<(ToastRef, ToastAnswer)>) -> Option<ToastAnswer> {
        loop {
            match answers.recv().await {
                Ok((toast, answer)) if self.speaks_of_test(toast.key).await => return Some(answer),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// Whether a toast is that of the test's thread, or of several things of the own server's source.
    async fn speaks_of_test(&self, key: ToastKey) -> bool {
        let is_test = self.context.disk(move |replica| {
            Ok(match key {
                ToastKey::Program => true,
                ToastKey::Source(id) => replica.sources()?.iter().any(|source| source.own && source.id == id),
                ToastKey::Thread(id) => replica
                    .threads_by_id(&[id])?
                    .iter()
                    .any(|thread| thread.key.starts_with(&format!("topic:{TEST_TOPIC}#"))),
            })
        });
        is_test.await.unwrap_or(false)
    }
}
