//! The rules of questions: what a publication may ask, and which answer counts.
//!
//! The outcome of a question is written once, with the content of its publication and under the lock of the log. An
//! answer, or the end of its time, is a candidate of fan-in like a clear. The table `open_questions` has those that
//! wait. A read of an inbox first ends those whose time is over, so numbers are right at that moment; the task of
//! delayed publications ends the others.

use tidings_model::{Answer, Code, Content, Problem, Question, QuestionState, Stamp, check_id};

use super::limits;

/// Checks the question of a publication that is delivered at `at`, and opens it.
///
/// # Errors
/// `invalid` with the field that is wrong.
pub fn open(content: &mut Content, at: Stamp) -> Result<(), Problem> {
    let Some(question) = &mut content.question else { return Ok(()) };
    check_answers(question)?;
    if let Some(default) = &question.default
        && question.choice(default).is_none()
    {
        return Err(Problem::invalid("question.default", "must be the id of one of the answers"));
    }
    let expires_at = question.expires_at.unwrap_or(at.plus_secs(limits::QUESTION_SECS));
    if expires_at <= at || expires_at > at.plus_secs(limits::MAX_QUESTION_SECS) {
        let days = limits::MAX_QUESTION_SECS / 86_400;
        return Err(Problem::invalid("question.expires_at", format!("must be within the next {days} days")));
    }
    question.expires_at = Some(expires_at);
    // What a publisher sends of the outcome is ignored.
    (question.state, question.answer) = (QuestionState::Open, None);
    Ok(())
}

fn check_answers(question: &Question) -> Result<(), Problem> {
    let answers = &question.answers;
    if answers.is_empty() && !question.text {
        return Err(Problem::invalid(
            "question.answers",
            "must have an answer, or the question takes a text",
        ));
    }
    if answers.len() > limits::QUESTION_ANSWERS {
        let detail = format!("may have {} answers", limits::QUESTION_ANSWERS);
        return Err(Problem::invalid("question.answers", detail));
    }
    for (nth, choice) in answers.iter().enumerate() {
        let field = |name: &str| format!("question.answers[{nth}].{name}");
        check_id(&choice.id).map_err(|error| Problem::invalid(field("id"), error.to_string()))?;
        if answers.iter().take(nth).any(|other| other.id == choice.id) {
            return Err(Problem::invalid(field("id"), "must differ from those of the other answers"));
        }
        if choice.label.trim().is_empty() || choice.label.len() > limits::QUESTION_LABEL_BYTES {
            let detail = format!("must have 1 to {} bytes", limits::QUESTION_LABEL_BYTES);
            return Err(Problem::invalid(field("label"), detail));
        }
    }
    Ok(())
}

/// What somebody answers.
#[derive(Debug, Clone, Copy)]
pub struct Reply<'r> {
    /// The id of the user.
    pub by: &'r str,
    /// The id of the chosen answer.
    pub answer: Option<&'r str>,
    /// A text of one's own.
    pub text: Option<&'r str>,
    /// When it was given; `None` if it was given just now.
    pub at: Option<Stamp>,
}

/// The content with the answer; the time is the server's. `asked_at` is when the question was asked in place of an earlier
/// one, and zero if it was the first.
///
/// # Errors
/// `invalid` if nothing is asked, or if no such answer is offered. `conflict` if the question is answered already. `gone` if
/// its time is over, or if the answer was given before `asked_at`, to the earlier one.
pub fn answered(content: &Content, asked_at: Stamp, reply: Reply<'_>, now: Stamp) -> Result<Content, Code> {
    let question = content.question.as_ref().ok_or(Code::Invalid)?.clone().at(now);
    match question.state {
        QuestionState::Answered => return Err(Code::Conflict),
        QuestionState::Expired => return Err(Code::Gone),
        QuestionState::Open => {}
    }
    if reply.at.is_some_and(|at| at < asked_at) {
        return Err(Code::Gone);
    }
    let text = reply.text.filter(|text| !text.trim().is_empty());
    let is_offered = reply.answer.is_none_or(|id| question.choice(id).is_some());
    let takes_text = text.is_none_or(|text| question.text && text.len() <= limits::ANSWER_TEXT_BYTES);
    if !is_offered || !takes_text || (reply.answer.is_none() && text.is_none()) {
        return Err(Code::Invalid);
    }
    let answer = Answer {
        id: reply.answer.map(str::to_owned),
        text: text.map(str::to_owned),
        by: Some(reply.by.to_owned()),
        at: now,
    };
    let question = Question { state: QuestionState::Answered, answer: Some(answer), ..question };
    Ok(Content { question: Some(question), ..content.clone() })
}

/// The content of a question whose time is over, with its default as the answer; `None` if it is not open any more.
pub fn expired(content: &Content, now: Stamp) -> Option<Content> {
    let question = content.question.clone().filter(|question| !question.is_closed())?.at(now);
    question.is_closed().then(|| Content { question: Some(question), ..content.clone() })
}

#[cfg(test)]
mod tests {
    use tidings_model::Choice;

    use super::*;

    const NOW: fn(i64) -> Stamp = Stamp::from_secs;

    fn choice(id: &str, label: &str) -> Choice {
        Choice { id: id.to_owned(), label: label.to_owned(), style: None }
    }

    fn asks(question: Question) -> Content {
        Content { title: "Deploy 4812?".to_owned(), question: Some(question), ..Content::default() }
    }

    fn deploy() -> Question {
        Question {
            answers: vec![choice("approve", "Approve"), choice("deny", "Deny")],
            ..Question::default()
        }
    }

    #[test]
    fn a_question_has_a_day_unless_it_says_and_never_more_than_a_month() {
        let mut content = asks(deploy());
        open(&mut content, NOW(100)).unwrap();
        assert_eq!(content.question.unwrap().expires_at, Some(NOW(100 + 86_400)));
        for wrong in [NOW(100), NOW(101 + 30 * 86_400)] {
            let mut content = asks(Question { expires_at: Some(wrong), ..deploy() });
            let problem = open(&mut content, NOW(100)).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some("question.expires_at"));
        }
    }

    #[test]
    fn what_is_wrong_in_a_question_is_named() {
        let many = (0..9).map(|n| choice(&format!("a{n}"), "A")).collect();
        for (question, field) in [
            (Question::default(), "question.answers"),
            (Question { answers: many, ..Question::default() }, "question.answers"),
            (Question { answers: vec![choice("no way", "No")], ..deploy() }, "question.answers[0].id"),
            (
                Question { answers: vec![choice("a", "A"), choice("a", "B")], ..deploy() },
                "question.answers[1].id",
            ),
            (Question { answers: vec![choice("a", " ")], ..deploy() }, "question.answers[0].label"),
            (Question { default: Some("later".to_owned()), ..deploy() }, "question.default"),
        ] {
            let problem = open(&mut asks(question), NOW(100)).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some(field));
        }
        open(&mut asks(Question { text: true, ..Question::default() }), NOW(100)).unwrap();
    }

    #[test]
    fn the_first_answer_counts_and_none_after_its_time() {
        let mut content = asks(Question { default: Some("deny".to_owned()), ..deploy() });
        open(&mut content, NOW(100)).unwrap();
        let first = Stamp::ZERO;
        let reply = Reply { by: "alice", answer: Some("approve"), text: None, at: None };
        let after = answered(&content, first, reply, NOW(101)).unwrap();
        assert_eq!(after.question.as_ref().unwrap().answer_text(), Some("Approve"));
        assert_eq!(answered(&after, first, reply, NOW(102)), Err(Code::Conflict));
        assert_eq!(answered(&content, first, reply, NOW(100 + 86_400)), Err(Code::Gone));
        assert_eq!(expired(&after, NOW(999_999)), None, "an answer stays");
        let over = expired(&content, NOW(100 + 86_400)).unwrap();
        assert_eq!(over.question.unwrap().answer_text(), Some("Deny"));
        for (answer, text) in
            [(None, None), (Some("maybe"), None), (Some("deny"), Some("why")), (None, Some(" "))]
        {
            let reply = Reply { by: "alice", answer, text, at: None };
            assert_eq!(answered(&content, first, reply, NOW(101)), Err(Code::Invalid), "{reply:?}");
        }
    }

    #[test]
    fn what_just_keeps_a_limit_is_asked_and_answered() {
        let label = |more| choice("a", &"x".repeat(limits::QUESTION_LABEL_BYTES + more));
        let field =
            |answers| open(&mut asks(Question { answers, ..deploy() }), NOW(100)).err().and_then(|p| p.field);
        assert_eq!(field(vec![label(0)]), None);
        assert_eq!(field(vec![label(1)]).as_deref(), Some("question.answers[0].label"));
        assert_eq!(field((0..8).map(|n| choice(&format!("a{n}"), "A")).collect()), None);
        let until = |secs: i64| asks(Question { expires_at: Some(NOW(100 + secs)), text: true, ..deploy() });
        let mut content = until(30 * 86_400);
        open(&mut content, NOW(100)).unwrap();
        let late = open(&mut until(30 * 86_400 + 1), NOW(100)).unwrap_err();
        assert!(late.detail.contains("30 days"), "{}", late.detail);
        let text = "x".repeat(limits::ANSWER_TEXT_BYTES + 1);
        let answer = |text| {
            let reply = Reply { by: "alice", answer: None, text: Some(text), at: None };
            answered(&content, Stamp::ZERO, reply, NOW(101)).map(drop)
        };
        assert_eq!((answer(&text[1..]), answer(&text)), (Ok(()), Err(Code::Invalid)));
    }

    #[test]
    fn an_answer_from_before_it_was_asked_again_is_none_to_it() {
        let mut content = asks(deploy());
        open(&mut content, NOW(100)).unwrap();
        let at = |secs| {
            let reply = Reply { by: "alice", answer: Some("deny"), text: None, at: Some(NOW(secs)) };
            answered(&content, NOW(100), reply, NOW(110)).map(drop)
        };
        assert_eq!((at(99), at(100), at(101)), (Err(Code::Gone), Ok(()), Ok(())));
        let nothing = Reply { by: "alice", answer: Some("deny"), text: None, at: None };
        assert_eq!(answered(&Content::default(), NOW(0), nothing, NOW(110)), Err(Code::Invalid));
        assert_eq!(expired(&content, NOW(110)), None, "its time is not over");
    }
}
