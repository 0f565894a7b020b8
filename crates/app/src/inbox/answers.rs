//! Answers to questions. They are shown at once and sent like marks; the server says which answer counts.

use std::sync::Arc;

use tidings_ipc::ThreadId;
use tidings_model::MsgId;
use tidings_replica::{AnswerOutcome, Replica};
use tidings_strings::strings;

use crate::context::{Context, part};
use crate::error::{Error, Result};

part! {
    /// The answers to questions.
    pub(crate) struct Answers {
        context: Arc<Context>,
    }
}

impl Answers {
    /// Answers the question of an item of a thread.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the thread has no such question; a sentence if it is closed, or takes no such answer.
    pub(crate) async fn answer_question(
        &self,
        thread: ThreadId,
        msgid: String,
        answer: Option<String>,
        text: Option<String>,
    ) -> Result<()> {
        let msgid = MsgId(msgid);
        let outcome =
            self.context.disk(move |r| put(r, thread, &msgid, answer.as_deref(), text.as_deref())).await?;
        let table = strings(self.context.lang());
        match outcome {
            AnswerOutcome::Answered => Ok(()),
            AnswerOutcome::Closed => Err(Error::invalid(table.answer_closed)),
            AnswerOutcome::NotOffered => Err(Error::invalid(table.answer_not_offered)),
            AnswerOutcome::NoQuestion => Err(Error::NotFound),
        }
    }
}

fn put(
    r: &Replica,
    thread: ThreadId,
    msgid: &MsgId,
    answer: Option<&str>,
    text: Option<&str>,
) -> tidings_replica::Result<AnswerOutcome> {
    let Some(row) = r.threads_by_id(&[thread])?.pop() else { return Ok(AnswerOutcome::NoQuestion) };
    let found = r.items_by_msgid(Some(row.source), std::slice::from_ref(msgid))?;
    match found.into_iter().find(|item| item.thread == thread) {
        Some(item) => r.answer(item.id, answer, text),
        None => Ok(AnswerOutcome::NoQuestion),
    }
}
