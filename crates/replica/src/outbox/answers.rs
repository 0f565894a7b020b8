//! Answers to questions: shown at once, and sent with the other operations. The server says which answer counts.

use rusqlite::Connection;
use tidings_model::{MsgId, QuestionState, Stamp, wire};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::outbox::{NewOperation, new_id};
use tidings_replica_tables::questions::{self, WaitingAnswer};
use tidings_replica_tables::{outbox as rows, sources};

use super::count_change;
use crate::outbox;
use crate::{AnswerOutcome, ItemId, Result, SourceId};

/// The longest answer in words, in bytes; a server takes no longer one.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Answers the question of an item, unless it is closed or offers no such answer.
pub(crate) fn answer(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    item: ItemId,
    (answer, text): (Option<String>, Option<String>),
    now: Stamp,
) -> Result<AnswerOutcome> {
    let Some(before) = ItemState::get(tx, item)?.filter(|before| !before.deleted) else {
        return Ok(AnswerOutcome::NoQuestion);
    };
    let Some(mut content) = questions::content(tx, item)? else { return Ok(AnswerOutcome::NoQuestion) };
    let Some(question) = &mut content.question else { return Ok(AnswerOutcome::NoQuestion) };
    if !question.is_open(before.server_time(now)) {
        return Ok(AnswerOutcome::Closed);
    }
    let text = text.filter(|text| !text.trim().is_empty());
    let is_offered = answer.as_deref().is_none_or(|id| question.choice(id).is_some());
    let is_taken = text.as_ref().is_none_or(|text| question.text && text.len() <= MAX_TEXT_BYTES);
    if !is_offered || !is_taken || (answer.is_none() && text.is_none()) {
        return Ok(AnswerOutcome::NotOffered);
    }
    let msgids = [MsgId(before.msgid.clone())];
    let at = Some(sources::acted_at(tx, before.source, now)?);
    let change = wire::Change::Answer { msgids, answer: answer.clone(), text: text.clone(), at };
    let name = questions::OPERATION;
    let op = NewOperation { source: before.source, name, at: None, kind: None, change: &change };
    let seq = rows::insert(tx, &new_id(), &op, now)?;
    rows::add_item(tx, seq, &before.named())?;
    let by = sources::pull_state(tx, before.source)?.user;
    WaitingAnswer { answer, text, at: now }.put_into(question, by.as_deref());
    questions::set(tx, item, &content, None)?;
    let after = ItemState { question_due: Some(Stamp::ZERO), ..before.clone() };
    write(tx, aggregates, &before, after, now)?;
    Ok(AnswerOutcome::Answered)
}

/// Takes back what this device shows of an answer that the server refused. `is_late` if another answer counts, or if
/// the time was over: then the reader's answer is kept.
pub(crate) fn refused(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    item: ItemId,
    refused: &WaitingAnswer,
    is_late: bool,
    now: Stamp,
) -> Result<()> {
    let Some(before) = ItemState::get(tx, item)? else { return Ok(()) };
    let Some(mut content) = questions::content(tx, item)? else { return Ok(()) };
    let Some(question) = &mut content.question else { return Ok(()) };
    let late = is_late.then(|| refused.words(question).to_owned());
    let mut after = before.clone();
    // What the server has said of it since stays. Somebody else may have answered otherwise at the same time.
    if question.answer.as_ref().is_some_and(|answer| refused.is(answer)) {
        (question.state, question.answer) = (QuestionState::Open, None);
        *question = std::mem::take(question).at(before.server_time(now));
        let due = question.expires_at.unwrap_or(Stamp::MAX);
        after.question_due = Some(match (question.is_closed(), is_late) {
            (false, _) => due,
            (true, false) => questions::ended(due),
            (true, true) => Stamp::ZERO,
        });
    }
    questions::set(tx, item, &content, late.as_deref())?;
    write(tx, aggregates, &before, after, now)
}

/// The content of a version that came while an answer waits to be sent: it shows that answer, unless another one counts.
pub(crate) fn over_version(
    tx: &Connection,
    source: SourceId,
    state: &mut ItemState,
    content: String,
) -> Result<String> {
    if state.question_due.is_none_or(|due| due == Stamp::ZERO) {
        return Ok(content);
    }
    let Some(waiting) = questions::waiting(tx, state.id)? else { return Ok(content) };
    let mut shown: tidings_model::Content = serde_json::from_str(&content)?;
    if let Some(question) = &mut shown.question {
        waiting.put_into(question, sources::pull_state(tx, source)?.user.as_deref());
        state.question_due = Some(Stamp::ZERO);
    }
    Ok(serde_json::to_string(&shown.stored(&["priority"]))?)
}

fn write(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    before: &ItemState,
    mut after: ItemState,
    now: Stamp,
) -> Result<()> {
    after.derive(now);
    count_change(tx, aggregates, before, &after)?;
    aggregates.content_changed(after.thread, after.id)?;
    after.write(tx)
}

/// Settles an answered operation that answers a question; false for another operation.
pub(crate) fn acknowledged(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    seq: i64,
    result: &wire::OpResult,
    now: Stamp,
) -> Result<bool> {
    let Some(waiting) = questions::of_operation(tx, seq)? else { return Ok(false) };
    let items = rows::items_of(tx, seq)?;
    rows::delete(tx, seq)?;
    for item in items {
        if result.ok {
            outbox::touch(tx, aggregates, item)?;
        } else {
            let is_late =
                matches!(result.code, Some(tidings_model::Code::Conflict | tidings_model::Code::Gone));
            refused(tx, aggregates, item, &waiting, is_late, now)?;
        }
    }
    Ok(true)
}
