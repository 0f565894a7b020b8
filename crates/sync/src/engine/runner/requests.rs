//! What the engine asks of a runner.

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use crate::{Result, Trouble};

/// Requests to a runner. Several requests of one kind count as one.
#[derive(Default)]
pub(crate) struct Requests {
    pub(crate) pull: Notify,
    pub(crate) flush: Notify,
    /// The reader left a conversation: its read marks are not batched any longer.
    pub(crate) conversation_left: Notify,
    answers: Mutex<Vec<oneshot::Sender<Result<(), Trouble>>>>,
}

impl Requests {
    /// Requests a pull; its outcome is sent to `answer`.
    pub(crate) fn pull_and_answer(&self, answer: oneshot::Sender<Result<(), Trouble>>) {
        self.answers.lock().push(answer);
        self.pull.notify_one();
    }

    /// Answers all pending requests with a failure.
    pub(super) fn fail(&self, trouble: Trouble) {
        for receiver in self.take_answers() {
            let _ = receiver.send(Err(trouble));
        }
    }

    pub(super) fn take_answers(&self) -> Vec<oneshot::Sender<Result<(), Trouble>>> {
        std::mem::take(&mut *self.answers.lock())
    }
}
