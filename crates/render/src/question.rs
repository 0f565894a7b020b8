//! A question of an item, in the reader's words.

use tidings_ipc::{QuestionView, RowQuestion};
use tidings_model::{Answer, Choice, Question, Stamp, text};
use tidings_replica::{Item, Thread, ThreadQuestion};
use tidings_strings::strings;

use crate::context::RenderContext;

/// The view of the question that an item asks, if any.
pub fn view(ctx: &RenderContext<'_>, item: &Item) -> Option<QuestionView> {
    let question = item.notification.content.question.as_ref()?;
    let label = |id: &String| question.choice(id).map(|choice| text::line(&choice.label).into_owned());
    Some(QuestionView {
        answers: answers(question),
        text: question.text,
        expires: question.expires_at.map(Stamp::as_millis),
        default: question.default.as_ref().and_then(label),
        open: !question.is_closed(),
        outcome: question.is_closed().then(|| outcome(ctx, question)),
        at: question.answer.as_ref().map(|answer| answer.at.as_millis()),
        waits: item.answer_waits,
        late: item.late_answer.as_deref().map(|answer| (strings(ctx.lang).answer_late)(&text::line(answer))),
    })
}

/// The question that the row of a thread shows: an open one, or one that closed after anything else came.
pub fn of_row<'t>(ctx: &RenderContext<'_>, thread: &'t Thread) -> Option<(&'t ThreadQuestion, RowQuestion)> {
    let asked = thread.question.as_ref()?;
    let question = &asked.question;
    let closed_at = question.answer.as_ref().map(|answer| answer.at).or(question.expires_at);
    let is_newest = asked.msgid == thread.preview.msgid || closed_at >= Some(thread.last_at);
    let (answers, outcome) = if !question.is_closed() {
        (answers(question), None)
    } else if is_newest {
        (Vec::new(), Some(outcome(ctx, question)))
    } else {
        return None;
    };
    Some((asked, RowQuestion { msgid: asked.msgid.clone(), answers, outcome }))
}

fn answers(question: &Question) -> Vec<Choice> {
    let mut answers = question.answers.clone();
    for choice in &mut answers {
        text::make_line(&mut choice.label);
    }
    answers
}

/// Who answered what, or that nobody did.
pub fn outcome(ctx: &RenderContext<'_>, question: &Question) -> String {
    let table = strings(ctx.lang);
    let words = words(question);
    match &question.answer {
        Some(Answer { by: Some(by), .. }) if Some(by) == ctx.source.user.as_ref() => {
            (table.question_answered)(None, &words)
        }
        Some(Answer { by: Some(by), .. }) => (table.question_answered)(Some(&text::line(by)), &words),
        _ => (table.question_unanswered)(Some(words.as_str()).filter(|words| !words.is_empty())),
    }
}

/// The words of the answer: the label, the text, or both.
pub fn words(question: &Question) -> String {
    let label = question.answer_text().unwrap_or_default();
    let own = question.answer.as_ref().filter(|answer| answer.id.is_some()).and_then(|a| a.text.as_deref());
    let words = own.map_or_else(|| label.to_owned(), |own| format!("{label}: {own}"));
    text::line(&words).into_owned()
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
