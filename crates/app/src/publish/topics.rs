//! The settings of topics on this computer's own server, and templates tried on its last payloads. The server decides what
//! is valid; this says it in the reader's language, by field.

use serde::Deserialize;
use serde_json::{Value, json};
use tidings_ipc::{
    TemplateTrial, TopicField, TopicForm, TopicProblem, TopicRow, TopicSaved, TopicsView, TriedBy,
    TriedNotice, TriedPayload,
};
use tidings_model::topic::{Expected, NotExpectable, check_topic};
use tidings_model::{Code, Problem, Stamp, text};
use tidings_render::emoji::MAX_TAGS;
use tidings_strings::settings::SettingsStrings;

use super::templates::{Publication, WEBHOOK};
use super::{Publishing, topic_error};
use crate::error::{Error, Result};
use crate::sources::own_server::api::{OwnApi, Request};

/// The most topics that are listed: two pages of the server's list.
const MAX_TOPICS: usize = 2_000;
/// The most notifications of one payload that are shown.
const SHOWN_NOTICES: usize = 5;
/// The most bytes of a text in a trial that are shown.
const SHOWN_BYTES: usize = 2_000;

impl Publishing {
    /// The topics of the own server; none if it does not run.
    pub(crate) async fn topics(&self) -> Result<TopicsView> {
        if self.server_state.url().is_none() {
            return Ok(TopicsView::default());
        }
        self.listed_topics(&self.server.own_api().await?).await
    }

    /// Sets everything for a topic but the secrets that are not named. If something is wrong, nothing is set.
    pub(crate) async fn save_topic(&self, form: TopicForm) -> Result<TopicSaved> {
        let (table, api) = (self.context.settings_strings(), self.server.own_api().await?);
        let problem = match topic_error(&form.topic, table) {
            Some(text) => Some(TopicProblem { field: TopicField::Topic, text }),
            None => self.set_topic(&api, form).await?,
        };
        Ok(TopicSaved { problem, topics: self.listed_topics(&api).await? })
    }

    /// Removes what is set for a topic, and the payloads that are kept for it.
    pub(crate) async fn remove_topic(&self, topic: String) -> Result<TopicsView> {
        let api = self.server.own_api().await?;
        check_topic(&topic).map_err(|_| Error::NotFound)?;
        match api.ask::<Value>(Request::Delete, &path(&topic)).await? {
            // Removed already, for example by `tidings topic remove`.
            Err(problem) if problem.code != Code::NotFound => Err(self.refused(&problem)),
            _ => self.listed_topics(&api).await,
        }
    }

    /// Tries a template on the last payloads of a topic, without setting it.
    pub(crate) async fn try_template(&self, topic: String, template: String) -> Result<TemplateTrial> {
        let (table, api) = (self.context.settings_strings(), self.server.own_api().await?);
        if check_topic(&topic).is_err() {
            return Ok(TemplateTrial::default());
        }
        let line = self.webhook_line(&topic, table);
        let request = Request::Post(json!({ "template": template }));
        match api.ask::<Vec<Tried>>(request, &format!("{}/try", path(&topic))).await? {
            Ok(tried) => {
                let payloads = tried.into_iter().map(|payload| payload.shown(table)).collect();
                Ok(TemplateTrial { problem: None, payloads, line })
            }
            Err(problem) => match field_problem(&problem, table) {
                Some(problem) => {
                    Ok(TemplateTrial { problem: Some(problem.text), line, ..TemplateTrial::default() })
                }
                None => Err(self.refused(&problem)),
            },
        }
    }

    /// The line that sends a payload to a topic from this computer.
    fn webhook_line(&self, topic: &str, table: &SettingsStrings) -> String {
        let url = self.server_state.url().unwrap_or_default();
        WEBHOOK.fill(&Publication { url: &url, topic, token: None, message: table.example_message })
    }

    async fn set_topic(&self, api: &OwnApi, form: TopicForm) -> Result<Option<TopicProblem>> {
        let (table, path) = (self.context.settings_strings(), path(&form.topic));
        if form.new && api.ask::<Value>(Request::Get, &path).await?.is_ok() {
            let text = (table.topic_exists)(&form.topic);
            return Ok(Some(TopicProblem { field: TopicField::Topic, text }));
        }
        let Ok(expected) = expected(&form.expect) else {
            let text = table.topic_expect_wrong.to_owned();
            return Ok(Some(TopicProblem { field: TopicField::Expect, text }));
        };
        match api.ask::<Value>(Request::Put(settings(&form, expected)), &path).await? {
            Ok(_) => Ok(None),
            Err(problem) => match field_problem(&problem, table) {
                Some(problem) => Ok(Some(problem)),
                None => Err(self.refused(&problem)),
            },
        }
    }

    async fn listed_topics(&self, api: &OwnApi) -> Result<TopicsView> {
        let mut topics: Vec<TopicRow> = Vec::new();
        while topics.len() < MAX_TOPICS {
            let after = topics.last().map(|row| format!("?after={}", row.topic)).unwrap_or_default();
            let page = api.ask::<Vec<TopicRow>>(Request::Get, &format!("topics{after}")).await?;
            let page = page.map_err(|problem| self.refused(&problem))?;
            if page.is_empty() {
                break;
            }
            topics.extend(page);
        }
        for row in &mut topics {
            text::make_line(&mut row.name);
        }
        Ok(TopicsView { runs: true, owner: api.owner.clone(), topics })
    }

    /// A refusal that is about no field.
    fn refused(&self, problem: &Problem) -> Error {
        Error::invalid((self.context.settings_strings().topic_refused)(problem.status))
    }
}

/// The path of a topic, whose name needs no escapes.
fn path(topic: &str) -> String {
    format!("topics/{topic}")
}

/// How often something is expected; an empty text is never.
fn expected(text: &str) -> Result<Expected, NotExpectable> {
    if text.trim().is_empty() { Ok(Expected::default()) } else { text.parse() }
}

/// The body of the request that sets a topic.
fn settings(form: &TopicForm, expected: Expected) -> Value {
    let secrets = form.secrets.iter().filter_map(|change| {
        let sender = serde_json::to_value(change.sender).ok()?;
        Some((sender.as_str()?.to_owned(), Value::from(change.secret.as_str())))
    });
    let icon = Some(form.icon.trim()).filter(|icon| !icon.is_empty());
    json!({
        "name": form.name.trim(),
        "icon": icon,
        "priority_floor": form.priority_floor,
        "template": form.template,
        "publishers": form.publishers,
        "readers": form.readers,
        "expect_secs": expected.every_secs,
        "secrets": secrets.collect::<serde_json::Map<_, _>>(),
    })
}

/// The server's refusal of a field as a sentence; `None` if it is about no field of the form.
fn field_problem(problem: &Problem, table: &SettingsStrings) -> Option<TopicProblem> {
    if problem.code == Code::TooLarge {
        let text = (table.template_wrong)(&placed(&problem.detail, table));
        return Some(TopicProblem { field: TopicField::Template, text });
    }
    let name = problem.field.as_deref()?;
    let name = name.split(['[', '.']).next().unwrap_or(name);
    let (field, text) = match name {
        "topic" => (TopicField::Topic, table.topic_invalid.to_owned()),
        "name" => (TopicField::Name, table.topic_name_wrong.to_owned()),
        "icon" => (TopicField::Icon, table.topic_icon_wrong.to_owned()),
        "template" => (TopicField::Template, (table.template_wrong)(&placed(&problem.detail, table))),
        "publishers" => (TopicField::Publishers, table.topic_users_wrong.to_owned()),
        "readers" => (TopicField::Readers, table.topic_users_wrong.to_owned()),
        "secrets" => (TopicField::Secrets, table.topic_secret_wrong.to_owned()),
        _ => return None,
    };
    Some(TopicProblem { field, text })
}

/// The template engine's text about an error, with its line in the reader's language.
fn placed(why: &str, table: &SettingsStrings) -> String {
    let place = why.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
    match place.filter(|(line, _)| line.parse::<u32>().is_ok()) {
        Some((line, why)) => (table.template_line)(line, why),
        None => why.to_owned(),
    }
}

/// A payload as the server tried it.
#[derive(Deserialize)]
struct Tried {
    received_at: Stamp,
    sender: String,
    event: String,
    by: TriedBy,
    error: Option<String>,
    notices: Vec<TriedNotice>,
}

impl Tried {
    /// The payload with texts that are safe to show, and not too many of them.
    fn shown(mut self, table: &SettingsStrings) -> TriedPayload {
        let more = self.notices.len().saturating_sub(SHOWN_NOTICES);
        self.notices.truncate(SHOWN_NOTICES);
        TriedPayload {
            received_at: self.received_at.as_millis(),
            sender: line(&self.sender),
            event: line(&self.event),
            by: self.by,
            error: self.error.as_deref().map(|why| block(&placed(why, table))),
            notices: self.notices.iter().map(shown_notice).collect(),
            more,
        }
    }
}

fn shown_notice(notice: &TriedNotice) -> TriedNotice {
    TriedNotice {
        title: line(&notice.title),
        body: block(&notice.body),
        priority: notice.priority,
        tags: notice.tags.iter().take(MAX_TAGS).map(|tag| line(tag)).collect(),
        url: notice.url.as_deref().map(line),
        resolved: notice.resolved,
    }
}

fn line(part: &str) -> String {
    text::line(text::cut(part, SHOWN_BYTES)).into_owned()
}

fn block(part: &str) -> String {
    let part = text::block(part);
    let shown = text::cut(&part, SHOWN_BYTES);
    if shown.len() < part.len() { format!("{shown}…") } else { shown.to_owned() }
}
