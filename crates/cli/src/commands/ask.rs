//! `ask`: publishes a question and waits for its answer. `answer`: answers one in the replica, and with the next pull at
//! its server.

use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tidings_home::Home;
use tidings_model::wire::Info;
use tidings_model::{Answer, Question, QuestionState};
use tidings_replica::AnswerOutcome;
use tokio::time::{Instant, sleep};

use super::group::checked;
use super::serve::ShutdownSignals;
use crate::args::{AnswerArgs, Ask};
use crate::error::{Error, Result};
use crate::inbox;
use crate::named::{self, Named};
use crate::output::{Output, clean, warn};
use crate::server::Server;

/// Seconds for which one request waits; the server has a bound.
pub(super) const WAIT_SECS: u64 = 50;
/// How long a server that can't be reached is tried again after the time of the question is over.
const PATIENCE: Duration = Duration::from_secs(30);
/// The pause before a server is asked again that can't be reached.
const RETRY: Duration = Duration::from_secs(2);
/// The time of a question that names none.
pub(super) const DAY: Duration = Duration::from_secs(24 * 3_600);

/// What became of a question.
#[derive(Debug, Deserialize)]
pub(super) struct Outcome {
    pub(super) state: QuestionState,
    pub(super) answer: Option<Answer>,
}

/// Runs `tidings ask`.
pub(crate) async fn ask(args: Ask, home: &Home, out: Output) -> Result<()> {
    let question = QuestionDraft::new(&args)?;
    let server = Server::find(home).await?;
    let mut signals = ShutdownSignals::listen()?;
    let msgid = question.publish(&server, &args).await?;
    let outcome = tokio::select! {
        outcome = question.outcome(home, server, &msgid) => outcome?,
        () = signals.recv() => {
            let path = format!("notifications/{msgid}");
            Server::find(home).await?.api(Method::DELETE, &path, None).await?;
            return Err(Error::failed("the question was taken back; nobody had answered"));
        }
    };
    let words = question.words(outcome.answer.as_ref());
    let document = json!({ "msgid": msgid, "state": outcome.state, "answer": outcome.answer });
    out.print(&document, |to| if words.is_empty() { Ok(()) } else { writeln!(to, "{words}") })?;
    match outcome.state {
        QuestionState::Answered if question.is_first(outcome.answer.as_ref()) => Ok(()),
        QuestionState::Answered => Err(Error::Answered(1)),
        QuestionState::Open | QuestionState::Expired => Err(Error::Answered(3)),
    }
}

/// A question to publish, with its answers as they were given.
pub(super) struct QuestionDraft {
    /// The ids of the answers and their labels.
    answers: Vec<(String, String)>,
    default: Option<String>,
    text: bool,
    timeout: Duration,
}

impl QuestionDraft {
    fn new(args: &Ask) -> Result<Self> {
        Self::of(&args.answer, args.text, args.timeout.unwrap_or(DAY), args.default.as_deref())
    }

    /// A question with these answers, by their labels.
    pub(super) fn of(
        labels: &[String],
        text: bool,
        timeout: Duration,
        default: Option<&str>,
    ) -> Result<Self> {
        let mut answers: Vec<(String, String)> = Vec::new();
        for label in labels {
            let id = label.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
            let is_free =
                tidings_model::check_id(&id).is_ok() && answers.iter().all(|(known, _)| *known != id);
            let id = if is_free { id } else { format!("answer-{}", answers.len() + 1) };
            answers.push((id, label.clone()));
        }
        let default = default.map(|default| {
            let named =
                answers.iter().find(|(id, label)| label.eq_ignore_ascii_case(default) || id == default);
            named.map(|(id, _)| id.clone()).ok_or_else(|| {
                Error::Usage(format!("`{}` is not one of the answers; nothing was asked", clean(default)))
            })
        });
        Ok(Self { default: default.transpose()?, answers, text, timeout })
    }

    /// The answers to choose from, with their ids.
    pub(super) fn choices(&self) -> Value {
        self.answers.iter().map(|(id, label)| json!({ "id": id, "label": label })).collect()
    }

    /// The question as it is sent. It ends by the server's clock, because the one of this machine may be wrong.
    async fn document(&self, server: &Server) -> Result<Value> {
        let info: Info = serde_json::from_value(server.api(Method::GET, "info", None).await?)?;
        let secs = i64::try_from(self.timeout.as_secs()).unwrap_or(i64::MAX);
        Ok(json!({
            "answers": self.choices(),
            "text": self.text,
            "expires_at": info.now.plus_secs(secs),
            "default": self.default,
        }))
    }

    async fn publish(&self, server: &Server, args: &Ask) -> Result<String> {
        let mut fields = Map::new();
        fields.extend(args.title.clone().map(|title| ("title".to_owned(), title.into())));
        fields.extend(args.priority.map(|priority| ("priority".to_owned(), priority.into())));
        self.post(server, &args.topic, args.to.as_deref(), &args.question, fields).await
    }

    /// Publishes the question on a topic, or sends it to a user or a group; returns its msgid.
    pub(super) async fn post(
        &self,
        server: &Server,
        topic: &str,
        to: Option<&str>,
        text: &str,
        mut fields: Map<String, Value>,
    ) -> Result<String> {
        fields.insert("body".to_owned(), text.into());
        let path = match to.map(|to| to.split_once(':').unwrap_or(("user", to))) {
            Some(("user", user)) => {
                fields.insert("to".to_owned(), user.into());
                "messages".to_owned()
            }
            Some(("group", gid)) => format!("groups/{}/messages", checked("group", gid)?),
            Some(_) => return Err(Error::Usage("--to takes a user, or group:ID for a group".to_owned())),
            None => {
                let topic = checked("topic", topic)?;
                fields.entry("title").or_insert_with(|| topic.into());
                fields.insert("actor".to_owned(), topic.into());
                fields.insert("action".to_owned(), "publish".into());
                let target = json!({ "type": "topic", "id": topic, "title": topic });
                fields.insert("target".to_owned(), target);
                "reminders".to_owned()
            }
        };
        fields.insert("question".to_owned(), self.document(server).await?);
        let posted = server.api(Method::POST, &path, Some(&fields.into())).await?;
        Ok(posted.get("msgid").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// Waits until the question is closed. A server that is away is asked again until some time after that, at the
    /// address and with the token that it has by then. Its next start may change both.
    async fn outcome(&self, home: &Home, mut server: Server, msgid: &str) -> Result<Outcome> {
        let deadline = Instant::now() + self.timeout + PATIENCE;
        let mut was_away = false;
        loop {
            let error = match wait(&server, msgid, WAIT_SECS).await {
                Ok(outcome) if outcome.state != QuestionState::Open || Instant::now() >= deadline => {
                    return Ok(outcome);
                }
                Ok(_) => continue,
                Err(error) => error,
            };
            let moved = Server::find(home).await.ok().filter(|found| *found != server);
            let is_refusal = matches!(error, Error::Refused { status: 400..500, .. });
            if Instant::now() >= deadline || (is_refusal && moved.is_none()) {
                return Err(error);
            }
            if let Some(moved) = moved {
                server = moved;
                continue;
            }
            if !std::mem::replace(&mut was_away, true) {
                warn(&format!("{error}; waiting for it"));
            }
            sleep(RETRY).await;
        }
    }

    /// The answer as it was given on the command line, with the text after it.
    fn words(&self, answer: Option<&Answer>) -> String {
        let Some(answer) = answer else { return String::new() };
        let parts = answer.id.as_deref().map(|id| self.label(id)).into_iter().chain(answer.text.as_deref());
        parts.map(clean).collect::<Vec<_>>().join(": ")
    }

    fn label<'s>(&'s self, id: &'s str) -> &'s str {
        self.answers.iter().find(|(known, _)| known == id).map_or(id, |(_, label)| label)
    }

    fn is_first(&self, answer: Option<&Answer>) -> bool {
        let first = self.answers.first().map(|(id, _)| id);
        answer.is_some_and(|answer| answer.id.as_ref() == first)
    }
}

/// What became of a question, as soon as it is closed or after so many seconds.
pub(super) async fn wait(server: &Server, msgid: &str, secs: u64) -> Result<Outcome> {
    let path = format!("notifications/{}/answer?wait={secs}", checked("msgid", msgid)?);
    Ok(serde_json::from_value(server.api(Method::GET, &path, None).await?)?)
}

/// Runs `tidings answer`.
pub(crate) async fn answer(args: AnswerArgs, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let Named { mut items, .. } = named::find(&replica, std::slice::from_ref(&args.msgid))?;
    let Some(item) = items.pop() else {
        return Err(Error::failed(format!("there is no notification `{}`", clean(&args.msgid))));
    };
    let Some(question) = &item.notification.content.question else {
        return Err(Error::failed(format!("`{}` is not a question", clean(&args.msgid))));
    };
    let id = args.answer.as_deref().map(|answer| chosen(question, answer)).transpose()?;
    let outcome = replica.answer(item.id, id.as_deref(), args.text.as_deref())?;
    match outcome {
        AnswerOutcome::Answered => {}
        AnswerOutcome::Closed => return Err(Error::failed("the question is closed; nothing was sent")),
        AnswerOutcome::NotOffered | AnswerOutcome::NoQuestion => {
            return Err(Error::failed("the question does not have this answer; nothing was sent"));
        }
    }
    inbox::notify_app(home).await;
    let words = args.answer.or(args.text).unwrap_or_default();
    out.print(&json!({ "msgid": item.notification.msgid, "answer": id }), |to| {
        writeln!(to, "answered {}", clean(&words))
    })
}

/// The id of the answer that a word names.
fn chosen(question: &Question, word: &str) -> Result<String> {
    let named = |choice: &&tidings_model::Choice| {
        choice.id.eq_ignore_ascii_case(word) || choice.label.to_lowercase() == word.to_lowercase()
    };
    question.answers.iter().find(named).map(|choice| choice.id.clone()).ok_or_else(|| {
        let labels: Vec<_> = question.answers.iter().map(|choice| clean(&choice.label)).collect();
        Error::Usage(format!("`{}` is not one of the answers: {}", clean(word), labels.join(", ")))
    })
}
