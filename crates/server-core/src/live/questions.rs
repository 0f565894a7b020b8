//! The requests that wait for answers: changes of a publication and hints of other processes wake them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tidings_model::MsgId;
use tidings_store::{Post, UserKey};
use tokio::sync::broadcast::{self, Receiver, Sender, error::RecvError};

use crate::domain::limits;
use crate::threads::Mutex;

/// News that a slow waiter may be behind; then it looks by itself.
const MAX_NEWS: usize = 64;

/// A pause before looking again for news of other processes, which don't say what they concern.
const PAUSE: Duration = Duration::from_millis(100);

/// Wakes the requests that wait for answers.
#[derive(Clone)]
pub struct Questions {
    /// The msgid of the changed publication; `None` if it is not known.
    news: Sender<Option<MsgId>>,
    waits: Arc<Mutex<HashMap<UserKey, usize>>>,
}

impl Default for Questions {
    fn default() -> Self {
        Self { news: broadcast::Sender::new(MAX_NEWS), waits: Arc::default() }
    }
}

/// The place of a request that waits for an answer.
pub struct AnswerWait {
    questions: Questions,
    news: Receiver<Option<MsgId>>,
    user: UserKey,
}

/// The user has [`limits::USER_ANSWER_WAITS`] requests that wait for answers.
#[derive(Debug)]
pub struct TooManyWaits;

impl Questions {
    /// Waits for news from now on.
    ///
    /// # Errors
    /// [`TooManyWaits`] if the user has too many.
    pub fn wait(&self, user: UserKey) -> Result<AnswerWait, TooManyWaits> {
        let mut waits = self.waits.lock();
        let count = waits.entry(user).or_default();
        if *count >= limits::USER_ANSWER_WAITS {
            return Err(TooManyWaits);
        }
        *count += 1;
        Ok(AnswerWait { questions: self.clone(), news: self.news.subscribe(), user })
    }

    /// The number of requests that wait.
    pub fn wait_count(&self) -> usize {
        self.waits.lock().values().sum()
    }

    /// Wakes the waiting requests after changes of publications.
    pub(super) fn changed(&self, posts: &[Post]) {
        if self.news.receiver_count() > 0 {
            for post in posts {
                // Nobody may wait any more.
                drop(self.news.send(Some(post.posted.msgid.clone())));
            }
        }
    }

    /// Wakes the waiting requests after a change by another process.
    pub(super) fn changed_elsewhere(&self) {
        drop(self.news.send(None));
    }
}

impl AnswerWait {
    /// Ends when something may have become of this publication.
    pub async fn changed(&mut self, msgid: &MsgId) {
        loop {
            match self.news.recv().await {
                Ok(Some(changed)) if changed != *msgid => {}
                // The sender is kept by this wait itself.
                Ok(Some(_)) | Err(RecvError::Closed) => return,
                Ok(None) | Err(RecvError::Lagged(_)) => {
                    tokio::time::sleep(PAUSE).await;
                    return;
                }
            }
        }
    }
}

impl Drop for AnswerWait {
    fn drop(&mut self) {
        let mut waits = self.questions.waits.lock();
        if let Some(count) = waits.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                waits.remove(&self.user);
            }
        }
    }
}
