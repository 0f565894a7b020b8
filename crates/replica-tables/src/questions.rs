//! The columns of `items` that belong to questions, and the operations that answer them.
//!
//! An index of each thread's questions (`items_questions`) has the open ones first. Its head is what the thread's
//! row shows, with the text of the item that asks, so that nobody answers what is not on screen. The reading pane
//! gets the open ones before its page (`ThreadView::asking`).
//!
//! The end of a question by this device's clock is no more than a guess. It is stored so that it can be taken back, until
//! the server says how the question ended.

use rusqlite::{Connection, params};
use tidings_model::{Answer, Content, Notification, Question, QuestionState, Stamp, wire};

use super::columns::json;
use super::item_state::ItemState;
use super::sql;
use crate::{ItemId, Result};

/// The name of the operation that answers a question.
pub const OPERATION: &str = "answer";

/// The column `question_due` of a notification.
#[inline]
pub fn due(n: &Notification) -> Option<Stamp> {
    let question = n.content.question.as_ref()?;
    Some(if question.is_closed() { Stamp::ZERO } else { question.expires_at.unwrap_or(Stamp::MAX) })
}

/// The column `question_due` of a question that ended by this device's clock, by the time of its end; also the time by the
/// column.
#[inline]
pub const fn ended(due: Stamp) -> Stamp {
    Stamp::from_micros(due.as_micros().saturating_neg())
}

/// The stored content of an item, without its priority.
pub fn content(tx: &Connection, item: ItemId) -> Result<Option<Content>> {
    sql::first(tx, "SELECT content FROM items WHERE id = ?1", [item], |r| json(r, 0))
}

/// Writes the question of an item, and what the reader answered too late, if anything.
pub fn set(tx: &Connection, item: ItemId, content: &Content, late: Option<&str>) -> Result<()> {
    let text = serde_json::to_string(&content.stored(&["priority"]))?;
    sql::run(tx, "UPDATE items SET content = ?2, late_answer = ?3 WHERE id = ?1", params![item, text, late])
        .map(drop)
}

/// Ends the question of an item whose time is over, with its default as the answer. Opens one that ended by a clock that
/// was set back since.
pub fn follow_clock(tx: &Connection, item: &mut ItemState, now: Stamp) -> Result<()> {
    let Some(due) = item.question_due else { return Ok(()) };
    let ends = due > Stamp::ZERO && due <= now;
    let opens = due < Stamp::ZERO && ended(due) > now;
    if !ends && !opens {
        return Ok(());
    }
    let Some(mut content) = content(tx, item.id)? else { return Ok(()) };
    if let Some(question) = &mut content.question {
        if opens {
            (question.state, question.answer) = (QuestionState::Open, None);
        }
        *question = std::mem::take(question).at(now);
    }
    item.question_due = Some(ended(due));
    let text = serde_json::to_string(&content.stored(&["priority"]))?;
    sql::run(tx, "UPDATE items SET content = ?2 WHERE id = ?1", params![item.id, text]).map(drop)
}

/// An answer that waits to be sent.
pub struct WaitingAnswer {
    /// The id of the choice.
    pub answer: Option<String>,
    /// What the reader wrote.
    pub text: Option<String>,
    /// When the reader gave it.
    pub at: Stamp,
}

impl WaitingAnswer {
    /// The question with this answer, as this device shows it until the server says what counts.
    pub fn put_into(&self, question: &mut Question, by: Option<&str>) {
        question.state = QuestionState::Answered;
        question.answer = Some(Answer {
            id: self.answer.clone(),
            text: self.text.clone(),
            by: by.map(str::to_owned),
            at: self.at,
        });
    }

    /// Whether this is the answer that a question shows.
    pub fn is(&self, shown: &Answer) -> bool {
        (self.at, &self.answer, &self.text) == (shown.at, &shown.id, &shown.text)
    }

    /// The words of the answer: the label of the choice, else the text.
    pub fn words<'w>(&'w self, question: &'w Question) -> &'w str {
        let label = self.answer.as_deref().map(|id| question.choice(id).map_or(id, |choice| &choice.label));
        label.or(self.text.as_deref()).unwrap_or_default()
    }
}

/// The answer that an operation gives; `None` for another operation.
pub fn of_operation(tx: &Connection, seq: i64) -> Result<Option<WaitingAnswer>> {
    select(tx, "SELECT change, written_at FROM outbox WHERE seq = ?1 AND operation = 'answer'", seq)
}

/// The answer to an item that waits to be sent.
pub fn waiting(tx: &Connection, item: ItemId) -> Result<Option<WaitingAnswer>> {
    let sql = "SELECT o.change, o.written_at FROM outbox_items x JOIN outbox o ON o.seq = x.op
         WHERE x.item = ?1 AND o.operation = 'answer' ORDER BY x.op DESC LIMIT 1";
    select(tx, sql, item)
}

fn select(tx: &Connection, sql: &str, key: i64) -> Result<Option<WaitingAnswer>> {
    let found: Option<(wire::Change, i64)> = sql::first(tx, sql, [key], |r| Ok((json(r, 0)?, r.get(1)?)))?;
    Ok(found.and_then(|(change, at)| match change {
        wire::Change::Answer { answer, text, .. } => {
            Some(WaitingAnswer { answer, text, at: Stamp::from_micros(at) })
        }
        _ => None,
    }))
}
