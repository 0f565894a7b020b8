//! A question that a publication asks, and its answer.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Stamp;

/// The question of a publication, with its outcome. One for everybody who has the item: the first answer counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Question {
    /// The answers to choose from, in their order: 1 to 8, or none if `text` is set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Choice>,
    /// Whether an answer may be, or have, a text of one's own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub text: bool,
    /// When the time for an answer is over. Absent only in a request: then 24 hours after the post.
    #[serde(default)]
    #[ts(type = "string | null")]
    pub expires_at: Option<Stamp>,
    /// The id of the answer that counts if nobody answered in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub default: Option<String>,
    /// Its outcome. Ignored in a request.
    #[serde(default)]
    pub state: QuestionState,
    /// The answer that counts. Ignored in a request.
    #[serde(default)]
    pub answer: Option<Answer>,
}

/// An answer to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Choice {
    /// The id within the question, by which it is answered.
    pub id: String,
    /// The text on the button.
    pub label: String,
    /// How the button looks; an ordinary one if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub style: Option<ChoiceStyle>,
}

/// How the button of an answer looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChoiceStyle {
    /// The expected answer.
    Primary,
    /// An answer with an effect that can't be taken back.
    Danger,
}

/// The outcome of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    /// It waits for an answer.
    #[default]
    Open,
    /// Somebody answered in time.
    Answered,
    /// Nobody answered in time.
    Expired,
}

/// The answer that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Answer {
    /// The id of the chosen answer; `None` for a text alone.
    pub id: Option<String>,
    /// The text that came with it.
    pub text: Option<String>,
    /// The id of the user who answered; `None` for the default of an expired question.
    pub by: Option<String>,
    /// When it was answered, or expired.
    #[ts(type = "string")]
    pub at: Stamp,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
const fn is_false(value: &bool) -> bool {
    !*value
}

impl Question {
    /// Whether it waits for an answer at `now`.
    pub fn is_open(&self, now: Stamp) -> bool {
        self.state == QuestionState::Open && self.expires_at.is_none_or(|at| now < at)
    }

    /// Whether it is answered or expired.
    pub fn is_closed(&self) -> bool {
        self.state != QuestionState::Open
    }

    /// The question as it is at `now`: an open one whose time is over has expired, with its default as the answer.
    #[must_use]
    pub fn at(mut self, now: Stamp) -> Self {
        let Some(at) = self.expires_at.filter(|_| self.state == QuestionState::Open && !self.is_open(now))
        else {
            return self;
        };
        self.state = QuestionState::Expired;
        self.answer = self.default.clone().map(|id| Answer { id: Some(id), text: None, by: None, at });
        self
    }

    /// The answer with this id.
    pub fn choice(&self, id: &str) -> Option<&Choice> {
        self.answers.iter().find(|choice| choice.id == id)
    }

    /// The text of an answer: the chosen label, else the text.
    ///
    /// ```
    /// use tidings_model::Question;
    ///
    /// let question: Question = serde_json::from_str(
    ///     r#"{"answers":[{"id":"yes","label":"Yes, do"}],"state":"answered",
    ///         "answer":{"id":"yes","text":null,"by":"alice","at":"2026-11-20T06:14:00Z"}}"#,
    /// )?;
    /// assert_eq!(question.answer_text(), Some("Yes, do"));
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    pub fn answer_text(&self) -> Option<&str> {
        let answer = self.answer.as_ref()?;
        let id = answer.id.as_deref();
        id.map(|id| self.choice(id).map_or(id, |choice| &choice.label)).or(answer.text.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deploy() -> Question {
        serde_json::from_str(
            r#"{"answers":[{"id":"approve","label":"Approve","style":"primary"},{"id":"deny","label":"Deny"}],
                "expires_at":"2026-11-20T06:14:00Z","default":"deny"}"#,
        )
        .unwrap()
    }

    #[test]
    fn a_question_expires_at_its_very_moment_with_its_default() {
        let question = deploy();
        let at = question.expires_at.unwrap();
        assert!(question.is_open(Stamp::from_micros(at.as_micros() - 1)) && !question.is_open(at));
        let expired = question.clone().at(at);
        assert_eq!(expired.state, QuestionState::Expired);
        assert_eq!(expired.answer_text(), Some("Deny"));
        assert_eq!(expired.answer.unwrap().at, at);
        let without = Question { default: None, ..question.clone() }.at(at);
        assert_eq!((without.state, without.answer), (QuestionState::Expired, None));
        let answer = Answer { id: Some("approve".into()), text: None, by: Some("al".into()), at };
        let answered = Question { state: QuestionState::Answered, answer: Some(answer), ..question };
        assert_eq!(answered.clone().at(Stamp::MAX), answered, "what is answered stays answered");
    }

    #[test]
    fn a_question_keeps_its_shape_on_the_wire() {
        let json = serde_json::to_value(deploy()).unwrap();
        assert_eq!(json["state"], "open");
        assert!(json["answer"].is_null());
        assert_eq!(json["answers"][0]["style"], "primary");
        assert!(json.get("text").is_none() && json["answers"][1].get("style").is_none());
    }

    #[test]
    fn a_question_that_takes_a_text_says_so_and_the_text_is_its_answer() {
        let answer = Answer { id: None, text: Some("Later".into()), by: Some("al".into()), at: Stamp::ZERO };
        let state = QuestionState::Answered;
        let question = Question { text: true, state, answer: Some(answer), ..deploy() };
        let json = serde_json::to_value(&question).unwrap();
        assert_eq!(json["text"], true);
        assert_eq!(serde_json::from_value::<Question>(json).unwrap(), question);
        assert_eq!(question.answer_text(), Some("Later"));
        assert!(question.is_closed() && !deploy().is_closed());
        assert_eq!(question.choice("deny").unwrap().label, "Deny");
        let gone = Answer { id: Some("maybe".into()), text: None, by: None, at: Stamp::ZERO };
        assert_eq!(Question { answer: Some(gone), ..deploy() }.answer_text(), Some("maybe"));
    }

    #[test]
    fn a_question_without_an_end_stays_open() {
        let question = Question { expires_at: None, ..deploy() };
        assert!(question.is_open(Stamp::MAX));
        assert_eq!(question.clone().at(Stamp::MAX), question);
    }
}
